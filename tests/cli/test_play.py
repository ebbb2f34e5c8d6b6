"""What a person who plays sees: only what is meant for a person, checked choices, fair feedback, their own figures."""

from __future__ import annotations

import csv
import io
import os
import re
import shlex
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from polyclinic.cli.screen import inline, saved_picture
from polyclinic.clinics.patient.scenario import PatientScenario, scenarios
from polyclinic.core.message import Image
from polyclinic.runner.registry import clinic_modules, load_clinic
from polyclinic.text.layout import blocks, listed
from tests.cli.conftest import Run, as_json

INSTRUCTIONS = ("JSON", "Answer in at most", "Use at most", '{"', "Write only", "\x1b", "in the tags", "이내로")
LEAFLET = "/use leaflet Amberol\n"


@pytest.mark.parametrize("name", sorted(clinic_modules()))
def test_every_prompt_says_in_plain_words_what_a_person_is_asked(name: str) -> None:
    lacking = [prompt.__name__ for prompt in load_clinic(name).prompts if not hasattr(prompt, "for_human")]
    assert not lacking


@pytest.mark.parametrize(
    ("clinic", "role"),
    [
        ("counsel", "patient"),
        ("counsel", "patient --scenarios 1"),
        ("counsel", "counsellor --scenarios risk:1"),
        ("counsel", "counsellor"),
        ("counsel", "critic"),
        ("demo", "nurse"),
        ("demo", "caller"),
        ("duty", "trainee"),
        ("duty", "nurse"),
        ("duty", "admin"),
        ("duty", "patient"),
        ("frontdesk", "staff"),
        ("frontdesk", "patient"),
        ("patient", "doctor"),
        ("patient", "patient"),
        ("rounds", "student"),
        ("rounds", "tutor"),
        ("rounds", "patient"),
    ],
)
def test_a_person_sees_their_own_language_and_no_instructions_for_models(
    polyclinic: Run, clinic: str, role: str
) -> None:
    done = polyclinic("play", clinic, "--role", *role.split(), stdin="", LC_ALL="en_GB.UTF-8")
    assert done.returncode == 0, done.stderr
    told = done.stdout
    assert told.strip().endswith(">") and len(told) > 60, "asked something"
    assert not [words for words in INSTRUCTIONS if words in told], told
    assert not re.search("[가-힣]", told)
    assert max(map(len, told.splitlines())) <= 100, "lines wrap between words"


def test_how_to_leave_is_said_once_at_the_start_and_the_doctors_command_stays(polyclinic: Run) -> None:
    done = polyclinic("play", "patient", "--role", "doctor", stdin="How are you?\nAny fever?\n", LC_ALL="C.UTF-8")
    told = " ".join(done.stdout.split())
    assert told.count("/quit stops") == 1
    assert told.count("Type /conclude when you know enough.") == 3, "every time, so that nobody looks for it"


def test_a_patient_at_the_desk_is_told_what_they_kept_back_by_the_names_on_their_card(polyclinic: Run) -> None:
    typed = (
        "My foot is cold.\nI was told it is peripheral arterial disease.\nfemale\nNo.\nNo.\nThe earliest time.\nYes.\n"
    )
    done = polyclinic("play", "frontdesk", "--role", "patient", stdin=typed, LC_ALL="C.UTF-8", COLUMNS="100")
    told = " ".join(done.stdout.partition("In short")[2].split())
    assert "the staff asked, but never heard what stands on your card: name, phone, personal number, address." in told
    assert told.count("personal number, address") == 1 and "identifier" not in told.partition("What you said")[0]


def test_a_korean_terminal_gets_a_conversation_in_korean(polyclinic: Run) -> None:
    for chosen in ([], ["--scenarios", "quiet:2"]):
        done = polyclinic("play", "counsel", "--role", "patient", *chosen, stdin="", LC_ALL="ko_KR.UTF-8")
        assert "당신은" in done.stdout and "먼저 말을 꺼내 보세요" in done.stdout


