"""The clinic's rules against the independent oracle: bookings, moves, cancellations and verdicts at all levels."""

from __future__ import annotations

import random
from datetime import datetime, time, timedelta

import pytest
from frontdesk_oracle import Oracle, oracle_for

from polyclinic.clinics.frontdesk.rules.scheduling_rubric import BookingCase, Proposal, judge_booking
from polyclinic.clinics.frontdesk.rules.slots import Wish, earlier_place, place_for, walk_waiting_list
from polyclinic.clinics.frontdesk.rules.snapshot import take_snapshot
from polyclinic.clinics.frontdesk.scenario.config import preset
from polyclinic.clinics.frontdesk.scenario.synthesis import synthesize_hospital
from polyclinic.clinics.frontdesk.state import Appointment, Diary, HospitalState

STEPS = {"primary": 720, "secondary": 720, "tertiary": 720}


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


@pytest.mark.parametrize("level", ["primary", "secondary", "tertiary"])
def test_rules_agree_with_the_oracle(level: str) -> None:
    draw = random.Random(f"oracle {level}")
    counts = {"booked": 0, "full": 0, "moved": 0, "waiting": 0, "cancelled": 0, "listed": 0, "verdicts": 0}
    codes: set[str] = set()
    for hospital in range(3):
        config = preset(level, busy_schedule_prob=0.5, days=5, working_days={"min": 2, "max": 3})
        state = HospitalState.open(synthesize_hospital(config, 77, hospital))
        diary = max(state.diaries.values(), key=lambda diary: (len(diary.plan.physicians), diary.plan.name))
        oracle = oracle_for(diary)
        now = -500
        for step in range(STEPS[level] // 3):
            now += draw.randrange(0, 20)
            _one_step(diary, oracle, now, f"p{step}", draw, counts)
            wish = random_wish(diary, draw)
            for _ in range(2):
                codes.add(_one_verdict(diary, oracle, now, wish, draw))
                counts["verdicts"] += 1
        taken = {doc.name: len(doc.taken) for doc in oracle.docs}
        for index, physician in enumerate(diary.plan.physicians):
            busy = sum(
                diary.time.slots_per_day - bits.bit_count()
                for day, bits in enumerate(diary.free[index])
                if day in physician.working_days
            )
            assert busy * diary.time.slot_minutes == taken[physician.name]
    assert counts["booked"] > 100 and counts["moved"] and counts["cancelled"] and counts["waiting"]
    assert counts["verdicts"] >= 800
    assert {"IVS", "WD", "TC", "NET", ""} <= codes


def _one_verdict(diary: Diary, oracle: Oracle, now: int, wish: Wish, draw: random.Random) -> str:
    if draw.random() < 0.3 and (place := place_for(diary, now, wish)) is not None:
        physician = diary.plan.physicians[place.physician]
        start = diary.time.open_minute + place.slot * diary.time.slot_minutes
        end = start + physician.slots_per_visit * diary.time.slot_minutes
        answers = [
            {
                "physician": physician.name,
                "date": diary.time.date_of(place.day).isoformat(),
                "start": f"{start // 60:02d}:{start % 60:02d}",
                "end": f"{end // 60:02d}:{end % 60:02d}",
            }
        ]
    else:
        answers = random_answers(diary, draw)
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


def _one_step(diary: Diary, oracle: Oracle, now: int, name: str, draw: random.Random, counts: dict[str, int]) -> None:
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
        walked = walk_waiting_list(diary, now)
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


def _book(diary: Diary, oracle: Oracle, now: int, name: str, draw: random.Random, counts: dict[str, int]) -> None:
    wish = random_wish(diary, draw)
    place = place_for(diary, now, wish)
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
