"""The hospital as an operation: what-if questions, appointment book, the queue and its theory, manager's report."""

from __future__ import annotations

import json
import math
import random
from pathlib import Path

import pytest
from click.testing import CliRunner

from polyclinic.cli.main import cli
from polyclinic.clinics.frontdesk import clinic
from polyclinic.clinics.frontdesk.operations.book import Book, Spot
from polyclinic.clinics.frontdesk.operations.demand import VisitRequest, draw_requests
from polyclinic.clinics.frontdesk.operations.engine import Trial, figures, simulate, waited_days
from polyclinic.clinics.frontdesk.operations.queues import erlang_c, mean_wait, simulated_wait, waits
from polyclinic.clinics.frontdesk.operations.setting import SESSIONS_A_WEEK, WORKDAYS, Setting
from polyclinic.clinics.frontdesk.operations.whatif import TURNED_AWAY, whatif
from polyclinic.clinics.frontdesk.rules.notes import AppointmentMade, HospitalClosed, TalkHeld
from polyclinic.clinics.frontdesk.rules.usage import ListsOverTime
from polyclinic.errors import ConfigError, DataError, UnknownName
from polyclinic.eval.charts import Lines
from polyclinic.eval.evaluation import DialQuestion
from polyclinic.eval.sections import Figure, Paragraph, Table
from polyclinic.testing.runs import played

SMALL = {"weeks": 2.0, "warm_up": 1.0}


def trial(seed: int = 1, **dials: float) -> dict[str, float]:
    setting = Setting.model_validate({**SMALL, **dials})
    return simulate(setting, draw_requests(setting, random.Random(seed)), random.Random(seed))


def mean_of(name: str, **dials: float) -> float:
    return sum(trial(seed, **dials)[name] for seed in range(6)) / 6


@pytest.mark.parametrize(("load", "servers", "expected"), [(0.5, 1, 0.5), (1.6, 2, 0.7111), (2.7, 3, 0.8171)])
def test_erlangs_formula_gives_the_values_of_the_textbooks(load: float, servers: int, expected: float) -> None:
    assert erlang_c(load, servers) == pytest.approx(expected, abs=1e-4)
    assert mean_wait(1.0, 1.0, 1) == math.inf


def test_the_simulated_queue_agrees_with_theory_within_its_confidence_interval() -> None:
    for servers, busy in ((1, 0.6), (2, 0.8), (4, 0.7)):
        theory = mean_wait(busy * servers / 4, 4.0, servers)
        means = [simulated_wait(busy * servers / 4, 4.0, servers, 4000, random.Random(seed)) for seed in range(20)]
        middle = sum(means) / len(means)
        spread = (sum((mean - middle) ** 2 for mean in means) / (len(means) - 1)) ** 0.5
        assert abs(middle - theory) < 2.86 * spread / len(means) ** 0.5, (servers, busy, middle, theory)


def test_nobody_is_served_before_those_who_came_earlier() -> None:
    assert list(waits([(0, 10), (1, 10), (2, 1), (30, 1)], 2)) == [0, 0, 8, 0]


def test_a_book_keeps_urgent_slots_until_the_day_and_overbooks_only_a_full_session() -> None:
    setting = Setting.model_validate(
        {"physicians": 1, "sessions": SESSIONS_A_WEEK, "urgent_slots": 2, "overbooking": 1}
    )
    book, ordinary = Book(setting), setting.slots - 2
    taken: list[Spot] = []
    while (spot := book.earliest(0, 539, first=1, urgent=False)) is not None and (spot.day, spot.half) == (1, 0):
        book.take(spot)
        taken.append(spot)
    assert [spot.extra for spot in taken] == [False] * ordinary + [True]
    assert len({(spot.slot, spot.extra) for spot in taken}) == len(taken)
    urgent = book.earliest(0, 539, first=1, urgent=True)
    assert urgent is not None and (urgent.day, urgent.half, urgent.extra) == (1, 0, False)
    on_the_day = book.earliest(1, -1, first=1, urgent=False)
    assert on_the_day is not None and on_the_day.day == 1 and on_the_day.half == 0