@pytest.mark.parametrize(
    ("words", "typed", "korean"),
    [
        (("counsel", "--role", "patient"), "/qiut\nquit\n", ("명령이 아닙니다", "/quit을 뜻하셨나요?", "나갔습니다.")),
        (
            ("patient", "--role", "doctor"),
            "When did this start?\n",
            ("의사 역할입니다.", "— 1회차 —", "대화는 저장되었습니다"),
        ),
        (
            ("patient", "--role", "doctor"),
            "Hello?\n/conclude\ngout: a toe\n",
            ("— 결론을 냄 —", "시간: 0분", "다시 읽으려면:"),
        ),
        (("rounds", "--role", "student"), "what\n", ("아무도 보지 않습니다", "학생-1> (어느 것을", "나갔습니다.")),
        (("duty", "--role", "nurse"), "", ("간호사 역할입니다.", "계획에 대한 의견을 말하세요.")),
        (("duty", "--role", "doctor"), "", ("다룰 일: 환자의 약 점검.", "- 아직 아무도 모르는 것:")),
        (("demo", "--role", "nurse"), "what\n", ("설명서 찾기: /use leaflet", "‘알 x 횟수: 말’로 쓰세요")),
        (("frontdesk", "--role", "staff"), "", ("환자에게 할 말을 적으세요.", "미룰 수 없는 일: emergency help now")),
        (
            ("frontdesk", "--role", "patient"),
            "Hello\n" * 12,
            ("— 예약하지 못했습니다 —", "말하지 않은 것: 이름", "외 "),
        ),
        (
            ("frontdesk", "--role", "staff"),
            "Name, phone, number, address?\n" + "A | female | 1 | 2 | 3 | nephrology\n" * 6,
            ("다음 가운데 하나를 쓰세요:", "- get_all_time: 진료과의 가장 빠른 시간"),
        ),
        (("rounds", "--role", "supervisor"), "", ("튜터가 하려는 말: “", "괜찮으면 ok, 아니면")),
        (("rounds", "--role", "student"), "B\nI see gas.\nI think so.\n", ("무엇을 묻겠습니까?", "질문이 아닙니다.")),
        (("demo", "--role", "judge"), "good\n9\n", ("전화 예절", "친절(1~5점):", "답: …", "(친절: 다음")),
        (
            ("duty", "--role", "judge"),
            "what\n",
            ("알려진 의사의 모습:", "요점을 말함: 꽤", "하나를 쓰세요: the same person,"),
        ),
        (("duty", "--role", "admin"), "Hello.\nHello.\n", ("동료들이 어겼습니다: 의사", "한계를 사실대로 말하기.")),
        (
            ("patient", "--role", "triage"),
            "what\n",
            ("환자 분류 의사 역할입니다.", "하나를 쓰세요: Internal Medicine,"),
        ),
    ],
)
def test_a_korean_terminal_gets_our_own_sentences_in_korean(
    polyclinic: Run, words: tuple[str, ...], typed: str, korean: tuple[str, ...]
) -> None:
    done = polyclinic("play", *words, stdin=typed, LC_ALL="ko_KR.UTF-8")
    shown = " ".join(f"{done.stdout} {done.stderr}".split())
    assert not [text for text in korean if text not in shown], shown
    assert not re.search(r"You left|You are the|Saved as|Read it again|— round|What do you ask|more$|Write ", shown)


def test_a_person_who_uses_a_tool_sees_its_result(polyclinic: Run) -> None:
    typed = LEAFLET + "1 x 2: take one tablet 2 times a day\n1 x 2: one with breakfast, one with supper\n"
    done = polyclinic("play", "demo", "--role", "nurse", "--variant", "tool", stdin=typed)
    assert re.search(r"leaflet → .*tablets: 1.*times a day: 2", done.stdout), done.stdout
    desk = ["Name, phone, number, address?", *["A | female | 1 | 2 | 3 | nephrology", "and?"] * 3]
    staff = polyclinic("play", "frontdesk", "--role", "staff", stdin="\n".join([*desk[:-1], *["get_all_time"] * 2, ""]))
    assert re.search(r"get_all_time → .*physician: Dr\. .*date: 20\d\d", staff.stdout), staff.stdout


def test_a_clerk_who_asks_again_sees_the_answer_and_the_searches_again(polyclinic: Run) -> None:
    particulars = "Hong Yang-ja | female | +821012932285 | 550316-2245883"
    record = f"{particulars} | 50, Hangang-daero, Anyang-si, Gyeonggi-do 17285 | cardiology"
    opening = "May I have your name, sex, phone, personal number and address?\nHas a doctor given you a diagnosis?\n"
    asking = "Which day suits you?\n" * 2
    done = polyclinic("play", "frontdesk", "--role", "staff", stdin=f"{opening}{record}\n{asking}/quit\n")
    *_, once, twice, _ = done.stdout.split("staff> ")
    for asked in (once, twice):
        assert "The patient says: " in asked and "- get_all_time: " in asked


