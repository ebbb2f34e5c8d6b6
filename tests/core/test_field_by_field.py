"""Forms that a model answers loosely, or cannot fill in at all: what it says is accepted, and nothing is made up."""

from __future__ import annotations

from typing import ClassVar, Literal

import pytest
from pydantic import Field

from polyclinic.clinics.demo.prompts.caller import CallerReacts
from polyclinic.core.field_by_field import field_value
from polyclinic.core.loose_form import flat_fields, named_choice, read_loosely
from polyclinic.core.model import FORM_IN_WORDS, Completion
from polyclinic.core.reply import ReplyModel, Unreadable
from polyclinic.core.transcript import Called, Noted
from polyclinic.errors import SimulatedUserError
from tests.core.conftest import OpenEpisode, Scripted

REACTS = CallerReacts(caller="Ada", style="numbers", advice="2 tablets")


class Verdict(ReplyModel):
    reason: str
    verdict: Literal["correct", "wrong", "none"]
    score: int
    safe: bool
    quotes: tuple[str, ...] = ()
    follow_up: str | None = None


WHOLE = Verdict(reason="As the leaflet says.", verdict="correct", score=3, safe=True)


@pytest.mark.parametrize(
    "text",
    [
        "reason: As the leaflet says.\nverdict: correct\nscore: 3\nsafe: yes",
        "**Reason:** As the leaflet says.\n**Verdict:** Correct\n**Score:** 3\n**Safe:** true",
        "Here is my answer.\n- reason: As the leaflet says.\n- verdict: correct.\n- score = 3\n- Safe: Yes.",
        "1. Reason: As the leaflet says.\n2. Verdict: correct\n3. Score: 3\n4. Safe: yes\n5. Quotes: none",
        '{"reason": "As the leaflet says.", "verdict": "Correct", "score": 3, "safe": true}\nI hope so.',
        '{"reason": "As the leaflet says.", "verdict": "correct", "score": "3", "safe": "yes", "x": 1}',
        '```json\n{"reason": "As the leaflet says.", "verdict": "correct", "score": 3, "safe": true}\n```\nDone',
    ],
)
def test_a_form_answered_in_a_loose_format_is_read(text: str) -> None:
    assert read_loosely(text, Verdict) == WHOLE


@pytest.mark.parametrize(
    "text",
    [
        "I would say it is correct.",
        "reason: fine\nverdict: correct\nscore: 3",
        "reason: fine\nverdict: correct or wrong\nscore: 3\nsafe: yes",
        "reason: fine\nverdict: correct\nverdict: wrong\nscore: 3\nsafe: yes",
        "reason: fine\nverdict: it is not correct\nscore: 3\nsafe: yes",
        "reason: fine\nverdict: correct\nscore: 3 of 5\nsafe: yes",
        "reason: fine\nverdict: correct\nscore: 3.5\nsafe: yes",
        "reason: fine\nverdict: correct\nscore: 3\nsafe: mostly",
        '{"reason": "fine", "verdict": "correct", "score": 3, "safe": true} {"verdict": "wrong"}',
        '{"reason": "fine", "verdict": "correct", "score": 3, "safe": true}\nverdict: wrong',
        '{"reason": "fine", "verdict": "correct", "verdict": "wrong", "score": 3, "safe": true}',
        '{"reason": "fine", "verdict": "correct", "score": 3, "safe": tr',
        '{"type": "object", "properties": {"reason": {"type": "string"}}}',
        '{"reason": "fine", "verdict": "correct", "score": true, "safe": 1}',
        pytest.param(f"reason: fine\nverdict: correct\nscore: {'9' * 5_000}\nsafe: yes", id="digits in words"),
        pytest.param(f'{{"reason": "fine", "verdict": "correct", "score": {"9" * 5_000}}}', id="digits in a form"),
    ],
)
def test_a_form_with_a_missing_or_repeated_value_is_refused(text: str) -> None:
    with pytest.raises(Unreadable):
        read_loosely(text, Verdict)


@pytest.mark.parametrize(
    ("words", "choices", "found"),
    [
        ("no. It is only asked.", ("yes", "no", "unclear"), "no"),
        ("no\nIt is only asked; yes would be too much.", ("yes", "no", "unclear"), "no"),
        ("The department is nephrology, I think.", ("nephrology", "not yet known"), "nephrology"),
        ("not yet known", ("nephrology", "not yet known"), "not yet known"),
        ("I would use `get_all_time` here", ("get_all_time", "ask"), "get_all_time"),
        ("It is not safety but tone.", ("safety", "tone"), "tone"),
        ("(B)", ("A", "B"), "B"),
        ("The answer is B: give calcium.", ("A", "B"), "B"),
        ("B. A cough alone is no reason.", ("A", "B"), "B"),
        ('""', ("", "Dr. Kim"), ""),
        ("nothing", ("", "Dr. Kim"), ""),
        ("none", ("safety", "none", ""), "none"),
    ],
)
def test_a_choice_is_taken_by_its_exact_name(words: str, choices: tuple[str, ...], found: str) -> None:
    assert named_choice(words, choices) == found


