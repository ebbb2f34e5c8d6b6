"""The prompts of counsellor, keeper and patient hold no contradiction and no word about the program itself."""

from __future__ import annotations

import re
from typing import Any

import pytest

from polyclinic.clinics.counsel import clinic
from polyclinic.clinics.counsel.prompts.counsellor import CounsellorReplies
from polyclinic.clinics.counsel.prompts.keeper import KeeperRemembers
from polyclinic.clinics.counsel.prompts.other import OPENING, PatientSpeaks
from polyclinic.clinics.counsel.rules.messages import gentle_question
from polyclinic.clinics.counsel.scenario import Lang, scenarios
from polyclinic.clinics.counsel.state import Fact
from polyclinic.core.model import Completion, Request
from polyclinic.core.transcript import Ended
from polyclinic.models.understudy import UnderstudyModel
from tests.clinics.counsel.conftest import READER

_LENGTHS: dict[Lang, str] = {
    "en": r"(?i)\b(?:one|two|three|four)(?: (?:to|or) (?:two|three|four))?(?: spoken)? sentences\b",
    "ko": r"한(?:두|두세|세)? 문장",
}


@pytest.mark.parametrize("lang", ["en", "ko"])
@pytest.mark.parametrize("said", ["", "How are you?"])
def test_the_patients_prompt_names_only_one_length(lang: Lang, said: str) -> None:
    persona = scenarios("quiet:1", 0)[0].persona
    prompt = PatientSpeaks(lang=lang, persona=persona, voices="", last=False, said=said, opening=OPENING[lang])
    told = re.findall(_LENGTHS[lang], " ".join(message.content for message in prompt.render()))
    lengths = {re.sub(" spoken", "", length).casefold() for length in told}
    assert lengths <= {"one or two sentences", "한두 문장", "한 문장"}
    assert "one or two sentences" in lengths or "한두 문장" in lengths


@pytest.mark.parametrize("lang", ["en", "ko"])
def test_the_last_draft_asks_about_the_wish_to_be_dead_and_nothing_else(lang: Lang) -> None:
    asked = {"en": "your question about the wish to be dead", "ko": "위에 예로 든 질문"}[lang]
    gentle = _replies(lang, gentle_question(lang), last=True)
    assert gentle_question(lang) in gentle and asked in gentle
    assert asked not in _replies(lang, gentle_question(lang), last=False)


def _replies(lang: Lang, gentle: str, last: bool) -> str:
    prompt = CounsellorReplies(
        lang=lang,
        goal="",
        facts=(),
        summary="",
        sources=(),
        gentle=gentle,
        utterance="I wish it were over.",
        refused="Yes.",
        feedback="Too short.",
        last_draft=last,
    )
    return prompt.render()[-1].content


async def test_notes_are_shown_oldest_first_and_without_turn_numbers(play: Any, talk: Any) -> None:
    """The prompts of counsellor and keeper hold no turn numbers, so that nobody says one aloud."""
    seen: list[Request] = []

    class Watched(UnderstudyModel):
        async def answer(self, request: Request) -> Completion:
            seen.append(request)
            return await super().answer(request)

    models = {role: Watched(clinic.understudies[role](), ears=READER) for role in ("counsellor", "keeper")}
    result = await play(talk(turns=20), models=models)
    noted = [
        request.prompt.facts for request in seen if isinstance(request.prompt, CounsellorReplies | KeeperRemembers)
    ]
    facts = result.transcript.of(Ended)[0].data["facts"]
    in_order = sorted(facts, key=lambda fact: fact["turn"])
    assert len(facts) >= 2 and {fact["turn"] for fact in facts} != {0}
    assert noted[-1] == tuple(Fact(**fact) for fact in in_order)
    for request in seen:
        assert not re.search(r"\(turn \d+\)", "\n".join(message.content for message in request.messages))
    assert not any("(turn" in line.text for line in result.transcript.said("counsellor"))