def test_a_clerk_just_speaks_and_writes_the_record_when_enough_is_known(polyclinic: Run) -> None:
    typed = "pass\nWhat is your name?\nWhat is your phone number?\n/quit\n"
    done = polyclinic("play", "frontdesk", "--role", "staff", stdin=typed)
    assert "'pass' is no answer" in done.stdout and "write the record" in done.stdout
    again = polyclinic("play", "--resume", as_json(polyclinic("runs", "--json"))[0]["run"], stdin="/quit\n").stdout
    assert re.findall(r"staff \(you\): (What.*)", again) == ["What is your name?", "What is your phone number?"]


WRITTEN = (
    "Hong Yang-ja | female | +821012932285 | 550316-2245883 | 50, Hangang-daero, Anyang-si, Gyeonggi-do 17285"
    " | cardiology\n"
)


@pytest.mark.parametrize(
    ("question", "asked"),
    [
        ("Has any doctor already told you what it is?", True),
        ("Did your GP say anything about it?", True),
        ("Is there a diagnosis?", True),
        ("How long have you had that?", False),
    ],
)
def test_a_clerk_asks_for_a_diagnosis_in_any_words(polyclinic: Run, question: str, asked: bool) -> None:
    typed = f"What is your full name please?\n{question}\n{WRITTEN}/quit\n"
    done = polyclinic("play", "frontdesk", "--role", "staff", "--scenarios", "walk-in", stdin=typed)
    assert ("Nobody has asked yet whether a doctor" in done.stdout) is not asked, done.stdout
    assert ("get_all_time" in done.stdout) is asked


def test_nothing_is_shown_twice_and_the_round_is_named(polyclinic: Run) -> None:
    typed = "C\nThe drums are dull.\npass\nFluid behind them.\npass\n"
    done = polyclinic("play", "rounds", "--role", "student", "--scenarios", "ent-04", stdin=typed)
    assert done.stdout.count("What should be offered?") == 1
    assert done.stdout.count("You sit in as") == 1
    assert "— round 1 —" in done.stdout and "— round 2 —" in done.stdout
    assert re.search(r"Picture: .*\.polyclinic/pictures/\w+\.png", done.stdout)


def test_a_choice_is_checked_at_once_and_pass_is_no_answer(polyclinic: Run) -> None:
    typed = "I think this is angina\npass\nthe tubes, tympanostomy\npass\n"
    done = polyclinic("play", "rounds", "--role", "student", "--scenarios", "ent-04", stdin=typed)
    assert "that does not clearly choose one option: write A or B or C or D" in done.stdout
    assert done.stdout.count("'pass' is no answer") == 2
    assert "Report to the tutor" in done.stdout, "the option's own words were taken"


def test_pass_is_no_answer_where_words_are_asked_for(polyclinic: Run) -> None:
    done = polyclinic("play", "counsel", "--role", "patient", stdin="pass\nHello. I cannot sleep.\n/quit\n")
    assert done.stdout.count("'pass' is no answer: please say it in your own words") == 1
    assert "counsellor: " in done.stdout, "the words after it were taken"


@pytest.mark.parametrize(
    ("clinic", "role", "wrong", "said", "then"),
    [
        ("rounds", "supervisor", "pass", "'pass' is no answer", "ok"),
        ("rounds", "specialist", "패스", "'패스' is no answer", "ok"),
        ("rounds", "supervisor", "no", "please write what is wrong with it, or ok", "It promises a cure."),
        ("counsel", "counsellor", "패스", "'패스' is no answer", "How are you today?"),
    ],
)
def test_pass_and_a_bare_no_are_asked_again_in_every_form(
    polyclinic: Run, clinic: str, role: str, wrong: str, said: str, then: str
) -> None:
    done = polyclinic("play", clinic, "--role", role, stdin=f"{wrong}\n{then}\n/quit\n").stdout
    assert done.count(f"({said}") == 1, done
    assert "critic sent your draft back: “패스”" not in done
    held_back = "Understood: the students do not hear it"
    assert (held_back in " ".join(done.split())) is (then == "It promises a cure.")


