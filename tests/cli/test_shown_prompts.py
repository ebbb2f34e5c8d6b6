"""`polyclinic prompts show CLINIC PROMPT`, without any option, finds an episode that asks the prompt."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import pytest

from polyclinic.cli.prompts import PromptPlace, places, scenes_in
from polyclinic.runner.audition.scenes import AuditionScene
from polyclinic.runner.registry import clinic_modules, load_clinic

from .conftest import Run, as_json


def asks(prompt: str, scenes: Sequence[AuditionScene]) -> bool:
    return any(scene.prompt == prompt for scene in scenes)


@pytest.mark.parametrize("name", sorted(clinic_modules()))
async def test_every_prompt_of_a_clinic_can_be_shown_by_the_plain_command(name: str) -> None:
    clinic = load_clinic(name)
    asked: dict[PromptPlace, set[str]] = {}
    for prompt in (known.prompt_name() for known in clinic.prompts):
        for place in places(clinic, prompt, "", ""):
            if place not in asked:
                scenes = await scenes_in(clinic, place, 0, partial(asks, prompt))
                asked[place] = {scene.prompt for scene in scenes}
            if prompt in asked[place]:
                break
        else:
            pytest.fail(f"no episode asks {prompt}: name one in asked_in")


def test_the_place_that_the_clinic_names_comes_first_unless_the_user_names_one() -> None:
    clinic = load_clinic("frontdesk")
    assert places(clinic, "StaffChanges", "", "")[0] == PromptPlace("30", "tool")
    assert places(clinic, "StaffChanges", "", "reasoning")[0] == PromptPlace("30", "reasoning")
    assert {place.scenarios for place in places(clinic, "StaffChanges", "7", "tool")} == {"7", ""}


def test_the_shown_prompt_says_where_it_was_asked_and_has_the_callers_own_earlier_lines(polyclinic: Run) -> None:
    shown = polyclinic("prompts", "show", "demo", "CallerReacts", "--which", "2")
    assert "CallerReacts to caller (scenario call-01, variant" in shown.stdout
    told = as_json(polyclinic("prompts", "show", "demo", "CallerReacts", "--which", "2", "--json"))
    assert told["scenario"] == "call-01"
    said = [message["content"] for message in told["messages"] if message["role"] == "assistant"]
    assert said[0].startswith("Hello, Ada here.")
    assert [message["role"] for message in told["messages"]] == ["system", *["user", "assistant"] * 2, "user"]
    assert '"understood":false' in said[1]


@pytest.mark.parametrize(
    ("clinic", "prompt", "role"), [("demo", "JudgesRubric", "judge"), ("patient", "ReadsText", "reader")]
)
def test_what_judges_and_the_reader_get_can_be_shown_too(polyclinic: Run, clinic: str, prompt: str, role: str) -> None:
    assert polyclinic("prompts", "show", clinic, prompt).stdout.startswith(f"{prompt} to {role} (scenario ")


@pytest.mark.parametrize(
    ("clinic", "prompt", "id"),
    [
        ("demo", "CallerAsks", "call-02"),
        ("frontdesk", "PatientIntake", "primary-0-00001-visit"),
        ("patient", "Complains", "acg-01"),
        ("counsel", "GuardChecks", "us-georgia-choir-en"),
        ("duty", "ActTurn", "t1-02-warfarin"),
        ("rounds", "PatientOpens", "infe-03"),
    ],
)
def test_a_scenario_is_chosen_by_the_id_that_the_command_itself_prints(
    polyclinic: Run, clinic: str, prompt: str, id: str
) -> None:
    shown = polyclinic("prompts", "show", clinic, prompt, "--scenario", id)
    assert f"(scenario {id}, variant" in shown.stdout.splitlines()[0], shown.stderr


def test_an_unknown_id_is_refused_with_the_nearest_ones(polyclinic: Run) -> None:
    refused = polyclinic("prompts", "show", "demo", "CallerAsks", "--scenario", "call-99")
    assert (refused.returncode, "'call-99' is not a scenario of demo: did you mean call-" in refused.stderr) == (
        2,
        True,
    )
