"""Each of the thirteen error codes is given when its fault is provoked, and no other; clean contacts get no code."""

from __future__ import annotations

import ast
from collections import Counter
from dataclasses import replace
from datetime import date
from typing import cast

import pytest

from polyclinic.clinics.frontdesk import clinic
from polyclinic.clinics.frontdesk.judges import scheduling_verdict
from polyclinic.clinics.frontdesk.prompts.replies import FoundTime, is_of_department, names_physicians
from polyclinic.clinics.frontdesk.rules.codes import CODES, CRITERION, INTAKE_ORDER, MEANING, SCHEDULING_ORDER
from polyclinic.clinics.frontdesk.rules.names import mentions_name
from polyclinic.clinics.frontdesk.rules.scheduling_rubric import (
    BookingCase,
    EventCase,
    Proposal,
    judge_booking,
    judge_event,
    read_place,
)
from polyclinic.clinics.frontdesk.rules.snapshot import PhysicianDays, Snapshot
from polyclinic.clinics.frontdesk.rules.spoken import mentions_date
from polyclinic.clinics.frontdesk.scenario.diseases import names_disease, packaged_diseases
from polyclinic.clinics.frontdesk.scenario.schema import Contact, TimeSystem
from polyclinic.clinics.frontdesk.scenario.slots import Place, Wish
from polyclinic.clinics.frontdesk.scenario.times import ClockTime, read_date, read_minute
from polyclinic.core.transcript import Noted, Said, Score, Transcript
from polyclinic.core.value import plain
from polyclinic.eval.results import RunResults
from polyclinic.testing.runs import run_once
from tests.sources import nodes, trees_of

SOME = "history-all:1:20"
MANY = "tertiary:1:40"
ALSO = {
    "misspells": "IDPI",  # a name that was never said is asked for again: that costs rounds
    "misspells+wrong_department": "IPI",  # the department chosen as wrong may by chance be right
}
NOBODY_FORGETS = 1  # one patient in 25 leaves something out by habit; with this seed no patient here does


def scores_of(results: RunResults, metric: str) -> list[Score]:
    return [score for episode in results.episodes for score in episode.scores if score.metric == metric]


def test_the_codes_are_those_of_the_paper() -> None:
    assert len(CODES) == 13 == len(MEANING)
    assert len(set(CRITERION.values())) == 3 + 9
    assert INTAKE_ORDER == ("IF", "IS", "ID", "IPI", "IDPI")
    assert SCHEDULING_ORDER == ("IS", "IF", "PC", "IVS", "WD", "TC", "IP", "IDT", "NET", "FI")


@pytest.mark.parametrize(
    ("mistakes", "variant", "metric", "code", "fault", "scenarios"),
    [
        ("staff=garbled_record", "intake", "intake", "IF", "staff", SOME),
        ("patient=withholds", "intake", "intake", "IS", "patient", SOME),
        ("staff=never_asks", "intake", "intake", "IS", "staff", SOME),
        ("staff=wrong_department", "intake", "intake", "ID", "staff", SOME),
        ("staff=misspells", "intake", "intake", "IPI", "staff", SOME),
        ("staff=misspells+wrong_department", "intake", "intake", "IDPI", "staff", SOME),
        ("patient=silent_wish", "tool", "scheduling", "IS", "patient", SOME),
        ("staff=gives_up", "reasoning", "scheduling", "IS", "staff", SOME),
        ("staff=garbled_schedule", "reasoning", "scheduling", "IF", "staff", SOME),
        ("staff=two_physicians", "reasoning", "scheduling", "PC", "staff", SOME),
        ("staff=closed_hours", "reasoning", "scheduling", "IVS", "staff", SOME),
        ("staff=wrong_length", "reasoning", "scheduling", "WD", "staff", SOME),
        ("staff=double_books", "reasoning", "scheduling", "TC", "staff", SOME),
        ("staff=wrong_physician", "reasoning", "scheduling", "IP", "staff", MANY),
        ("staff=too_early", "reasoning", "scheduling", "IDT", "staff", MANY),
        ("staff=late", "reasoning", "scheduling", "NET", "staff", SOME),
        ("staff=wrong_appointment", "tool", "scheduling", "FI", "staff", "tertiary:1:25"),
        ("patient=vague", "tool", "scheduling", "FI", "patient", "tertiary:1:25"),
    ],
)
async def test_a_provoked_fault_gets_its_code_and_no_other(
    mistakes: str, variant: str, metric: str, code: str, fault: str, scenarios: str
) -> None:
    role, _, names = mistakes.partition("=")
    other = "patient" if role == "staff" else "staff"
    cast = f"{role}=understudy:mistake={names},{other}=understudy"
    results = await run_once(clinic, variants=(variant,), scenarios=scenarios, cast=cast, seed=NOBODY_FORGETS)
    found = scores_of(results, metric)
    codes = Counter(score.reason for score in found if score.reason)
    assert code in codes and set(codes) <= {code, ALSO.get(names, code)}
    faulty = [score for score in found if score.reason]
    blamed = [score for score in faulty if score.value == 0 and f"fault: {fault}" in score.evidence]
    # A reader decides whether a patient stated a wish, and it takes some vague words for a wish.
    assert len(blamed) >= (0.7 if names == "silent_wish" else 1.0) * len(faulty)
    charged = [score for score in scores_of(results, f"{metric}_staff") if score.reason]
    assert len(charged) == (len(faulty) if fault == "staff" else len(faulty) - len(blamed))


