"""What a person may type as keeper, guard and critic."""

from __future__ import annotations

import pytest

from polyclinic.clinics.counsel.prompts.counsellor import PlannerPlans
from polyclinic.clinics.counsel.prompts.keeper import KeeperRemembers
from polyclinic.clinics.counsel.prompts.reviewers import CriticJudges, GuardChecks
from polyclinic.clinics.counsel.rules.trained import GUARD_LABELS
from polyclinic.clinics.counsel.scenario import Lang
from polyclinic.clinics.counsel.state import STAGES, SUBJECTS, Fact
from polyclinic.core.reply import Unreadable


@pytest.mark.parametrize("typed", ["nothing", "None.", "no", "없음", "없어요."])
def test_a_keeper_who_says_no_keeps_nothing(typed: str) -> None:
    assert KeeperRemembers.from_human(typed).action == "keep"


@pytest.mark.parametrize("typed", ["the daughters may fight, keep that", "patient", "family:"])
def test_a_keeper_without_a_subject_is_asked_again(typed: str) -> None:
    with pytest.raises(Unreadable, match="SUBJECT: a few words"):
        KeeperRemembers.from_human(typed)


def test_a_keeper_is_asked_again_in_korean_after_korean_words() -> None:
    with pytest.raises(Unreadable, match="주제: 몇 마디"):
        KeeperRemembers.from_human("딸들이 걱정이래요")


def test_a_keepers_note_is_kept() -> None:
    noted = KeeperRemembers.from_human("Family: two daughters")
    assert (noted.action, noted.subject, noted.value) == ("add", "family", "two daughters")


@pytest.mark.parametrize("typed", ["no", "None", "no danger", "nothing.", "acceptance", "없음", "위험 없음"])
def test_a_guard_can_say_that_there_is_no_danger(typed: str) -> None:
    assert GuardChecks.from_human(typed).label == "acceptance"


def test_a_guard_sees_what_each_label_means_and_may_write_the_meaning() -> None:
    shown = GuardChecks(lang="en", summary="", recent=(), utterance="Hello").for_human
    assert "- harm others: may harm somebody else" in shown and "_" not in shown
    assert all(GuardChecks.from_human(label.replace("_", " ")).label == label for label in GUARD_LABELS)
    assert "위험 없음" in GuardChecks(lang="ko", summary="", recent=(), utterance="안녕하세요").for_human
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


@pytest.mark.parametrize(("lang", "head"), [("en", "They were asked"), ("ko", "들은 질문")])
def test_nobody_is_shown_a_question_that_was_not_asked(lang: Lang, head: str) -> None:
    for made in (_planner, _keeper):
        assert head not in made(lang, "").for_human
        assert f"{head}: “Shall we talk?”" in made(lang, "Shall we talk?").for_human


@pytest.mark.parametrize("lang", ["en", "ko"])
def test_stages_signals_and_subjects_are_shown_in_words_and_understood_so(lang: Lang) -> None:
    planned, kept = _planner(lang, "").for_human, _keeper(lang, "").for_human
    assert "_" not in planned + kept and "preferences.cpr" not in planned and "preferred name: Mia" in kept
    plan = PlannerPlans.from_human("preferences cpr: confused illness")
    assert (plan.to, plan.signal) == ("preferences.cpr", "confused_illness")
    for stage in STAGES:
        assert PlannerPlans.from_human(stage.replace("_", " ").replace(".", " ")).to == stage
    for subject in SUBJECTS:
        assert KeeperRemembers.from_human(f"{subject.replace('_', ' ')}: words").subject == subject
