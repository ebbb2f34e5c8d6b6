from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from polyclinic.core.judge import Case
from polyclinic.core.prompt import Facts, check_prompts
from polyclinic.core.seed import stream
from polyclinic.core.transcript import Said
from polyclinic.errors import JudgeError, ModelError
from polyclinic.eval.criteria import Criterion, Rubric
from polyclinic.eval.prompts import PROMPTS, JudgesRubric
from polyclinic.eval.rubric import RubricJudge, missing_quotes
from polyclinic.eval.rubric_file import parse_rubric
from polyclinic.eval.rubric_understudy import Grade, RubricUnderstudy
from polyclinic.eval.view import Conversation, View

CaseOf = Callable[..., Case]
BenchOf = Callable[..., Any]

RUBRIC = """\
id = "bedside"
title = "Bedside manner"
metric = "bedside"
instructions = "Judge the nurse only."
[[criteria]]
id = "warmth"
question = "Is the nurse warm?"
low = 1
high = 5
anchors = { 1 = "cold", "2..4" = "polite", 5 = "warm" }
[[criteria]]
id = "clear"
question = "Is the nurse clear?"
low = 1
high = 5
anchors = { 1 = "muddled", 5 = "clear" }
[[flags]]
id = "promise"
question = "Does the nurse promise a cure?"
metric = "promises"
[[vetoes]]
flags = ["promise"]
cap = 2
about = "a promised cure"
"""


class Secret(Facts):
    """Facts that no language model may be sent."""

    word: str


class Examiner(RubricUnderstudy[Conversation]):
    """An understudy judge: a nurse who welcomes is warm, and a short answer is clear."""

    def grade(self, criterion: str, facts: Conversation) -> Grade:
        if criterion == "warmth":
            line = facts.quote("welcome")
            return Grade(5, "welcomes", (line,)) if line else Grade(1, "no welcome")
        return Grade(4, "short sentences")

    def flag(self, flag: str, facts: Conversation) -> Grade:
        line = facts.quote("will cure you")
        return Grade(1, "promises a cure", (line,)) if line else super().flag(flag, facts)


def shown(text: str) -> View:
    """The view of one nurse's line that a judge gets."""
    speaker, _, words = text.partition(": ")
    return View(text, Conversation(said=(Said(speaker=speaker, text=words),)))


def rubric() -> Rubric:
    return parse_rubric(RUBRIC, "bedside.toml")


def reply(warmth: Any = 3, clear: Any = 3, quotes: tuple[str, ...] = (), **changes: Any) -> str:
    body: dict[str, Any] = {
        "warmth_quotes": list(quotes),
        "warmth_reason": "r",
        "warmth_score": warmth,
        "clear_quotes": [],
        "clear_reason": "r",
        "clear_score": clear,
        "promise_quotes": [],
        "promise_reason": "r",
        "promise_raised": False,
    }
    return json.dumps({name: value for name, value in (body | changes).items() if value is not None})


def values(scores: list[Any]) -> dict[str, float]:
    return {score.metric: score.value for score in scores}


def test_templates_and_prompt_classes_agree_both_ways() -> None:
    assert check_prompts(PROMPTS) == []


async def test_an_understudy_scores_every_criterion_flag_and_the_aggregate(case_of: CaseOf, bench_of: BenchOf) -> None:
    scores = await RubricJudge(rubric()).score(case_of("nurse: Welcome to the ward."), bench_of(Examiner()))
    assert values(scores) == {"warmth": 5.0, "clear": 4.0, "promises": 0.0, "bedside": 4.5}
    assert scores[0].judge == "bedside" and scores[0].evidence == ("nurse: Welcome to the ward.",)
    assert scores[0].reason == "welcomes"


async def test_a_raised_flag_caps_every_score(case_of: CaseOf, bench_of: BenchOf) -> None:
    case = case_of("nurse: Welcome!", "nurse: This will cure you.")
    scores = await RubricJudge(rubric()).score(case, bench_of(Examiner()))
    assert values(scores) == {"warmth": 2.0, "clear": 2.0, "promises": 1.0, "bedside": 2.0}
    assert scores[-1].reason == "veto: a promised cure"


async def test_each_sample_is_a_separate_call_and_keeps_its_score(case_of: CaseOf, bench_of: BenchOf) -> None:
    bench = bench_of([reply(warmth=2), reply(warmth=3), reply(warmth=4)])
    scores = await RubricJudge(rubric(), k_samples=3).score(case_of("nurse: Hello."), bench)
    assert [(score.sample, score.value) for score in scores if score.metric == "warmth"] == [(0, 2), (1, 3), (2, 4)]
    assert [request.settings.sample for request in bench.requests] == [0, 1, 2]
    assert len({request.key for request in bench.requests}) == 3


