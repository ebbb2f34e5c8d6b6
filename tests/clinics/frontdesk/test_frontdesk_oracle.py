"""The clinic's rules compared with an independent oracle: bookings, moves, cancellations, verdicts at all levels."""

from __future__ import annotations

import random
from collections import Counter
from datetime import datetime, time, timedelta

import pytest

from polyclinic.clinics.frontdesk.prompts.replies import Choice
from polyclinic.clinics.frontdesk.rules.clock import can_change
from polyclinic.clinics.frontdesk.rules.scheduling_rubric import (
    BookingCase,
    EventCase,
    Proposal,
    judge_booking,
    judge_event,
)
from polyclinic.clinics.frontdesk.rules.snapshot import take_snapshot
from polyclinic.clinics.frontdesk.scenario.config import preset
from polyclinic.clinics.frontdesk.scenario.diary import Appointment, Diary
from polyclinic.clinics.frontdesk.scenario.slots import Place, Wish, earlier_place, walk_waiting_list
from polyclinic.clinics.frontdesk.scenario.synthesis import synthesize_hospital
from polyclinic.clinics.frontdesk.state.hospital import HospitalState
from polyclinic.clinics.frontdesk.tools.desk import TOOL_FOR, as_proposal, find_time
from tests.clinics.frontdesk.frontdesk_oracle import Oracle, oracle_for

STEPS = 900
DONE = ("booked", "moved", "waiting", "cancelled")


def at(diary: Diary, minute: int) -> datetime:
    return datetime.combine(diary.time.start_date, time()) + timedelta(minutes=minute)


def start_of(diary: Diary, entry: Appointment) -> datetime:
    return at(diary, entry.day * 1440 + diary.time.open_minute + entry.slot * diary.time.slot_minutes)


def random_wish(diary: Diary, draw: random.Random) -> Wish:
    kind = draw.choice(["asap", "physician", "date"])
    if kind == "physician":
        return Wish(kind="physician", physician=draw.choice(diary.plan.physicians).name)
    if kind == "date":
        return Wish(kind="date", valid_from=diary.time.date_of(draw.randrange(diary.time.days)))
    return Wish(kind="asap")


def tool_place(diary: Diary, now: int, wish: Wish) -> Place | None:
    """The result of the tool for this wish."""
    day = wish.valid_from.isoformat() if wish.valid_from is not None else ""
    return find_time(diary, now, Choice(action=TOOL_FOR[wish.kind], physician=wish.physician, date=day)).place


def random_answers(diary: Diary, draw: random.Random) -> list[dict[str, str]]:
    """A proposal that may be wrong in any way: physician, date, grid, hours, length, past, taken."""
    clock = diary.time
    physician = draw.choice(diary.plan.physicians)
    unit = clock.slot_minutes
    start = clock.open_minute + draw.randrange(-1, clock.slots_per_day + 1) * unit
    length = physician.slots_per_visit * unit
    length += draw.choice([0, 0, 0, 0, unit, -unit, 1])
    start += draw.choice([0, 0, 0, 0, 0, 0, 1])
    end = start + length
    day = clock.start_date + timedelta(days=draw.randrange(-1, clock.days + 1))
    answer = {
        "physician": draw.choice([physician.name] * 9 + ["Dr. Nobody Here"]),
        "date": day.isoformat() if draw.random() < 0.95 else "March 20, 2025",
        "start": f"{start // 60:02d}:{start % 60:02d}",
        "end": f"{end // 60:02d}:{end % 60:02d}",
    }
    if draw.random() < 0.05 and len(diary.plan.physicians) > 1:
        return [
            answer,
            {**answer, "physician": next(p.name for p in diary.plan.physicians if p.name != answer["physician"])},
        ]
    return [answer]


def free_answers(diary: Diary, oracle: Oracle, now: int, draw: random.Random) -> list[dict[str, str]]:
    """A free time of a random physician, empty if none was found. Only the wish decides whether this time is right."""
    doc = draw.choice(oracle.docs)
    earliest = at(diary, now)
    starts = [start for start in oracle.grid if start > earliest]
    for start in draw.sample(starts, min(12, len(starts))):
        if oracle.free_at(doc, start):
            end = start + doc.visit
            return [
                {
                    "physician": doc.name,
                    "date": start.date().isoformat(),
                    "start": f"{start:%H:%M}",
                    "end": f"{end:%H:%M}",
                }
            ]
    return []


def best_answers(diary: Diary, now: int, wish: Wish) -> list[dict[str, str]]:
    """What the clinic's own rules would offer."""
    place = tool_place(diary, now, wish)
    return [] if place is None else [as_proposal(diary, place).model_dump()]