def test_pass_is_no_question_to_a_caller_who_waits_for_an_appointment(polyclinic: Run) -> None:
    asked = "May I have your name, sex, phone, personal number and address?\nHas a doctor given you a diagnosis?\n"
    done = polyclinic("play", "frontdesk", "--role", "staff", stdin=f"{asked}{WRITTEN}pass\n/quit\n")
    assert done.stdout.count("'pass' is no answer") == 1


def test_what_was_heard_is_not_shown_again_with_a_question(polyclinic: Run) -> None:
    done = polyclinic("play", "demo", "--role", "judge", stdin="/quit\n")
    told = " ".join(done.stdout.split())
    assert told.count("How do I take Amberol?") == 1 and "How courteously does the nurse treat the caller?" in told


@pytest.mark.parametrize(
    ("clinic", "role", "line", "about"),
    [
        ("counsel", "critic", "no", ("Is anything wrong?", "The counsellor's draft: “")),
        ("patient", "scribe", "She has pain.", ("Sum up what was said",)),
        ("patient", "doctor", "Do you smoke?", ("Ask one question at a time",)),
        ("rounds", "tutor", "What do you see?", ("Say one thing to the whole group.",)),
    ],
)
def test_every_prompt_says_in_a_line_what_is_asked_now(
    clinic: str, role: str, line: str, about: tuple[str, ...], polyclinic: Run
) -> None:
    done = polyclinic("play", clinic, "--role", role, stdin=f"{line}\n" * 6 + "/quit\n")
    *asked, _ = done.stdout.split(f"{role}> ")
    assert len(asked) > 1 and not [each for each in asked if not all(words in each for words in about)]
    assert max(len(line) for each in asked for line in each.splitlines()) <= 100


@pytest.mark.parametrize(
    ("clinic", "answers", "title", "asked"),
    [
        ("rounds", "", "Effectiveness of the teaching strategy", "How well does the tutor teach by asking"),
        ("duty", "partly\n" * 2, "Does the role keep to its part?", "How well does the role fulfil its duties"),
    ],
)
def test_a_judge_gets_the_conversation_once(clinic: str, answers: str, title: str, asked: str, polyclinic: Run) -> None:
    done = polyclinic("play", clinic, "--role", "judge", stdin=f"{answers}/quit\n")
    heard, _, question = done.stdout.partition(title)
    line = re.compile(r"^(?:\[\d+\] )?(?:patient|tutor|trainee)(?: to \w+)?: ", re.MULTILINE)
    assert len(line.findall(heard)) > 3 and asked in question and line.findall(question) == []


def test_a_session_that_is_continued_shows_both_sides_of_what_was_said(polyclinic: Run) -> None:
    asked = "Does the pain go anywhere?"
    polyclinic("play", "patient", "--role", "doctor", "--scenarios", "ami-01", stdin=f"{asked}\n/quit\n")
    run = as_json(polyclinic("runs", "--json"))[0]["run"]
    again = polyclinic("play", "--resume", run, stdin="Do you smoke?\n/quit\n").stdout
    assert again.count(f"doctor (you): {asked}") == 1 and "left arm" in again
    assert "doctor (you): Do you smoke?" not in again, "what was just typed stands on the screen"


def test_only_offered_choices_are_accepted_in_upper_or_lower_case(polyclinic: Run) -> None:
    done = polyclinic("play", "patient", "--role", "triage", stdin="Astrology\ninternal medicine\n", LC_ALL="C.UTF-8")
    assert "'Astrology' is not one of these: " in " ".join(done.stdout.split())
    assert "Internal Medicine" in done.stdout and "'internal medicine' is none" not in done.stdout


def test_a_person_can_give_all_scores_in_one_line(polyclinic: Run) -> None:
    done = polyclinic("play", "demo", "--role", "judge", "--variant", "plain", stdin="courtesy=9\ncourtesy=4\n" * 3)
    assert done.returncode == 0, done.stderr
    assert "(1 to 5): How courteously" in " ".join(done.stdout.split()) and "Answer: …" in done.stdout
    assert "JSON" not in done.stdout
    episode = as_json(polyclinic("show", "last", "--json"))[0]["episode"]
    assert "courtesy = 4" in polyclinic("show", "last", episode).stdout