def test_a_template_gives_each_physician_the_sessions_of_the_week() -> None:
    for sessions in range(1, SESSIONS_A_WEEK + 1):
        setting = Setting(sessions=sessions)
        for physician in range(4):
            week = [setting.works(physician, day, half) for day in range(WORKDAYS) for half in (0, 1)]
            assert sum(week) == sessions


def test_each_setting_changes_the_figures_that_it_should() -> None:
    assert mean_of("wait_days", physicians=2) > mean_of("wait_days", physicians=4)
    assert mean_of("wait_days", physicians=2, overbooking=2) < mean_of("wait_days", physicians=2)
    assert mean_of("clinic_wait", physicians=2, overbooking=2) > mean_of("clinic_wait", physicians=2)
    assert mean_of("urgent_days", physicians=2, urgent_slots=2) < mean_of("urgent_days", physicians=2)
    assert mean_of("utilisation", no_show=0.3) < mean_of("utilisation", no_show=0.0)
    assert abs(mean_of("no_shows", no_show=0.3) - 0.3) < 0.03
    assert mean_of("walk_in_wait", walk_ins=20) > 0 == mean_of("walk_in_wait", walk_ins=0)
    assert mean_of("rebooked", hospital_cancel=0.2) > 0.05 > mean_of("rebooked", hospital_cancel=0.0)
    assert mean_of("desk_wait", clerks=1) > mean_of("desk_wait", clerks=3)
    assert mean_of("turned_away", physicians=1, horizon=5) > 0.2
    assert mean_of("cost_a_week", physicians=4) > mean_of("cost_a_week", physicians=3)


def test_no_appointment_time_is_taken_twice_and_nobody_is_lost() -> None:
    setting = Setting.model_validate({**SMALL, "overbooking": 2, "urgent_slots": 1, "hospital_cancel": 0.1})
    requests = draw_requests(setting, random.Random(3))
    ran = Trial(setting, requests, random.Random(3))
    tally = ran.run()
    for entries in ran.booked.values():
        places = [(spot.slot, spot.extra) for spot, _ in entries]
        assert len(set(places)) == len(places)
        assert len(entries) <= setting.slots + setting.overbooking
        for spot, request in entries:
            if ran.measured(request):
                assert tally.waits_days[id(request)] == waited_days(request, spot, setting), "also after a new booking"
    assert tally.rebooked > 0
    asked = [request for request in requests if not request.walk_in and request.day >= ran.first_day]
    assert tally.asked == len(asked) == len(tally.waits_days) + tally.turned_away
    assert min(tally.waits_days.values()) > 0 and figures(setting, tally)["utilisation"] > 0.3


def test_all_settings_are_tried_on_the_same_patients() -> None:
    """Patients who stay away at the lower rate also stay away at the higher one."""
    low, high = (Setting.model_validate({**SMALL, "no_show": rate}) for rate in (0.05, 0.15))
    first, second = draw_requests(low, random.Random(5)), draw_requests(high, random.Random(5))
    assert first == second
    away = [{place for place, one in enumerate(first) if one.stays_away < rate} for rate in (0.05, 0.15)]
    assert away[0] < away[1]


