"""What a person may type as keeper, guard and critic."""

from __future__ import annotations

import pytest

from polyclinic.clinics.counsel.prompts.keeper import KeeperRemembers
from polyclinic.clinics.counsel.prompts.reviewers import CriticJudges, GuardChecks
from polyclinic.clinics.counsel.rules.trained import GUARD_LABELS
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
    assert "- harm_others: may harm somebody else" in shown and all(label in shown for label in GUARD_LABELS)
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
