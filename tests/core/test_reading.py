from __future__ import annotations

from typing import cast

import pytest
from pydantic import ValidationError

from polyclinic.core.agent import Agent
from polyclinic.core.execute import JudgeBench
from polyclinic.core.memo import Memo
from polyclinic.core.model import ModelKind
from polyclinic.core.read_text import findings_type, plain_finding, read_text
from polyclinic.core.reading import Finding, Question, ReadingKind
from polyclinic.core.transcript import Failed, Transcript, Violated
from polyclinic.errors import ReaderError
from polyclinic.text.quotations import stands_in
from tests.core.conftest import OpenEpisode, scripted

TOLD = ReadingKind(
    "x-told", who=("patient",), context="Fact: {fact}", question="Is '{fact}' told, as '{name}' asked?", open=("fact",)
)


def test_a_question_needs_every_fact_of_its_kind() -> None:
    with pytest.raises(ValueError, match="name"):
        TOLD.ask(fact="I smoke.")


def test_a_question_from_a_file_equals_the_question_that_code_asks() -> None:
    asked = TOLD.ask(fact="I smoke.", name="the doctor")
    read = TOLD.read_back(asked.words, asked.context)
    assert (read.fact("fact"), read.fact("name")) == ("I smoke.", "the doctor")


def test_every_question_is_a_required_field_of_the_reply() -> None:
    fields = findings_type(3).model_fields
    assert [name for name, field in fields.items() if field.is_required()] == [
        "q1_words", "q1", "q2_words", "q2", "q3_words", "q3",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("words", "says", "expected"),
    [
        ("I smoke", "yes", Finding("yes", "I smoke")),
        ("i  SMOKE", "yes", Finding("yes", "i  SMOKE")),
        ("he smokes", "yes", Finding("unclear")),
        ("", "yes", Finding("unclear")),
        ("he smokes", "no", Finding("no")),
        ("...", "yes", Finding("unclear")),
        (",", "yes", Finding("unclear")),
        ("moke", "yes", Finding("unclear")),
        ("smok", "yes", Finding("unclear")),
    ],
)
def test_a_yes_needs_a_quotation_from_the_text(words: str, says: str, expected: Finding) -> None:
    reply = findings_type(1).model_validate({"q1_words": words, "q1": says})
    assert reply.finding(1, "Yes, I smoke, a lot.") == expected


def test_branches_do_not_see_each_others_findings() -> None:
    question = Question(kind="x", words="?")
    before = Memo()
    one, other = before.branch(), before.branch()
    one.own["text", question] = Finding("yes", "text")
    assert other.get("text", question) is None
    before.own.update(one.own)
    assert other.get("text", question) is None
    assert before.branch().get("text", question) == Finding("yes", "text")


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ('Yes. "I smoke"', Finding("yes", "I smoke")),
        ('no, "he never did"', Finding("no")),
        ("I think so", Finding("unclear")),
        ("**Yes**", Finding("yes", "Yes, I smoke, a lot.")),
        ('Yes. "he smokes"', Finding("unclear")),
        ('Yes. "he smokes" and "a lot"', Finding("yes", "a lot")),
    ],
)
def test_a_plain_answer_is_read_by_its_first_word_and_its_quotation(said: str, expected: Finding) -> None:
    assert plain_finding(said, "Yes, I smoke, a lot.") == expected


@pytest.mark.parametrize(
    ("words", "text", "cut", "stands"),
    [
        ("he smokes", "She smokes.", False, False),
        ("can", "I can't.", False, True),
        ("잠을 못", "요즘 잠을 못자요.", False, True),
        ("자요", "요즘 잠을 못자요.", False, False),
        ("it hurts wh", "It hurts when I breathe.", False, False),
        ("it hurts wh", "It hurts when I breathe.", True, True),
        ("smokes. she", "He smokes.  She drinks.", False, True),
    ],
)
def test_quoted_words_stand_in_a_text_as_whole_words(words: str, text: str, cut: bool, stands: bool) -> None:
    assert stands_in(words, text, cut=cut) is stands


async def test_a_reader_that_only_talks_is_asked_again_and_then_fails(open_episode: OpenEpisode) -> None:
    """Its finding is unclear in the flow; a judge gives no score, and the failure is the reader's."""
    reader = scripted(*["I would rather not say."] * 6)
    episode = await open_episode(reader=reader)
    question = Question(kind="x", words="?")
    assert await episode.reads("I smoke", [question]) == (Finding("unclear", unread=True),)
    assert [failure.owner for failure in episode.transcript.of(Failed)] == ["reader"]
    bench = JudgeBench(episode.board, [], 0, "j")
    with pytest.raises(ReaderError, match="about x"):
        await bench.reads("I smoke", [question])


async def test_a_reader_whose_forms_cannot_be_read_is_asked_in_plain_words() -> None:
    asked: list[str] = []

    class OnlyPlain:
        async def ask(self, prompt: object) -> str:
            asked.append(type(prompt).__name__)
            if len(asked) == 1:
                raise ReaderError("unreadable")
            return 'no. "a lot"'

    questions = [Question(kind="x", words="one?"), Question(kind="x", words="two?")]
    found = await read_text(cast(Agent, OnlyPlain()), Memo(), "I smoke a lot.", questions)
    assert [finding.says for finding in found] == ["no", "no"]
    assert asked == ["ReadsText", "ReadsPlainly", "ReadsPlainly"]


def test_how_sure_a_reader_was_is_read_but_no_form_asks_for_it() -> None:
    form = findings_type(2)
    given = {"q1_words": "I smoke", "q1": "yes", "q2_words": "I smoke", "q2": "yes"}
    plain, graded = form.model_validate(given), form.model_validate({**given, "sure": {"q2": 0.7}})
    assert [graded.finding(number, "I smoke").sure for number in (1, 2)] == [None, 0.7]
    assert "sure" not in form.model_json_schema()["properties"]
    assert plain.model_dump_json() == graded.model_dump_json(), "the form is the same for all readers"


@pytest.mark.parametrize("chance", [7, -0.1, float("nan"), float("inf")])
def test_how_sure_a_reader_was_lies_between_0_and_1(chance: float) -> None:
    with pytest.raises(ValidationError):
        findings_type(1).model_validate({"q1_words": "", "q1": "no", "sure": {"q1": chance}})


@pytest.mark.parametrize(("kind", "sure"), [("reader", 0.9), ("llm", None), ("human", None)])
async def test_only_the_built_in_reader_says_how_sure_it_was(
    kind: ModelKind, sure: float | None, open_episode: OpenEpisode
) -> None:
    reader = scripted('{"q1_words": "I smoke", "q1": "yes", "sure": {"q1": 0.9}}')
    reader.kind = kind
    episode = await open_episode(reader=reader)
    found = await episode.reads("I smoke", [Question(kind="x", words="?")])
    assert found == (Finding("yes", "I smoke", sure),)


def test_an_event_keeps_how_sure_the_reader_was_and_old_events_still_open() -> None:
    events = [Violated(rule="A", by="nurse", sure=0.7), Violated(rule="B", by="nurse")]
    written = Transcript(events).to_json()
    assert written.count(b'"sure"') == 1
    assert [event.sure for event in Transcript.from_json(written).of(Violated)] == [0.7, None]