def test_feedback_comes_first_with_few_figures_and_only_the_persons_own(polyclinic: Run, tmp_path: Path) -> None:
    typed = "C\n" + "The drums are dull with fluid behind them.\npass\n" * 5 + "C: tubes drain the fluid\n"
    done = polyclinic("play", "rounds", "--role", "student", "--scenarios", "ent-04", "--who", "Kim", stdin=typed)
    assert done.returncode == 0, done.stdout + done.stderr
    told = done.stdout
    assert told.index("In short") < told.index("Good: your answer “C: ") < told.index("your last answer was right: yes")
    assert "reward" not in told and "is_1" not in told, "a student does not see the tutor's reward"
    rows = list(csv.DictReader(io.StringIO(polyclinic("grades").stdout)))
    assert (rows[0]["who"], rows[0]["role"], rows[0]["final_answer_right"]) == ("Kim", "student-1", "1.0")
    assert "reward" not in rows[0] and "ets" not in rows[0]
    for name, first in (("g.csv", b"who,"), ("g.jsonl", b"{"), ("g.parquet", b"PAR1")):
        assert polyclinic("grades", "-o", name).stdout == f"1 line in {name}\n"
        assert (tmp_path / name).read_bytes().startswith(first)


ONE_SCREEN_AND_A_HALF = 60


def test_a_choice_in_free_words_is_told_as_it_was_understood(polyclinic: Run) -> None:
    typed = "I would put in tubes\n" + "The drums are dull with fluid behind them.\npass\n" * 5 + "tubes again\n"
    done = polyclinic("play", "rounds", "--role", "student", "--scenarios", "ent-04", stdin=typed)
    told = " ".join(done.stdout.split())
    assert told.count("Understood as C: ") == 2, done.stdout
    assert told.count("You are asked again after the teaching.") == 1, "the last answer is not asked again"
    assert told.index("Understood as C: ") < told.index("— round 2 —")


def test_feedback_fits_a_screen_and_a_half_and_all_of_it_can_be_read_later(polyclinic: Run) -> None:
    typed = "Does the pain go anywhere?\n" * 10 + "Acid reflux\n" * 5
    done = polyclinic("play", "patient", "--role", "doctor", "--scenarios", "ami-01", stdin=typed)
    told = done.stdout[done.stdout.index("In short") :]
    assert "Next step: " in told and len(told.splitlines()) <= ONE_SCREEN_AND_A_HALF, told
    assert "I smoke twenty cigarettes a day." not in told, "the table of all facts is left out"
    line = told.splitlines()[-1]
    again = polyclinic(*shlex.split(line.removeprefix("All of the feedback: polyclinic ")))
    assert again.returncode == 0 and "I smoke twenty cigarettes a day." in again.stdout, again.stderr


def test_a_shift_ends_with_short_feedback_on_the_persons_own_words(polyclinic: Run) -> None:
    typed = "Good morning. Which tablets do you take, and what worries you?\n" * 6
    done = polyclinic("play", "duty", "--role", "trainee", stdin=typed)
    assert done.returncode == 0, done.stderr
    after = done.stdout[done.stdout.index("In short") :]
    assert len([line for line in after.splitlines() if re.match(r"  [a-z_ ]+: [\d.]+", line)]) <= 8
    assert "how many rules you broke: " in after


def test_a_role_that_is_not_in_the_scenario_is_an_error(polyclinic: Run) -> None:
    done = polyclinic("play", "duty", "--role", "nurse", "--scenarios", "one:t1-10-apixaban")
    assert (done.returncode, "nurse has no part in this scenario" in done.stderr) == (2, True)


@pytest.mark.parametrize(
    ("clinic", "role", "instead"),
    [
        ("patient", "attention", "doctor, triage"),
        ("rounds", "author", "tutor"),
        ("demo", "reader", "nurse, caller"),
        ("counsel", "desk", "guard, planner"),
    ],
)
def test_a_role_without_a_part_is_refused_before_anything_runs(
    polyclinic: Run, tmp_path: Path, clinic: str, role: str, instead: str
) -> None:
    done = polyclinic("play", clinic, "--role", role)
    assert done.returncode == 2 and f"You can play: {instead}" in done.stderr
    assert not list(tmp_path.iterdir()), "nothing was run"


def test_a_role_of_live_sessions_is_refused_in_every_scenario(polyclinic: Run) -> None:
    done = polyclinic("play", "counsel", "--role", "desk", "--scenarios", "1")
    assert done.returncode == 2 and "it is asked with polyclinic serve counsel" in done.stderr