@pytest.mark.parametrize("level", ["primary", "secondary", "tertiary"])
def test_rules_agree_with_the_oracle(level: str) -> None:
    draw = random.Random(f"oracle {level}")
    counts: Counter[str] = Counter()
    codes: Counter[str] = Counter()
    event_codes: Counter[str] = Counter()
    for hospital in range(3):
        config = preset(level, busy_schedule_prob=0.5, days=5, working_days={"min": 2, "max": 3})
        state = HospitalState.open(synthesize_hospital(config, 77, hospital))
        diary = max(state.diaries.values(), key=lambda diary: (len(diary.plan.physicians), diary.plan.name))
        oracle = oracle_for(diary)
        now = -500
        for step in range(STEPS // 3):
            now += draw.randrange(0, 16)
            event_codes[_one_event_verdict(diary, oracle, now, draw)] += 1
            _one_step(diary, oracle, now, f"p{step}", draw, counts)
            wish = random_wish(diary, draw)
            for _ in range(2):
                codes[_one_verdict(diary, oracle, now, wish, draw)] += 1
        taken = {doc.name: len(doc.taken) for doc in oracle.docs}
        for index, physician in enumerate(diary.plan.physicians):
            busy = sum(
                diary.time.slots_per_day - bits.bit_count()
                for day, bits in enumerate(diary.free[index])
                if day in physician.working_days
            )
            assert busy * diary.time.slot_minutes == taken[physician.name]
    assert all(counts[done] >= 10 for done in DONE)
    assert sum(counts[done] for done in DONE) >= 700, "three levels make at least 2,100 in all"
    assert codes.total() >= 1500
    several = set() if level == "primary" else {"PC", "IP"}
    assert {"IVS", "WD", "TC", "IDT", "NET", "", *several} <= {code for code, times in codes.items() if times >= 5}
    assert {"FI", "IS", "IF", "NET", "TC", "IVS", ""} <= set(event_codes)


def _one_verdict(diary: Diary, oracle: Oracle, now: int, wish: Wish, draw: random.Random) -> str:
    chance = draw.random()
    answers = best_answers(diary, now, wish) if chance < 0.3 else []
    if 0.3 <= chance < 0.65:
        answers = free_answers(diary, oracle, now, draw)
    answers = answers or random_answers(diary, draw)
    case = BookingCase(
        wish=wish,
        stated=True,
        snapshot=take_snapshot(diary, now),
        proposals=tuple(Proposal(**answer) for answer in answers),
    )
    ours = judge_booking(case).code
    theirs = oracle.verdict(at(diary, now), wish.kind, wish.physician, wish.valid_from, answers)
    assert ours == theirs, (answers, wish)
    return ours


def _one_event_verdict(diary: Diary, oracle: Oracle, now: int, draw: random.Random) -> str:
    """Clinic and oracle must report the same fault on a call about an appointment, handled rightly or wrongly."""
    movable = [id_ for id_ in oracle.visits if can_change(diary, id_, now)]
    if not movable:
        return ""
    name = draw.choice(movable)
    entry = diary.appointments[name]
    physician = diary.plan.physicians[entry.physician].name
    wish = Wish(
        kind=entry.preference,
        physician=physician if entry.preference == "physician" else "",
        valid_from=diary.time.date_of(entry.valid_from_day) if entry.preference == "date" else None,
    )
    wanted, done = draw.choice(["move", "move", "cancel"]), draw.choice(["moved", "waiting", "cancelled", ""])
    found = draw.choice([name] * 9 + ["", "somebody-else"])
    made = [
        None,
        [],
        [],
        free_answers(diary, oracle, now, draw),
        best_answers(diary, now, wish),
        random_answers(diary, draw),
    ]
    answers = draw.choice(made)
    ours = judge_event(
        EventCase(
            wanted=wanted,
            appointment=name,
            found=found,
            done=done,
            wish=wish,
            snapshot=take_snapshot(diary, now),
            proposals=None if answers is None else tuple(Proposal(**answer) for answer in answers),
            old_start=(entry.day, entry.slot),
        )
    ).code
    assert ours == oracle.event_verdict(at(diary, now), name, wanted, found, done, answers), (wanted, done, answers)
    return ours


def _one_step(diary: Diary, oracle: Oracle, now: int, name: str, draw: random.Random, counts: Counter[str]) -> None:
    open_ids = [
        name_
        for name_, entry in diary.appointments.items()
        if entry.status == "booked" and start_of(diary, entry) > at(diary, now)
    ]
    action = draw.random()
    if action < 0.6 or not open_ids:
        _book(diary, oracle, now, name, draw, counts)
    elif action < 0.8:
        chosen = draw.choice(open_ids)
        place = earlier_place(diary, now, diary.appointments[chosen])
        said = oracle.ask_earlier(chosen, at(diary, now))
        assert said == ("waiting" if place is None else "moved")
        counts[said] += 1
        if place is None:
            diary.wait(chosen)
        else:
            diary.move(chosen, place.physician, place.day, place.slot)
            if chosen in oracle.queue:
                oracle.queue.remove(chosen)
            diary.leave_waiting(chosen)
    else:
        chosen = draw.choice(open_ids)
        moved = oracle.drop(chosen, at(diary, now))
        diary.cancel(chosen)
        walked = walk_waiting_list(diary, now).moves
        assert [waiting for waiting, _ in walked] == moved
        for waiting, place in walked:
            diary.move(waiting, place.physician, place.day, place.slot)
            diary.leave_waiting(waiting)
        counts["cancelled"] += 1
        counts["listed"] += len(walked)
    assert diary.waiting == oracle.queue
    for known, visit in oracle.visits.items():
        entry = diary.appointments[known]
        assert (diary.plan.physicians[entry.physician].name, start_of(diary, entry)) == (visit.doc.name, visit.start)


def _book(diary: Diary, oracle: Oracle, now: int, name: str, draw: random.Random, counts: Counter[str]) -> None:
    wish = random_wish(diary, draw)
    place = tool_place(diary, now, wish)
    found = oracle.best(at(diary, now), wish.kind, wish.physician, wish.valid_from)
    if place is None:
        assert found is None
        counts["full"] += 1
        return
    assert found is not None
    physician = diary.plan.physicians[place.physician]
    entry = Appointment(
        name,
        name,
        name,
        place.physician,
        place.day,
        place.slot,
        physician.slots_per_visit,
        wish.kind,
        diary.time.day_of(wish.valid_from) if wish.valid_from else 0,
        True,
    )
    assert (physician.name, start_of(diary, entry)) == (found[0].name, found[1])
    diary.add(entry)
    oracle.take(name, found[0], found[1], wish.kind, wish.physician, wish.valid_from)
    counts["booked"] += 1