def test_the_cheapest_sufficient_setting_is_named_if_there_is_one() -> None:
    asked = DialQuestion(vary={"physicians": (2, 4)}, fixed=SMALL, hold={"wait_days": 2}, trials=4)
    answer = whatif(asked)
    waited = {row.dials["physicians"]: row.figures["wait_days"] for row in answer.figures.settings}
    assert (waited[2].high or 0) > 2 > (waited[4].high or 9) and answer.figures.cheapest == {"physicians": 4}
    hard = DialQuestion(vary={"physicians": (1, 2)}, fixed=SMALL, hold={"wait_days": 0.01}, trials=2)
    assert whatif(hard).figures.cheapest is None
    both = DialQuestion(
        vary={"physicians": (3, 4), "no_show": (0.0, 0.3)}, fixed=SMALL, hold={"wait_days": 30}, trials=2
    )
    assert whatif(both).figures.cheapest == {"physicians": 3}, "nobody can choose how many stay away"
    drawn = [block for block in answer.sections[0].body if isinstance(block, Figure)]
    tables = [block for block in answer.sections[0].body if isinstance(block, Table)]
    assert len(drawn) == 4 and len(tables[0].rows) == 2
    assert whatif(asked).figures == answer.figures, "the same question has the same answer"


def test_a_setting_that_turns_patients_away_does_not_hold_a_waiting_time() -> None:
    crowded = {**SMALL, "horizon": 5.0}
    asked = DialQuestion(vary={"physicians": (1, 4)}, fixed=crowded, hold={"wait_days": 14}, trials=2)
    answer = whatif(asked)
    one, four = answer.figures.settings
    assert (one.figures["wait_days"].high or 99) < 14 and one.figures["turned_away"].mean > 0.2
    assert four.figures["turned_away"].mean < TURNED_AWAY and answer.figures.cheapest == {"physicians": 4}
    assert answer.figures.hold == {"wait_days": 14, "turned_away": TURNED_AWAY}
    told = answer.sections[0].body[0]
    assert isinstance(told, Paragraph) and "turned_away ≤ 0.05" in told.text and "--hold turned_away=" in told.text
    own = DialQuestion(vary={"physicians": (1, 4)}, fixed=crowded, hold={**asked.hold, "turned_away": 1}, trials=2)
    assert whatif(own).figures.cheapest == {"physicians": 1}, "a limit of one's own replaces the default"


def test_the_share_turned_away_is_beside_the_waiting_time_in_the_table_and_the_figures() -> None:
    body = whatif(DialQuestion(vary={"physicians": (2, 3)}, fixed=SMALL, trials=1)).sections[0].body
    table = next(block for block in body if isinstance(block, Table))
    assert [*table.columns][1:3] == ["wait days", "turned away"]
    drawn = [block.caption for block in body if isinstance(block, Figure)]
    assert drawn[0].startswith("Wait days") and drawn[1].startswith("Turned away")


def test_a_patient_whose_session_is_cancelled_and_who_finds_no_other_time_is_turned_away() -> None:
    setting = Setting.model_validate({"physicians": 1, "horizon": 1, "hospital_cancel": 1, "warm_up": 0, "weeks": 1})
    request = VisitRequest(0, 500.0, False, *[0.5] * 10)
    ran = Trial(setting, [request], random.Random(1))
    tally = ran.run()
    assert (tally.asked, tally.rebooked, tally.turned_away) == (1, 0, 1)


def test_waiting_times_are_in_calendar_days() -> None:
    friday, monday = VisitRequest(4, 60.0, False, *[0.5] * 10), Spot(5, 0, 0, 4, False)
    assert waited_days(friday, monday, Setting(visit=15)) == 3.0


def test_an_impossible_question_is_refused_with_the_reason() -> None:
    with pytest.raises(UnknownName, match="nurses"):
        whatif(DialQuestion(vary={"nurses": (1, 2)}))
    with pytest.raises(ConfigError, match="urgent_slots"):
        whatif(DialQuestion(vary={"urgent_slots": (8,)}, fixed={"session_hours": 1}))
    with pytest.raises(UnknownName, match="happiness"):
        whatif(DialQuestion(vary={"physicians": (1,)}, hold={"happiness": 1}))