async def test_the_rubric_is_sent_first_and_the_transcript_last(case_of: CaseOf, bench_of: BenchOf) -> None:
    bench = bench_of(Examiner())
    await RubricJudge(rubric(), view=lambda case: shown("ONLY: THIS")).score(case_of("nurse: secret"), bench)
    system, user = bench.requests[0].messages
    for words in (
        "Bedside manner",
        "Judge the nurse only.",
        "[warmth]",
        "2 to 4: polite",
        "[promise]",
        '"warmth_quotes": ["…"], "warmth_reason": "…", "warmth_score": …',
        '"promise_raised": …}',
    ):
        assert words in system.content
    assert "ONLY: THIS" in user.content and "secret" not in system.content + user.content
    assert "could not be used" not in user.content


@pytest.mark.parametrize(
    ("bad", "fault"),
    [
        (reply(warmth=6), "warmth_score: Input should be 1, 2, 3, 4 or 5"),
        (reply(quotes=("words nobody said",)), "are not in the transcript"),
        (reply(clear_score=None), "clear_score: Field required"),
        (reply(promise_raised=None), "promise_raised: Field required"),
        (reply(promise_raised=True), "raised without the words"),
        (reply(x_raised=False), "x_raised: Extra inputs are not permitted"),
    ],
)
async def test_an_invalid_judgement_is_asked_for_again_with_the_error(
    case_of: CaseOf, bench_of: BenchOf, bad: str, fault: str
) -> None:
    bench = bench_of([bad, reply(quotes=("nurse:  hello",))])
    scores = await RubricJudge(rubric()).score(case_of("nurse: Hello."), bench)
    assert values(scores)["warmth"] == 3
    assert fault in bench.requests[1].messages[-1].content


async def test_a_judge_whose_replies_stay_invalid_gives_no_score(case_of: CaseOf, bench_of: BenchOf) -> None:
    good, bad = reply(), reply(quotes=("words nobody said",))
    bench = bench_of([good, bad, bad, bad])
    with pytest.raises(JudgeError, match=r"no usable judgement in 3 tries \(sample 1\).*not in the transcript"):
        await RubricJudge(rubric(), k_samples=2).score(case_of("nurse: Hello."), bench)
    assert len(bench.requests) == 4


async def test_nonsense_and_floats_are_never_taken_for_scores(case_of: CaseOf, bench_of: BenchOf) -> None:
    for nonsense in ("I would say four.", reply(warmth=3.5), reply(warmth="three")):
        with pytest.raises(JudgeError):
            await RubricJudge(rubric()).score(case_of("nurse: Hello."), bench_of([nonsense] * 9))


async def test_a_dead_endpoint_is_the_models_failure_not_the_judges(case_of: CaseOf, bench_of: BenchOf) -> None:
    with pytest.raises(ModelError):
        await RubricJudge(rubric()).score(case_of("nurse: Hello."), bench_of([]))


async def test_several_subjects_are_judged_separately_and_empty_ones_not_at_all(
    case_of: CaseOf, bench_of: BenchOf
) -> None:
    bench = bench_of(Examiner())
    judge = RubricJudge(
        rubric(), view=lambda case: {"ann": shown("nurse: Welcome"), "ben": shown("nurse: Sit."), "cy": View(" ")}
    )
    scores = await judge.score(case_of("nurse: x"), bench)
    assert {s.subject: s.value for s in scores if s.metric == "warmth"} == {"ann": 5.0, "ben": 1.0}
    assert len(bench.requests) == 2


async def test_a_view_that_crashes_is_the_judges_failure(case_of: CaseOf, bench_of: BenchOf) -> None:
    def broken(case: Case) -> View:
        raise KeyError("no such note")

    with pytest.raises(JudgeError, match="choosing what to judge in s1"):
        await RubricJudge(rubric(), view=broken).score(case_of("nurse: x"), bench_of(Examiner()))


async def test_criteria_asked_separately_give_the_same_numbers(case_of: CaseOf, bench_of: BenchOf) -> None:
    case, bench = case_of("nurse: Welcome!"), bench_of(Examiner())
    together = await RubricJudge(rubric()).score(case, bench_of(Examiner()))
    apart = await RubricJudge(rubric(), apart=True).score(case, bench)
    assert values(apart) == values(together)
    asked = [request.prompt for request in bench.requests]
    assert [len(prompt.criteria) for prompt in asked if isinstance(prompt, JudgesRubric)] == [1, 1, 0]


@pytest.mark.parametrize("mistake", ["misquote", "off_scale"])
async def test_understudies_can_fail_like_real_judges(case_of: CaseOf, bench_of: BenchOf, mistake: str) -> None:
    with pytest.raises(JudgeError):
        await RubricJudge(rubric()).score(case_of("nurse: Hello."), bench_of(Examiner(), {mistake: 1.0}))


async def test_understudies_can_be_lenient_or_harsh(case_of: CaseOf, bench_of: BenchOf) -> None:
    case = case_of("nurse: Hello.")
    lenient = await RubricJudge(rubric()).score(case, bench_of(Examiner(), {"lenient": 1.0}))
    harsh = await RubricJudge(rubric()).score(case, bench_of(Examiner(), {"harsh": 1.0}))
    assert values(lenient)["bedside"] == 5 and values(harsh)["bedside"] == 1


