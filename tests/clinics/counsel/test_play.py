"""A person takes a role in the terminal: the patient's, or the counsellor's."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from polyclinic.cli.play import command


def played(tmp_path: Path, role: str, *lines: str) -> str:
    words = ["counsel", "--role", role, "--scenarios", "elsewhere:1", "--store", str(tmp_path / "play.db")]
    done = CliRunner().invoke(command, words, input="\n".join(lines) + "\n", standalone_mode=False)
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    return " ".join(done.output.split())


def test_a_person_as_patient_is_answered_and_danger_is_handed_over(tmp_path: Path) -> None:
    shown = played(tmp_path, "patient", "Hello", "I am going to kill myself tonight")
    assert "988" in shown and "— handed over to a person —" in shown
    assert "the guard reacted to “kill myself”" in shown and "false_alarm" not in shown
    assert "“patient” is played is not measured" in shown and "Good: you said" not in shown


def test_a_person_as_counsellor_sees_what_the_critic_refuses(tmp_path: Path) -> None:
    shown = played(tmp_path, "counsellor", "You must sign the paper today.", "Would you like to talk?", "/quit")
    assert "sign the paper" in shown and "leave the choice to the person" in shown


def test_a_person_as_counsellor_who_says_nothing_is_not_praised(tmp_path: Path) -> None:
    empty = played(tmp_path, "counsellor", *["네", "1", "2", "I see."] * 12)
    assert "conversation: 2.14 of 10" in empty and "Good:" not in empty
    asks = "That sounds hard to carry. What weighs on you most just now?"
    full = played(tmp_path, "counsellor", *[asks] * 20)
    assert f"Good: you said “{asks}”" in full
    assert float(full.partition("conversation: ")[2].split(" of ")[0]) > 6


def test_an_offer_to_call_the_family_is_not_sent_back_by_the_offline_critic(tmp_path: Path) -> None:
    offer = "Shall I call your daughters?"
    shown = played(tmp_path, "counsellor", "I am glad that you came.", offer, "/quit")
    assert "sent your draft back" not in shown and "leave the choice to the person" not in shown
    pressed = played(tmp_path, "counsellor", "I am glad that you came.", f"{offer} You must sign today.", "/quit")
    assert "leave the choice to the person" in pressed


def test_a_person_who_only_thanks_or_greets_is_not_corrected(tmp_path: Path) -> None:
    shown = played(tmp_path, "counsellor", "Thank you for telling me.", "Goodbye", "/quit")
    assert "sent your draft back" not in shown


def test_a_person_as_patient_does_not_get_the_same_answer_again_and_again(tmp_path: Path) -> None:
    shown = played(tmp_path, "patient", "Hello", "Yes, let us talk.", "I like my garden.", "And my cat.", "/quit")
    told = [part for part in shown.split("counsellor: ") if "How do you understand your illness" in part]
    assert len(told) == 1 and "So you like your garden." in shown


def test_a_single_letter_is_no_wish_to_die(tmp_path: Path) -> None:
    shown = played(tmp_path, "patient", "Hello", "B", "n", "/quit")
    assert shown.count("counsellor: ") == 3 and "ending your life" not in shown


def test_a_person_who_answered_the_question_about_dying_is_not_asked_it_again_at_once(tmp_path: Path) -> None:
    worn = "I am just so worn out. I wish I could fall asleep and not wake up."
    shown = played(tmp_path, "patient", "Hello", worn, worn, "/quit")
    assert shown.count("counsellor: ") == 3 and shown.count("thoughts of ending your life") == 1


def test_a_planner_who_is_asked_again_is_told_why(tmp_path: Path) -> None:
    lines = ["opening", "disease_awareness", *["disease_awareness: understanding"] * 8, "/quit"]
    store = tmp_path / "play.db"
    words = ["counsel", "--role", "planner", "--scenarios", "elsewhere:1", "--store", str(store)]
    cast = ["--cast", "counsellor=understudy:mistake=r2,all=understudy"]
    done = CliRunner().invoke(command, [*words, *cast], input="\n".join(lines) + "\n", standalone_mode=False)
    shown = " ".join(done.output.split())
    assert "The critic sent the counsellor's draft back, so plan again." in shown, shown


def test_a_counsellor_who_stands_still_is_told_which_stages_are_missing(tmp_path: Path) -> None:
    shown = played(tmp_path, "counsellor", *["Thank you for telling me."] * 60)
    assert "stages were not reached. The first of them: " in shown and "Next step: " in shown
    assert shown.count("be careful with words like") <= 1, "one slip is told once"
    assert "Drafts that the critic refused" not in shown and "try a harder talk" not in shown


def test_a_greeting_gets_a_greeting_and_no_source(tmp_path: Path) -> None:
    shown = played(tmp_path, "patient", "Hello, I am here to listen. How are you today?", "/quit")
    asked = "I would like to talk with you about your illness and about what you want from your care"
    assert f"counsellor: Hello. I am glad that you are here. {asked}" in shown


@pytest.mark.parametrize(
    ("role", "typed"), [("planner", "opening"), ("keeper", "nothing"), ("guard", "no"), ("critic", "no")]
)
def test_what_was_said_aloud_is_shown_once(role: str, typed: str, tmp_path: Path) -> None:
    shown = played(tmp_path, role, typed, "/quit")
    assert shown.count("They said that I could talk with somebody here.") == 1
    assert shown.count("Would that be all right?") == 1, "also a draft that is then said"


def test_a_judge_sees_no_headings_without_words(tmp_path: Path) -> None:
    shown = played(tmp_path, "judge", "/quit")
    assert "[turn" not in shown and "sources:" not in shown and "in this order: …" in shown


def test_a_korean_talk_has_korean_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LC_ALL", "ko_KR.UTF-8")
    words = ["counsel", "--role", "planner", "--store", str(tmp_path / "play.db")]
    done = CliRunner().invoke(command, words, input="시작\n/quit\n", standalone_mode=False)
    assert "환자 → 상담자: " in done.output and "계획자> " in done.output
    assert "단계: 시작, 병에 대한 이해. 신호: 동의, 없음." in done.output.replace("\n", " ")


def test_the_commonest_question_is_answered_and_not_asked_back(tmp_path: Path) -> None:
    shown = played(tmp_path, "patient", "Hello", "How long have I got?", "Goodbye. /bye")
    assert "Survival numbers describe groups, not one person" in shown and "ending your life" not in shown
    assert "— left —" in shown


def test_a_person_as_patient_may_leave_without_a_word_and_a_mistyped_command_is_refused(tmp_path: Path) -> None:
    shown = played(tmp_path, "patient", "Hello", "/buy", "/bye")
    assert "'/buy' is no command here" in shown and "— left —" in shown