def test_a_reflector_names_traits_by_number_and_an_answer_refused_is_asked_again_first(polyclinic: Run) -> None:
    typed = "well\n8: rather strongly; 3: hardly\n"
    done = polyclinic("play", "duty", "--role", "reflector", "--variant", "full", "--seed", "5", stdin=typed)
    told = " ".join(done.stdout.split())
    assert "What the doctor said: (the talk above)" in told, "what was heard is not printed again"
    refused, again = told.index("reflector> (write NUMBER: WORDS"), told.index("Write one line of advice")
    assert refused < again and "please fill this in" not in told


def test_pictures_become_files_that_any_viewer_opens(polyclinic: Run) -> None:
    image = Image.from_bytes(b"\x89PNG", caption="a dot")
    assert saved_picture(image).read_bytes() == b"\x89PNG"
    assert inline(image, io.StringIO()) == "", "no codes in pipes"


def test_paragraphs_without_words_are_left_out() -> None:
    assert blocks("a", "", " ", listed("b:", ["c", "1. d"]), listed("e:", [])) == "a\n\nb:\n- c\n1. d"


def test_an_unknown_clinic_and_a_missing_role_get_different_messages(polyclinic: Run) -> None:
    missing = polyclinic("play", "nosuch")
    assert missing.returncode == 2 and "'nosuch' is not a clinic" in missing.stderr
    no_role = polyclinic("play", "demo")
    assert no_role.returncode == 2 and "caller, nurse" in no_role.stderr.replace("nurse, caller", "caller, nurse")