@pytest.mark.parametrize("variant", ["tool", "reasoning"])
async def test_clean_contacts_are_never_flagged(variant: str) -> None:
    results = await run_once(clinic, variants=(variant,), scenarios="history-all:1:60", seed=NOBODY_FORGETS)
    for metric in ("intake", "scheduling"):
        found = scores_of(results, metric)
        assert len(found) >= 60
        assert {score.reason for score in found} == {""}


async def test_a_wrong_tool_shows_in_the_tool_metrics() -> None:
    cast = "staff=understudy:mistake=wrong_tool,patient=understudy"
    results = await run_once(clinic, variants=("tool",), scenarios=SOME, cast=cast)
    assert {score.value for score in scores_of(results, "right_tool")} == {0.0}
    cast = "staff=understudy:mistake=falls_back,patient=understudy"
    results = await run_once(clinic, variants=("tool",), scenarios=SOME, cast=cast)
    assert {score.value for score in scores_of(results, "tool_used")} == {0.0}
    assert {score.reason for score in scores_of(results, "scheduling")} == {""}
    cast = "staff=understudy:mistake=forgets_physician,patient=understudy"
    results = await run_once(clinic, variants=("tool",), scenarios=SOME, cast=cast)
    assert {score.value for score in scores_of(results, "tool_used")} == {0.0, 1.0}
    assert {score.reason for score in scores_of(results, "scheduling")} == {""}, "the fallback did not save the booking"


TIME = TimeSystem(start_date=date(2025, 3, 17), days=2, open_minute=540, close_minute=600, slot_minutes=15)


def snapshot(free: str, now: int = 0) -> Snapshot:
    """One physician with 15-minute visits; `free` holds the slots of the first day as bits, the latest slot first."""
    bits = format(int(free, 2), "x")
    physician = PhysicianDays(name="Dr. A", slots_per_visit=1, booked=0, capacity=8, free=(bits, "f"))
    return Snapshot(department="allergy", now=now, time=TIME, physicians=(physician,))


def booking(start: str, end: str, shot: Snapshot, wish: Wish | None = None, day: str = "2025-03-17") -> str:
    proposal = Proposal(physician="Dr. A", date=day, start=start, end=end)
    case = BookingCase(wish=wish or Wish(kind="asap"), stated=True, snapshot=shot, proposals=(proposal,))
    return judge_booking(case).code


def test_the_check_for_the_earliest_time_looks_at_every_start_in_a_free_stretch() -> None:
    now = 540 + 20
    shot = snapshot("1111", now)
    assert booking("09:45", "10:00", shot) == "NET", "the stretch began in the past, but 09:30 in it was still ahead"
    assert booking("09:30", "09:45", shot) == ""
    assert booking("09:15", "09:30", shot) == "IVS"
    begins = snapshot("1111", 540 + 15)
    assert booking("09:15", "09:30", begins) == "IVS", "a time that begins now can no longer be booked"
    assert booking("09:30", "09:45", begins) == ""