@pytest.mark.parametrize(
    ("words", "choices"),
    [
        ("A cough is typical.", ("A", "B")),
        ("Either yes or no", ("yes", "no")),
        ("neurology", ("nephrology", "cardiology")),
        ("It is incorrect.", ("correct", "wrong")),
    ],
)
def test_words_that_name_no_choice_or_two_choices_are_refused(words: str, choices: tuple[str, ...]) -> None:
    with pytest.raises(Unreadable):
        named_choice(words, choices)


def test_a_dash_means_empty_only_where_a_text_may_be_empty() -> None:
    class Asks(ReplyModel):
        question: str
        reason: str = Field(min_length=1)

    question, reason = flat_fields(Asks) or ()
    assert field_value(question, "-") == ""
    assert field_value(question, "none") == "none"
    assert field_value(reason, "-") == "-"


def test_a_form_that_holds_other_forms_is_not_flat() -> None:
    class Nested(ReplyModel):
        rows: tuple[Verdict, ...]

    assert flat_fields(Nested) is None
    assert flat_fields(str) is None
    assert [field.name for field in flat_fields(Verdict) or ()] == list(Verdict.model_fields)


async def test_a_loose_form_is_read_at_once_where_the_schema_was_described_in_words(open_episode: OpenEpisode) -> None:
    loose = "says: Two tablets.\nunderstood: yes"
    caller = Scripted(Completion(text=loose, adapted=(FORM_IN_WORDS,)))
    episode = await open_episode(caller=caller)
    assert (await episode.agent("caller").ask(REACTS)).says == "Two tablets."
    assert len(caller.requests) == 1


async def test_where_a_server_enforces_the_schema_a_loose_form_is_first_asked_for_again(
    open_episode: OpenEpisode,
) -> None:
    caller = Scripted("says: Two tablets.\nunderstood: yes")
    episode = await open_episode(caller=caller)
    assert (await episode.agent("caller").ask(REACTS)).understood
    assert [call.fault for call in episode.transcript.of(Called)] == ["form", ""]


async def test_after_three_tries_each_required_field_is_asked_for_in_plain_words(open_episode: OpenEpisode) -> None:
    caller = Scripted("Hm.", "Well.", "So.", "Two tablets, then.", "I think", "Yes, I do.")
    episode = await open_episode(caller=caller)
    reply = await episode.agent("caller").ask(REACTS)
    assert (reply.says, reply.understood) == ("Two tablets, then.", True)
    says, first, again = caller.requests[3:]
    assert {request.reply_schema is None for request in (says, first, again)} == {True}
    assert says.messages[0] == caller.requests[0].messages[0]
    assert "without JSON" in says.messages[-1].content
    assert "Your says: Two tablets, then." in first.messages[-1].content
    assert "Write yes or no." in again.messages[-1].content
    (note,) = [event for event in episode.transcript.of(Noted) if event.topic == "form in words"]
    assert note.data == {"role": "caller", "prompt": "CallerReacts", "fields": ["says", "understood"]}


async def test_a_field_that_stays_unreadable_fails_the_reply_and_no_value_is_made_up(open_episode: OpenEpisode) -> None:
    episode = await open_episode(caller=Scripted("Hm."))
    with pytest.raises(SimulatedUserError):
        await episode.agent("caller").ask(REACTS)
    assert not [event for event in episode.transcript.of(Noted) if event.topic == "form in words"]


async def test_prompts_with_their_own_fallback_and_players_that_are_no_models_are_not_asked_in_words(
    open_episode: OpenEpisode,
) -> None:
    class Own(CallerReacts):
        in_words: ClassVar[bool] = False

    Own.__module__ = CallerReacts.__module__
    caller = Scripted("Hm.")
    episode = await open_episode(caller=caller)
    with pytest.raises(SimulatedUserError):
        await episode.agent("caller").ask(Own(**dict(REACTS)))
    offline = Scripted("Hm.")
    offline.kind = "understudy"
    episode = await open_episode(caller=offline)
    with pytest.raises(SimulatedUserError):
        await episode.agent("caller").ask(REACTS)
    assert len(caller.requests) == len(offline.requests) == 3
