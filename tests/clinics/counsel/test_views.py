"""A judge of a conversation is shown the words and the facts of the same turns."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from polyclinic.clinics.counsel.judges.view import Talked, reference, view
from polyclinic.clinics.counsel.rules.messages import names_of
from polyclinic.clinics.counsel.scenario import Lang, Talk
from polyclinic.clinics.counsel.state import STAGES
from polyclinic.core.judge import Case
from polyclinic.core.scenario import Variant


async def test_the_facts_shown_to_a_judge_match_the_words_shown(talk: Callable[..., Talk], play: Any) -> None:
    scenario = talk()
    result = await play(scenario)
    shown = view(Case(scenario, Variant(name="full", about="all"), result.transcript))
    facts = shown.facts
    assert isinstance(facts, Talked) and facts.lang == scenario.lang
    lines = shown.text.splitlines()
    assert [said.line for said in facts.said] == [
        line for line in lines if not line.startswith(("[turn ", "  sources"))
    ]
    staged = [said for said in facts.said if said.stage]
    assert staged and {said.stage for said in staged} <= set(STAGES)
    stages = names_of("stages", facts.lang)
    assert all(f"[turn {said.turn}, stage: {stages[said.stage]}]" in lines for said in staged)
    sourced = [said for said in facts.said if said.sources]
    assert sourced and sum(line.startswith("  sources: ") for line in lines) == len(sourced)


@pytest.mark.parametrize("lang", ["en", "ko"])
def test_the_reference_conversation_has_turns_stages_and_sources(lang: Lang) -> None:
    shown = reference(lang)
    assert isinstance(shown.facts, Talked)
    assert [said.speaker for said in shown.facts.said] == ["patient", "counsellor"] * 4
    assert shown.text.startswith(f"[turn 1, stage: {names_of('stages', lang)['opening']}]\npatient: ")
    assert "\n  sources: " in shown.text and shown.text.endswith("\n")