def test_the_criteria_are_checked_in_order() -> None:
    shot = snapshot("1100")
    assert booking("08:45", "09:00", shot) == "IVS"
    assert booking("09:00", "09:30", shot) == "WD"
    assert booking("09:00", "09:15", shot) == "TC"
    assert booking("09:30", "09:45", shot) == ""
    assert booking("09:40", "09:55", shot) == "IVS"
    assert booking("09:45", "10:00", shot) == "NET"
    late = Wish(kind="date", valid_from=date(2025, 3, 18))
    assert booking("09:30", "09:45", shot, late) == "IDT"
    assert booking("09:30", "09:45", shot, Wish(kind="physician", physician="Dr. B")) == "IP"
    assert booking("09:00", "09:15", shot, late, "2025-03-18") == ""
    assert booking("09:00", "09:15", shot, None, "March 19, 2025") == "IVS"


@pytest.mark.parametrize(
    "day",
    ["March 18, 2025", "03/18/2025", "18/03/2025", "Tuesday, March 18, 2025", "18 March", "2025. 3. 18", "3월 18일"],
)
def test_a_staffs_date_counts_however_it_is_written(day: str) -> None:
    late = Wish(kind="date", valid_from=date(2025, 3, 18))
    assert booking("9:00 AM", "9:15 a.m.", snapshot("1100"), late, day) == ""
    assert booking("09:00", "09:15", snapshot("1100"), late, f"{day} or March 17, 2025") == "IVS", "two days are no day"


@pytest.mark.parametrize(
    ("text", "begins", "meant"),
    [
        ("04/02/2025", date(2025, 3, 30), date(2025, 4, 2)),
        ("04/02/2025", date(2025, 2, 1), date(2025, 2, 4)),
        ("04/05/2025", date(2025, 4, 1), date(2025, 4, 5)),
        ("04/05/2025", date(2025, 7, 1), date(2025, 4, 5)),
        ("April 02, 2025", date(2025, 7, 1), date(2025, 4, 2)),
        ("April 2", date(2025, 4, 1), date(2025, 4, 2)),
        ("April 2", date(2025, 7, 1), None),
        ("soon", date(2025, 4, 1), None),
        ("2 or 3 April 2025", date(2025, 4, 1), None),
    ],
)
def test_of_two_dates_the_one_in_the_period_counts_and_otherwise_the_month_comes_first(
    text: str, begins: date, meant: date | None
) -> None:
    assert read_date(text, begins, 40 if begins.month == 4 else 7) == meant


@pytest.mark.parametrize(
    ("text", "minute"),
    [("9:00 AM", 540), ("09:30", 570), ("9:05 p.m.", 1265), ("12:15 am", 15), ("12 PM", 720), ("2pm", 840),
     ("14:30:00", 870), ("오후 2시 30분", 870), ("오전 9시", 540), ("24:00", 1440),
     ("13:00 PM", None), ("9", None), ("25:00", None), ("9:60 am", None), ("0 pm", None), ("", None)],
)  # fmt: skip
def test_a_time_of_day_counts_however_it_is_written(text: str, minute: int | None) -> None:
    assert read_minute(text) == minute


def test_staff_may_write_a_date_in_words_where_the_form_asks_for_a_day() -> None:
    days = (date(2025, 3, 17), date(2025, 3, 18))
    for written, known in (("March 18, 2025", True), ("03/18/2025", True), ("March 19, 2025", False), ("soon", False)):
        found = FoundTime(reason="", physician="Dr. A", date=written, start="9:00 AM", end="9:15 AM")
        assert is_of_department(found, ("Dr. A",), days) is known
        both = found.model_copy(update={"physician": "Dr. A and Dr. B"})
        assert names_physicians(both, ("Dr. A", "Dr. B"), days) is known