def test_a_users_own_figures_replace_assumptions_and_the_remaining_assumptions_are_named(tmp_path: Path) -> None:
    own = tmp_path / "own.toml"
    own.write_text("demand = 45\nno_show = 0.08\nweeks = 1\nwarm_up = 1\n")
    asked = [
        "whatif",
        "frontdesk",
        "--vary",
        "physicians=2",
        "--trials",
        "1",
        "--figures",
        str(own),
        "--set",
        "weeks=2",
    ]
    told = CliRunner().invoke(cli, asked)
    assert "Assumed, not measured: sessions, session_hours" in told.stdout
    data = json.loads(CliRunner().invoke(cli, [*asked, "--json"]).stdout)
    assert data["sources"]["demand"] == f"your file {own}" and data["sources"]["weeks"] == "given with --set"
    assert "h-adminsim" in data["sources"]["cancel"] and "assumption" in data["sources"]["clerks"]
    own.write_text("demand = 'many'\n")
    refused = CliRunner().invoke(cli, asked)
    assert isinstance(refused.exception, DataError) and "demand" in str(refused.exception)


def test_the_command_reads_ranges_lists_and_limits(tmp_path: Path) -> None:
    page = tmp_path / "whatif.html"
    command = ["whatif", "frontdesk", "--vary", "physicians=2..3", "--vary", "no_show=0.05,0.15", "--trials", "2"]
    asked = [
        *command,
        "--set",
        "weeks=1",
        "--set",
        "warm_up=1",
        "--hold",
        "wait_days=30",
        "--html",
        str(page),
        "--json",
    ]
    result = CliRunner().invoke(cli, asked)
    assert result.exit_code == 0, result.output
    data = json.loads(result.stdout)
    dials = [tuple(row["dials"].values()) for row in data["settings"]]
    assert dials == [(2, 0.05), (2, 0.15), (3, 0.05), (3, 0.15)] and data["cheapest"]["physicians"] == 2
    assert "<svg" in page.read_text()
    for wrong in (["--vary", "physicians"], ["--vary", "physicians=6..2"], ["--vary", "a=1", "--vary", "a=2"], []):
        refused = CliRunner().invoke(cli, ["whatif", "frontdesk", *wrong])
        assert isinstance(refused.exception, ConfigError), wrong
    other = CliRunner().invoke(cli, ["whatif", "demo", "--vary", "x=1"])
    assert isinstance(other.exception, ConfigError) and "frontdesk" in str(other.exception)


async def test_the_managers_report_adds_up() -> None:
    results = await played(clinic="frontdesk", scenarios="secondary:1:60", seed=1)
    closed = [end for episode in results.episodes if (end := episode.ended_with(HospitalClosed)) is not None]
    uses = [use for end in closed for use in end.clinics]
    made = [episode for episode in results.episodes if episode.ended_with(AppointmentMade) is not None]
    cancelled = sum(episode.outcome == "cancelled" for episode in results.episodes)
    assert sum(use.visits + use.no_shows for use in uses) == len(made) - cancelled
    for use in uses:
        assert all(seen + missed <= held for seen, missed, held in zip(use.seen, use.missed, use.held, strict=True))
    assert all(episode.ended_with(TalkHeld) is not None for episode in made)
    assert clinic.report is not None
    sections = {section.title: section for section in clinic.report(results)}
    body = sections["Front desk: operations"].body
    captions = " ".join(block.caption for block in body if isinstance(block, (Figure, Table)))
    for words in (
        "at a glance",
        "by department",
        "physician and hour",
        "Calls day by day",
        "length and outcome",
        "clerks",
    ):
        assert words in captions
    drawn = next(block for block in body if isinstance(block, Figure) and block.caption.startswith("Waiting lists"))
    ended = next(told for episode in results.episodes if (told := episode.ended_with(ListsOverTime)))
    assert isinstance(drawn.chart, Lines) and ended.most_waiting > 0
    lengths = dict(zip(drawn.chart.x, drawn.chart.series["on a list when the desk closed"], strict=True))
    assert {day: lengths[day] for day, _ in ended.waiting_by_day} == dict(ended.waiting_by_day)
