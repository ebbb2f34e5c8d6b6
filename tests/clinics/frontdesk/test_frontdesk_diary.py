"""Diaries under any sequence of bookings, moves, cancellations and passing time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polyclinic.clinics.frontdesk.prompts.replies import Change, Choice
from polyclinic.clinics.frontdesk.rules.clock import can_change, due_statuses, status_at
from polyclinic.clinics.frontdesk.rules.scheduling_rubric import read_place
from polyclinic.clinics.frontdesk.rules.snapshot import take_snapshot
from polyclinic.clinics.frontdesk.rules.usage import lists_over_time
from polyclinic.clinics.frontdesk.scenario.config import preset
from polyclinic.clinics.frontdesk.scenario.diary import NEXT_STATUSES, Appointment, Diary, starts_of
from polyclinic.clinics.frontdesk.scenario.slots import Place, earlier_place, earliest, walk_waiting_list
from polyclinic.clinics.frontdesk.scenario.synthesis import synthesize_hospital
from polyclinic.clinics.frontdesk.state.hospital import Booked, ClockMoved, HospitalState, Moved, Waiting
from polyclinic.clinics.frontdesk.tools.desk import as_proposal, find_time, own_appointment
from polyclinic.errors import EngineError

PLANS = {level: HospitalState.open(synthesize_hospital(preset(level), 8, 0)) for level in ("primary", "tertiary")}


def fresh(level: str) -> Diary:
    diary = max(PLANS[level].diaries.values(), key=lambda diary: len(diary.plan.physicians))
    return Diary.empty(diary.plan, diary.time)


def entry_for(diary: Diary, name: str, now: int, attends: bool = True) -> Appointment | None:
    place = earliest(diary, now)
    if place is None:
        return None
    length = diary.plan.physicians[place.physician].slots_per_visit
    return Appointment(name, name, name, place.physician, place.day, place.slot, length, "asap", 0, attends)


STEP = st.tuples(st.sampled_from(["book", "move", "cancel", "pass"]), st.integers(0, 10_000), st.integers(0, 400))


@settings(max_examples=40, deadline=None)
@given(level=st.sampled_from(["primary", "tertiary"]), steps=st.lists(STEP, min_size=1, max_size=40))
def test_no_sequence_double_books_or_loses_a_waiting_patient_or_reverses_a_status(
    level: str, steps: list[tuple[str, int, int]]
) -> None:
    diary = fresh(level)
    empty = sum(bits.bit_count() for days in diary.free for bits in days)
    now = -1000
    for number, (action, pick, wait) in enumerate(steps):
        before = dict(diary.appointments)
        waiting = list(diary.waiting)
        now += wait
        for id_, status in due_statuses(diary, now):
            diary.set_status(id_, status)
        diary.advance(now)
        open_ids = [id_ for id_ in diary.appointments if can_change(diary, id_, now)]
        _act(diary, action, now, f"p{number}", open_ids, pick)
        _hold(diary, empty, before, waiting)
    assert len(diary.appointments) <= sum(action == "book" for action, _, _ in steps)


def _act(diary: Diary, action: str, now: int, name: str, open_ids: list[str], pick: int) -> None:
    if action == "book":
        entry = entry_for(diary, name, now, attends=pick % 3 != 0)
        if entry is not None:
            diary.add(entry)
    elif open_ids and action == "move":
        chosen = open_ids[pick % len(open_ids)]
        place = earlier_place(diary, now, diary.appointments[chosen])
        if place is None:
            diary.wait(chosen)
        else:
            diary.move(chosen, place.physician, place.day, place.slot)
            diary.leave_waiting(chosen)
    elif open_ids and action == "cancel":
        diary.cancel(open_ids[pick % len(open_ids)])
        moved = walk_waiting_list(diary, now).moves
        assert len({id_ for id_, _ in moved}) == len(moved)
        for id_, place in moved:
            old = diary.appointments[id_]
            assert (place.day, place.slot) < (old.day, old.slot)
            diary.move(id_, place.physician, place.day, place.slot)
            diary.leave_waiting(id_)


def _hold(diary: Diary, empty: int, before: dict[str, Appointment], waiting: list[str]) -> None:
    live = [entry for entry in diary.appointments.values() if entry.status != "cancelled"]
    free = sum(bits.bit_count() for days in diary.free for bits in days)
    assert empty - free == sum(entry.length for entry in live)
    cells = [(entry.physician, entry.day, entry.slot + n) for entry in live for n in range(entry.length)]
    assert len(set(cells)) == len(cells)
    for id_, old in before.items():
        new = diary.appointments[id_]
        assert new.status == old.status or new.status in NEXT_STATUSES[old.status]
    assert len(set(diary.waiting)) == len(diary.waiting)
    for id_ in set(waiting) - set(diary.waiting):
        old, new = before[id_], diary.appointments[id_]
        assert new.status != "booked" or (new.day, new.slot) < (old.day, old.slot)
    for index, days in enumerate(diary.starts):
        length = diary.plan.physicians[index].slots_per_visit
        assert days == [starts_of(bits, length) for bits in diary.free[index]]


@given(bits=st.integers(0, 2**24 - 1), length=st.integers(1, 20))
def test_a_visit_can_start_only_where_all_of_it_fits(bits: int, length: int) -> None:
    whole = (1 << length) - 1
    expected = sum(1 << slot for slot in range(24) if bits >> slot & whole == whole)
    assert starts_of(bits, length) == expected


def test_forbidden_changes_are_refused() -> None:
    diary = fresh("primary")
    entry = entry_for(diary, "a", -10)
    assert entry is not None
    diary.add(entry)
    with pytest.raises(EngineError, match="not free"):
        diary.add(replace(entry, id="b"))
    with pytest.raises(EngineError, match="exists already"):
        diary.add(entry)
    diary.set_status("a", "arrived")
    changes: tuple[Callable[[], None], ...] = (
        lambda: diary.cancel("a"),
        lambda: diary.move("a", 0, 1, 1),
        lambda: diary.wait("a"),
    )
    for change in changes:
        with pytest.raises(EngineError, match="not scheduled"):
            change()
    with pytest.raises(EngineError, match="cannot go"):
        diary.set_status("a", "booked")
    diary.advance(100)
    with pytest.raises(EngineError, match="run back"):
        diary.advance(99)


def test_time_makes_an_appointment_arrived_then_fulfilled_or_a_no_show() -> None:
    assert [status_at(10, 20, True, now) for now in (9, 10, 19, 20)] == ["booked", "arrived", "arrived", "fulfilled"]
    assert [status_at(10, 20, False, now) for now in (9, 10, 19, 20)] == ["booked", "booked", "booked", "noshow"]


def test_ties_go_to_the_lower_workload_then_to_the_first_physician() -> None:
    diary = fresh("tertiary")
    day = next(d for d in range(diary.time.days) if sum(bool(days[d]) for days in diary.starts) >= 2)
    both = [index for index, days in enumerate(diary.starts) if days[day]]
    now = diary.time.minute(day, 0) - 1
    first = earliest(diary, now)
    assert first is not None and (first.day, first.slot, first.physician) == (day, 0, both[0])
    diary.booked[both[0]] = 1
    second = earliest(diary, now)
    assert second is not None and second.physician == both[1]


def test_tools_explain_wrong_arguments_and_reach_only_the_callers_own_appointment() -> None:
    diary = fresh("primary")
    wrong_date = find_time(diary, -10, Choice(action="date_filter", date="some day soon"))
    assert wrong_date.place is None and "no date" in wrong_date.problem
    unknown = find_time(diary, -10, Choice(action="physician_filter", physician="Dr. Nobody"))
    assert "no doctor of this department" in unknown.problem
    far = find_time(diary, -10, Choice(action="date_filter", date="2999-01-01"))
    assert far.place is None and not far.problem, "the date is right, only nothing is free"
    name = diary.plan.physicians[0].name
    found = find_time(diary, -10, Choice(action="physician_filter", physician=name.upper().replace("DR. ", "doctor ")))
    assert found.place is not None and found.place.physician == 0
    assert Choice(action="physician_filter", physician=name, question="?").arguments == {"physician": name}
    mine = entry_for(diary, "me", -10)
    assert mine is not None
    mine = replace(mine, patient_name="")
    diary.add(mine)
    told = Change(
        action="cancel",
        patient_name="Me Myself",
        physician=diary.plan.physicians[mine.physician].name,
        date=diary.time.date_of(mine.day).isoformat(),
    )
    assert own_appointment(diary, -5, "me", "Me Myself", told, mine) == mine
    assert own_appointment(diary, -5, "you", "Me Myself", told, mine) is None, "another caller reached it"
    assert own_appointment(diary, -5, "me", "Somebody Else", told, mine) is None
    assert own_appointment(diary, -5, "me", "Me Myself", told.model_copy(update={"date": "2999-01-01"}), mine) is None
    misheard = replace(mine, patient_name="Me Mistook")
    assert own_appointment(diary, -5, "me", "Me Myself", told, misheard) is None, "it is under another name"
    begun = diary.time.minute(mine.day, mine.slot)
    assert own_appointment(diary, begun, "me", "Me Myself", told, mine) is None, "it had begun"


def test_a_place_written_as_a_proposal_is_read_back_as_the_same_place() -> None:
    diary = fresh("tertiary")
    place = earliest(diary, 0)
    assert place is not None
    snapshot, proposal = take_snapshot(diary, 0), as_proposal(diary, place)
    assert read_place(snapshot, [proposal]) == place
    for change in ({"start": "nine"}, {"date": "tomorrow"}, {"physician": "Dr. Nobody"}, {"start": "00:00"}):
        assert not isinstance(read_place(snapshot, [proposal.model_copy(update=change)]), Place)
    assert read_place(snapshot, [proposal, proposal]) == place
    two = read_place(snapshot, [proposal, proposal.model_copy(update={"start": "16:00", "end": "16:10"})])
    assert not isinstance(two, Place) and two.reason == "more than one time was proposed"


def test_the_waiting_lists_over_time_count_who_joined_moved_up_and_kept_their_time() -> None:
    """Three patients of day 0 and 1 wait. One moves up, the visits of the others begin while they wait."""
    state = HospitalState(PLANS["primary"].plan)
    name, diary = next(iter(state.diaries.items()))
    day, opens = 24 * 60, diary.time.open_minute
    for patient, on in (("a", 0), ("b", 1), ("c", 1)):
        slot = 4 if patient == "c" else 2
        entry = Appointment(patient, patient, patient, 0, on, slot, 1, "asap", 0, True)
        state.apply(Booked(department=name, minute=-2 * day + opens, appointment=entry))
        state.apply(Waiting(department=name, minute=-2 * day + opens, id=patient))
    earlier = Moved(department=name, minute=-day + opens, id="b", physician=0, day=0, slot=4, leaves_list=True)
    state.apply(earlier)
    statuses = tuple(due_statuses(diary, day + 1))
    state.apply(ClockMoved(department=name, minute=day + 1, statuses=statuses))
    before, after = lists_over_time(state, day + 1), lists_over_time(state, diary.time.end_minute)
    assert (before.still_waiting, before.kept_time, before.most_waiting) == (1, 1, 3)
    assert (after.still_waiting, after.kept_time, after.most_waiting) == (0, 2, 3)
    assert after.waiting_by_day[:5] == ((-2, 3), (-1, 2), (0, 1), (1, 0), (2, 0))