def test_a_proposal_is_typed_and_stored_as_text_and_only_a_models_own_form_stays_text() -> None:
    found = Proposal(physician="Dr. A", date=date(2025, 3, 17), start=ClockTime(570), end=ClockTime(1440))
    stored = {"physician": "Dr. A", "date": "2025-03-17", "start": "09:30", "end": "24:00"}
    assert plain(found) == stored and Proposal.model_validate(stored) == found
    assert isinstance(Proposal.model_validate(stored).start, ClockTime)
    own = {"physician": "Dr. A", "date": "20250317", "start": "9:30 am", "end": "later"}
    assert plain(Proposal.model_validate(own)) == own
    assert Proposal.model_validate(own | {"date": "2025-02-30"}).date == "2025-02-30"


def test_only_what_a_model_or_a_person_wrote_is_parsed_as_a_date_or_a_time() -> None:
    parsers = ("read_date", "read_minute", "iso_date", "date_written")
    used = {
        file.removeprefix("clinics/frontdesk/")
        for file, tree in trees_of("clinics/frontdesk")
        for node in nodes(tree)
        if isinstance(node, ast.Call)
        and (isinstance(node.func, ast.Name | ast.Attribute))
        and (node.func.id if isinstance(node.func, ast.Name) else node.func.attr) in parsers
    }
    users = {"evaluations.py", "scenario/imports.py", "scenario/imported_hospital.py", "scenario/load.py"}
    replies = {"prompts/replies.py", "tools/desk.py", "rules/scheduling_rubric.py"}
    assert replies <= used and used <= users | replies | {"scenario/times.py", "scenario/schema.py"}


def test_a_valid_and_free_time_can_be_booked_whatever_the_wish() -> None:
    shot = snapshot("1100")
    first = Proposal(physician="Dr. A", date="2025-03-17", start="09:30", end="09:45")
    assert read_place(shot, (first,)) == read_place(shot, (first, first)) == Place(0, 0, 2)
    two = read_place(shot, (first, first.model_copy(update={"start": "09:45", "end": "10:00"})))
    assert not isinstance(two, Place) and two.code == "IVS", "two times for one physician were cut to one"
    for start, end, physician in (
        ("09:00", "09:15", "Dr. A"),
        ("09:30", "10:00", "Dr. A"),
        ("09:30", "09:45", "Dr. B"),
    ):
        other = Proposal(physician=physician, date="2025-03-17", start=start, end=end)
        assert not isinstance(read_place(shot, (other,)), Place)
    assert not isinstance(read_place(shot, (first, first.model_copy(update={"physician": "Dr. B"}))), Place)


def test_changes_of_appointments_are_judged_by_what_the_patient_wanted() -> None:
    case = EventCase(
        wanted="cancel", appointment="a", found="a", done="", wish=Wish(kind="asap"), snapshot=snapshot("0010")
    )
    moving = replace(case, wanted="move")
    assert judge_event(replace(case, found="")).code == "FI"
    assert judge_event(replace(case, done="moved")).code == "IS"
    assert judge_event(replace(case, done="cancelled")).code == ""
    assert judge_event(replace(moving, done="cancelled")).code == "IS"
    assert judge_event(replace(moving, done="waiting", old_start=(0, 1))).code == ""
    assert judge_event(replace(moving, done="waiting", old_start=(1, 0))).code == "NET"
    assert judge_event(replace(moving, done="", proposals=None)).code == "IF"


def changed_mind(stated: bool, offered: Proposal) -> Transcript:
    """A patient who first wanted Dr. A, turned the offer down and was given the wish for the earliest time."""
    offer = {"stage": 0, "via": "physician_filter", "proposals": [offered.model_dump()]}
    return Transcript(
        [
            Noted(topic="diary", data={"snapshot": plain(snapshot("1111"))}),
            Said(speaker="patient", text="Dr. A please, at the first time there is.", data={"phase": "booking"}),
            Noted(topic="wish", data={"stage": 0, "wish": {"kind": "physician", "physician": "Dr. A"}}),
            Noted(topic="offer", data=offer),
            Noted(topic="wish", data={"stage": 1, "wish": {"kind": "asap"}, "stated": stated}),
            Noted(topic="offer", data={**offer, "stage": 1}),
        ]
    )


