"""What a person may type as keeper, guard and critic."""

from __future__ import annotations

import json
from typing import Any

import pytest

from polyclinic.clinics.counsel.prompts.counsellor import PlannerPlans
from polyclinic.clinics.counsel.prompts.keeper import KeeperRemembers
from polyclinic.clinics.counsel.prompts.reviewers import CriticJudges, GuardChecks
from polyclinic.clinics.counsel.rules.messages import names_of
from polyclinic.clinics.counsel.rules.trained import GUARD_LABELS
from polyclinic.clinics.counsel.scenario import Lang
from polyclinic.clinics.counsel.state import STAGES, SUBJECTS, Fact
from polyclinic.core.model import Request
from polyclinic.core.prompt import Prompt
from polyclinic.core.reply import Unreadable
from polyclinic.models.human import read_typed


@pytest.mark.parametrize("typed", ["nothing", "None.", "no", "없음", "없어요."])
def test_a_keeper_who_says_no_keeps_nothing(typed: str) -> None:
    assert KeeperRemembers.from_human(typed).action == "keep"


@pytest.mark.parametrize("typed", ["the daughters may fight, keep that", "patient", "family:"])
def test_a_keeper_without_a_subject_is_asked_again(typed: str) -> None:
    with pytest.raises(Unreadable, match="SUBJECT: a few words"):
        KeeperRemembers(lang="en", facts=(), stage="opening", asked="", utterance="").full_answer(typed)


@pytest.mark.parametrize("typed", ["딸들이 걱정이래요", "what"])
def test_a_keeper_of_a_korean_talk_is_asked_again_in_korean(typed: str) -> None:
    with pytest.raises(Unreadable, match="주제: 몇 마디"):
        KeeperRemembers(lang="ko", facts=(), stage="opening", asked="", utterance="").full_answer(typed)


def test_a_keepers_note_is_kept() -> None:
    noted = KeeperRemembers.from_human("Family: two daughters")
    assert (noted.action, noted.subject, noted.value) == ("add", "family", "two daughters")


@pytest.mark.parametrize("typed", ["no", "None", "no danger", "nothing.", "acceptance", "없음", "위험 없음"])
def test_a_guard_can_say_that_there_is_no_danger(typed: str) -> None:
    assert GuardChecks.from_human(typed).label == "acceptance"


def test_a_guard_sees_what_each_label_means_and_may_write_the_meaning() -> None:
    shown = GuardChecks(lang="en", summary="", recent=(), utterance="Hello").for_human
    assert "3. may harm somebody else" in shown and "_" not in shown
    assert all(GuardChecks.from_human(label.replace("_", " ")).label == label for label in GUARD_LABELS)
    assert "돌려 말한 위험" in GuardChecks(lang="ko", summary="", recent=(), utterance="안녕하세요").for_human
    verdict = GuardChecks.from_human("wants to end their life: I will end it tonight")
    assert (verdict.label, verdict.words) == ("active", "I will end it tonight")
    with pytest.raises(ValueError, match="label"):
        GuardChecks.from_human("not sure")


@pytest.mark.parametrize("typed", ["no", "nothing", "Looks fine.", "looks fine to me", "none", "문제 없어요"])
def test_a_critic_can_say_that_nothing_is_wrong(typed: str) -> None:
    assert CriticJudges.from_human(typed).fault == "none"


def test_a_critic_who_finds_a_fault_is_not_taken_for_content() -> None:
    assert CriticJudges.from_human("choice: do not urge").fault == "choice"
    with pytest.raises(ValueError, match="fault"):
        CriticJudges.from_human("does not look fine")


def _planner(lang: Lang, asked: str) -> PlannerPlans:
    signals = ("consent", "confused_illness")
    return PlannerPlans(
        lang=lang, stage=STAGES[1], allowed=STAGES, signals=signals, asked=asked, utterance="Yes.", feedback=""
    )


def _keeper(lang: Lang, asked: str) -> KeeperRemembers:
    facts = (Fact(subject="preferred_name", value="Mia", turn=1),)
    return KeeperRemembers(lang=lang, facts=facts, stage=STAGES[0], asked=asked, utterance="Yes.")


@pytest.mark.parametrize("lang", ["en", "ko"])
def test_nobody_is_shown_again_what_was_said_aloud(lang: Lang) -> None:
    guard = GuardChecks(lang=lang, summary="", recent=(), utterance="Yes.")
    critic = CriticJudges(lang=lang, sources=(), asked="Shall we talk?", utterance="Yes.", draft="Thank you.")
    for prompt in (_planner(lang, "Shall we talk?"), _keeper(lang, "Shall we talk?"), guard, critic):
        assert (
            "Shall we talk?" not in prompt.for_human and "Yes." not in prompt.for_human and "“”" not in prompt.for_human
        )
    assert "“Thank you.”" in critic.for_human


def _typed(prompt: Prompt[Any], typed: str) -> dict[str, Any]:
    """What a person's line becomes, with the choices of this one prompt."""
    request = Request(role="anyone", prompt=prompt, messages=())
    read: dict[str, Any] = json.loads(read_typed(request, typed).text)
    return read


@pytest.mark.parametrize("lang", ["en", "ko"])
def test_stages_signals_and_subjects_are_shown_in_words_and_understood_so(lang: Lang) -> None:
    planner, keeper = _planner(lang, ""), _keeper(lang, "")
    name = names_of("subjects", lang)["preferred_name"]
    assert "_" not in planner.for_human + keeper.for_human and f"{name}: Mia" in keeper.for_human
    signal = names_of("signals", lang)["confused_illness"]
    for stage in STAGES:
        for shown in (names_of("stages", lang)[stage], stage.replace("_", " ").replace(".", " ")):
            plan = _typed(planner, f"{shown}: {signal}: Yes.")
            assert (plan["to"], plan["signal"], plan["words"]) == (stage, "confused_illness", "Yes.")
    for subject in SUBJECTS:
        for shown in (names_of("subjects", lang)[subject], subject.replace("_", " ")):
            assert _typed(keeper, f"{shown}: words")["subject"] == subject


@pytest.mark.parametrize(("lang", "head"), [("en", "is not one of these: "), ("ko", "고를 수 있는 것: ")])
def test_a_refused_choice_is_answered_with_the_words_that_are_shown(lang: Lang, head: str) -> None:
    guard = GuardChecks(lang=lang, summary="", recent=(), utterance="Yes.")
    critic = CriticJudges(lang=lang, sources=(), asked="", utterance="Yes.", draft="Thank you.")
    for prompt in (_planner(lang, ""), guard, critic):
        with pytest.raises(Unreadable, match=head) as refused:
            _typed(prompt, "foo")
        assert "_" not in str(refused.value) and "'foo'" in str(refused.value).replace("‘", "'").replace("’", "'")


def test_a_guard_and_a_critic_may_write_a_number() -> None:
    assert (
        GuardChecks.from_human("5: the ring").label == "implicit"
        and CriticJudges.from_human("2: ask").fault == "choice"
    )