def test_the_printed_show_command_works_in_another_store(polyclinic: Run, tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/other.db"
    done = polyclinic("play", "demo", "--role", "caller", "--store", url, stdin="How?\nyes: thanks\n")
    command = re.search(r"^Read it again:\s+polyclinic (.+)$", done.stdout, re.MULTILINE)
    assert command, done.stdout
    shown = polyclinic(*shlex.split(command[1]))
    assert shown.returncode == 0, shown.stderr


def test_the_printed_report_command_works_in_another_store(polyclinic: Run, tmp_path: Path) -> None:
    done = polyclinic("run", "demo", "--scenarios", "1", "--store", f"sqlite:///{tmp_path}/other.db")
    line = next(line for line in done.stderr.splitlines() if "report: polyclinic " in line)
    told = polyclinic(*shlex.split(line.partition("report: polyclinic ")[2]))
    assert told.returncode == 0, told.stderr


def test_a_shift_ends_with_the_number_of_rules_that_each_person_broke(polyclinic: Run) -> None:
    typed = "He has chest pressure into the left arm and 98 over 60. Please come now.\nHe is on the monitor.\n"
    words = ("--scenarios", "one:t2-01-chest-pain", "--cast", "all=understudy,doctor=understudy:mistake=plays_down@1")
    done = polyclinic("play", "duty", "--role", "nurse", *words, stdin=typed)
    own = re.search(r"how many rules you broke: (\d+)", done.stdout)
    (told,) = re.findall("^— (.*) —$", done.stdout, re.MULTILINE)
    assert own is not None and told != "broken"
    theirs = re.search(r"(\d+) by the doctor", told)
    assert theirs is not None and int(theirs[1]) > 0, told
    begins = f"rules broken: {own[1]} by you" if int(own[1]) else "you broke no rule; your colleagues did:"
    assert told.startswith(begins)


def test_quit_without_a_slash_is_asked_about_and_can_still_be_an_answer(polyclinic: Run) -> None:
    asked = polyclinic("play", "demo", "--role", "nurse", "--variant", "plain", stdin="quit\n/quit\n")
    assert "Did you mean /quit?" in asked.stdout and "You left." in asked.stderr, asked.stderr
    assert "nurse: quit" not in asked.stdout
    meant = polyclinic("play", "counsel", "--role", "patient", stdin="Quit\nQuit\n/quit\n")
    assert meant.stdout.count("Did you mean /quit?") == 1 and "counsellor: " in meant.stdout


def test_the_time_of_a_session_counts_earlier_sittings(polyclinic: Run, tmp_path: Path) -> None:
    words = ("play", "patient", "--role", "doctor", "--scenarios", "ami-01", "--variant", "training", "--store", "s.db")
    polyclinic(*words, stdin="Does the pain go anywhere?\n/quit\n")
    with sqlite3.connect(tmp_path / "s.db") as store:
        store.execute("UPDATE calls SET latency_ms = 90000 WHERE model = 'human'")
    store.close()
    done = polyclinic("play", "--resume", "last", "--store", "s.db", stdin="/conclude\nAnterior STEMI\n")
    assert "Time: 1 min 3" in done.stdout, done.stdout
    graded = as_json(polyclinic("grades", "--store", "s.db", "--json"))
    assert [90 <= line["seconds"] < 100 for line in graded] == [True]


def test_a_student_who_answers_where_a_question_is_asked_for_is_told_where_the_answer_belongs(polyclinic: Run) -> None:
    reports = "pass\nFluid lies behind the drums.\n" * 8
    typed = f"C\nThe drums are dull.\nFluid lies behind them.\n{reports}C\nC\n"
    done = polyclinic("play", "rounds", "--role", "student", "--scenarios", "ent-04", stdin=typed)
    shown = " ".join(done.stdout.split())
    assert "what you think belongs in your next report" in shown
    assert re.search(r"— the round is over: (not )?every student came to the conclusion —", shown), shown


def test_a_person_is_told_when_a_case_is_not_in_their_language(polyclinic: Run) -> None:
    for role in ("nurse", "caller"):
        done = polyclinic("play", "demo", "--role", role, stdin="", LC_ALL="ko_KR.UTF-8")
        assert "이 사례는 영어입니다." in done.stderr, role
        assert "This case" not in polyclinic("play", "demo", "--role", role, stdin="", LC_ALL="C.UTF-8").stderr
    talk = ("play", "counsel", "--role", "patient")
    assert "사례는 영어" not in polyclinic(*talk, stdin="", LC_ALL="ko_KR.UTF-8").stderr
    chosen = polyclinic(*talk, "--scenarios", "korean", stdin="", LC_ALL="C.UTF-8").stderr
    assert chosen.startswith("This case is in Korean:")
    assert (
        "이 사례는 영어입니다." in polyclinic(*talk, "--scenarios", "quiet@en", stdin="", LC_ALL="ko_KR.UTF-8").stderr
    )


def test_the_language_of_a_case_is_that_of_its_own_words() -> None:
    def case(complaint: str) -> PatientScenario:
        made = scenarios("ami-01")[0]
        facts = [fact.model_copy(update={"text": complaint}) for fact in made.record.facts]
        return made.model_copy(update={"record": made.record.model_copy(update={"facts": facts})})

    assert case("Crushing pain in my chest.").language() == "en"
    assert case("가슴이 쥐어짜듯 아파요.").language() == "ko"


def test_play_says_what_the_others_have_learned(polyclinic: Run) -> None:
    doctor = ("play", "patient", "--role", "doctor")
    assert "nothing has been learned yet: evolved starts" in polyclinic(*doctor, stdin="", LC_ALL="C.UTF-8").stderr
    assert "아직 배운 것이 없습니다." in polyclinic(*doctor, stdin="", LC_ALL="ko_KR.UTF-8").stderr
    assert "learned" not in polyclinic(*doctor, "--variant", "cot", stdin="", LC_ALL="C.UTF-8").stderr
    assert polyclinic("evolve", "demo", "--cases", "1").returncode == 0
    taught = ("play", "demo", "--role", "caller", "--variant", "taught")
    assert "uses what was learned before: demo.phrases" in polyclinic(*taught, stdin="", LC_ALL="C.UTF-8").stderr


@pytest.mark.parametrize(
    ("words", "language", "told"),
    [
        ("counsel --role patient --scenarios elsewhere@en:1", "ko_KR", "이 사례는 영어입니다."),
        ("counsel --role guard --scenarios korean:1", "C", "This case is in Korean:"),
        ("duty --role nurse", "ko_KR", "이 사례는 영어입니다."),
    ],
)
def test_a_case_in_another_language_is_announced_once_before_the_first_line(
    tmp_path: Path, words: str, language: str, told: str
) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "polyclinic", "play", *words.split()],
        cwd=tmp_path,
        env={**os.environ, "LC_ALL": f"{language}.UTF-8", "PYTHONUTF8": "1"},
        input="Hello.\n",
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    assert done.stdout.startswith(told) and done.stdout.count(told) == 1