def test_a_second_wish_needs_words_of_its_own() -> None:
    contact = next(contact for contact in clinic.scenarios("primary:1:1", 1) if contact.id.endswith("visit"))
    late = Proposal(physician="Dr. A", date="2025-03-17", start="09:45", end="10:00")
    silent = scheduling_verdict(contact, changed_mind(False, late))
    assert silent is not None and (silent.code, silent.fault) == ("IS", "patient")
    spoken = scheduling_verdict(contact, changed_mind(True, late))
    assert spoken is not None and (spoken.code, spoken.fault) == ("NET", "staff")


def unidentified(words: str) -> Transcript:
    """A call to cancel in which the desk did not find the appointment."""
    event = {
        "wanted": "cancel",
        "appointment": "a",
        "found": "",
        "tool": "cancel",
        "done": "",
        "wish": {"kind": "asap"},
    }
    more = {"proposals": [], "old_start": [0, 1], "physician": "Dr. A", "date": "2025-03-17"}
    return Transcript(
        [
            Said(speaker="patient", text=words, data={"phase": "event"}),
            Noted(topic="diary", data={"snapshot": plain(snapshot("1111"))}),
            Noted(topic="event", data={**event, **more}),
        ]
    )


def test_leaving_out_name_physician_or_date_is_the_patients_fault() -> None:
    scenarios = cast("list[Contact]", clinic.scenarios("primary:1:1", 1))
    contact = next(contact for contact in scenarios if contact.kind == "visit")
    name = contact.caller.person.name
    for words, fault in (
        (f"I am {name}; cancel my visit with Dr. A on 2025-03-17.", "staff"),
        ("Cancel my visit with Dr. A on 2025-03-17.", "patient"),
        (f"I am {name}; cancel my visit on 2025-03-17.", "patient"),
        (f"I am {name}; cancel my visit with Dr. A.", "patient"),
    ):
        verdict = scheduling_verdict(contact, unidentified(words))
        assert verdict is not None and (verdict.code, verdict.fault) == ("FI", fault), words


@pytest.mark.parametrize(
    "text",
    ["from 2025-03-05 on", "after March 5, 2025", "March 5th 2025 or later", "on 5 March 2025", "the 5th of March 2025",
     "3/5/2025 please", "2025/03/05"],
)  # fmt: skip
def test_dates_are_recognised_in_any_usual_form(text: str) -> None:
    assert mentions_date(date(2025, 3, 5), text)
    assert not mentions_date(date(2025, 3, 6), text)
    assert not mentions_date(date(2025, 3, 15), text)


def test_september_is_understood_however_it_is_abbreviated() -> None:
    for text in ("Sept. 5, 2025", "5 Sep 2025", "5th of September, 2025", "sept 5 2025"):
        assert mentions_date(date(2025, 9, 5), text)


def test_a_diagnosis_that_the_patient_cannot_know_is_noticed() -> None:
    assert names_disease("Urinary tract infection (UTI)", "I think it is a UTI again")
    assert names_disease("Kidney stones", "maybe kidney stones?")
    assert not names_disease("Kidney stones", "my back hurts")
    assert not names_disease("HIV", "I keep shivering"), "a part of a word is no diagnosis"
    assert not names_disease("Irritable bowel syndrome (IBS)", "pain under my ribs")
    assert not names_disease("Flu", "fluid in my knee") and names_disease("Flu", "Is it the flu?")
    for disease in packaged_diseases():
        assert not any(names_disease(disease.name, symptom) for symptom in disease.symptoms)


def test_a_wish_for_a_doctor_needs_the_whole_name() -> None:
    assert mentions_name("Dr. Kim Min-jun", "doctor kim min-jun would be good")
    assert not mentions_name("Dr. Kim Min-jun", "Dr. Kim, please")
    assert not mentions_name("Dr. Ann Lee", "Dr. Joann Lee or Dr. Ann Leeds, please")
    assert mentions_name("Dr. Ann Lee", "Not Dr. Joann Lee. Dr. Ann Lee's next time!")