def test_a_base_understudy_without_grades_says_what_to_write(bench_of: BenchOf) -> None:
    with pytest.raises(TypeError, match="override grade"):
        RubricUnderstudy[Conversation]().grade("warmth", Conversation(said=()))


async def test_an_offline_judge_says_which_facts_a_view_must_give(case_of: CaseOf, bench_of: BenchOf) -> None:
    wordy = RubricJudge(rubric(), view=lambda case: View("nurse: Welcome."))
    with pytest.raises(
        ModelError, match=r"'bedside' from Conversation, and the judge's view gives Facts: let the view"
    ):
        await wordy.score(case_of("nurse: x"), bench_of(Examiner()))


def _always(view: View, case: Case) -> View:
    return view


async def test_facts_change_neither_the_messages_sent_nor_the_request_key(case_of: CaseOf, bench_of: BenchOf) -> None:
    asked = []
    for view in (View("nurse: Welcome."), shown("nurse: Welcome."), View("nurse: Welcome.", Secret(word="hidden"))):
        bench = bench_of([reply()])
        await RubricJudge(rubric(), view=partial(_always, view)).score(case_of("nurse: x"), bench)
        asked.append(bench.requests[0])
    assert len({request.key for request in asked}) == 1
    assert len({request.messages for request in asked}) == 1
    assert "hidden" not in str(asked[2].messages)
    assert asked[2].prompt.facts == Secret(word="hidden")


def test_a_template_that_prints_facts_is_a_fault() -> None:
    class Printed(JudgesRubric):
        """The rubric's prompt with facts where its template prints the view."""

        view: Secret  # type: ignore[assignment]

    Printed.__module__ = JudgesRubric.__module__
    assert "judges_rubric.md: uses {{ view }}, which Printed does not have" in check_prompts([Printed])


@pytest.mark.parametrize(
    ("quote", "found"),
    [
        ("How are   you\nfeeling", True),
        ("how ARE you feeling", True),
        ("“it’s fine”", True),
        ("How are you … it's fine", True),
        ("it's fine ... How are you", False),
        ("How are you really feeling", False),
        ("", False),
        ("...", False),
        ("  ", False),
    ],
)
def test_quotes_must_be_in_the_text_but_spaces_and_punctuation_may_differ(quote: str, found: bool) -> None:
    text = "nurse: How are you feeling?\npatient: It's fine."
    assert missing_quotes([quote], text) == ([] if found else [quote])


def test_korean_quotes_are_found_in_either_unicode_composition() -> None:
    import unicodedata

    text = "간호사: 안녕하세요, 어디가 아프세요?"
    asked, other = unicodedata.normalize("NFD", "어디가 아프세요"), "어디가 아프십니까"
    assert missing_quotes([asked, other], text) == [other]


async def test_damaged_replies_are_refused_or_mean_exactly_what_they_say(case_of: CaseOf, bench_of: BenchOf) -> None:
    """Replies with characters lost, doubled or swapped: no crash, and no score that the reply does not state."""
    case, random = case_of("nurse: Hello there."), stream("damaged replies")
    good = reply(warmth=4, clear=2, quotes=("Hello there",))
    read = refused = 0
    for _ in range(1_000):
        text = list(good)
        for _ in range(random.randint(1, 2)):
            at = random.randrange(len(text))
            text[at] = random.choice(["", text[at] * 2, random.choice('{}[]",:0123456789.eE-ntf ')])
        damaged = "".join(text)
        try:
            scores = values(await RubricJudge(rubric()).score(case, bench_of([damaged] * 9)))
        except JudgeError:
            refused += 1
            continue
        read += 1
        whole, _ = json.JSONDecoder().raw_decode(damaged, damaged.index("{"))
        stated = [whole["warmth_score"], whole["clear_score"]]
        assert [str(int(scores["warmth"])), str(int(scores["clear"]))] == [str(score).strip() for score in stated]
        assert all(1 <= int(score) <= 5 for score in stated)
    assert read > 20 and refused > 500


def test_a_person_who_judges_reads_no_tags_and_may_give_marks_below_zero() -> None:
    criterion = Criterion(
        id="open", title="open question", question="Is it open?", low=-2, high=2, anchors={"-2": "no", "2": "yes"}
    )
    view = 'THINKING\n<think_history>Two steps are made.</think_history><think_student id="Jo">x < 5</think_student>'
    prompt = JudgesRubric(
        rubric="r",
        title="Structure",
        instructions="i",
        criteria=(criterion, criterion.model_copy(update={"id": "b"})),
        flags=(),
        view=view,
    )
    assert "<think" not in prompt.for_human and "</" not in prompt.for_human
    assert "THINKING\nthink history: Two steps are made.\nthink student (Jo): x < 5" in prompt.for_human
    assert prompt.full_answer("-1, 2") == "open=-1, b=2"
    assert prompt.form_hints().labels["open_score"] == "open question"
