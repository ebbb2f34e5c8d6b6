"""Read `RunResults` from the store: every report, comparison and export of numbers is made from them.

A person who played gets their own figures, not those of the other players.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple, cast

from polyclinic.core.clinic import Clinic
from polyclinic.core.judge import Case, Judge, Metric
from polyclinic.core.model import ModelKind, role_of
from polyclinic.core.reading import READER
from polyclinic.core.scenario import Scenario
from polyclinic.core.transcript import Ended, EpisodeStatus, Failed, Score, Scored, Transcript
from polyclinic.errors import UnknownName
from polyclinic.eval.estimate import number_text
from polyclinic.eval.results import CastMember, EpisodeRow, Failure, RoleUsage, RunResults
from polyclinic.eval.rules import CodedJudge
from polyclinic.eval.sections import Paragraph, Section
from polyclinic.eval.validity import ground_of, never_measured
from polyclinic.models.spec import parse_cast
from polyclinic.reading.measure import reader_accuracy
from polyclinic.runner.registry import load_clinic, read_scenarios
from polyclinic.store.run_rows import RunRow, StoredEpisode
from polyclinic.store.scores import LIVE
from polyclinic.store.store import Store

AT_ONCE = 50
"""How many transcripts are read in one statement."""


async def load_results(store: Store, run: str, scoring: str = LIVE, *, transcripts: bool = True) -> RunResults:
    """A run's results with the scores of one scoring: the live one, or a later rescoring by its name.

    Without `transcripts`, a large run is read quickly, but failures and the data of each episode's last event are
    missing.
    """
    row = await store.runs.get(run)
    clinic = load_clinic(row.clinic)
    rows = [r for r in await store.runs.episodes(row.id, row.config["seed"], row.clinic) if r.status != "pending"]
    await store.scores.require(row.id, scoring)
    scores = await store.scores.read(row.id, scoring)
    bodies = await store.runs.scenarios(row.id)
    scenarios = read_scenarios(clinic, bodies)
    timings = await store.runs.timings(row.id)
    episodes: list[EpisodeRow] = []
    for number, episode in enumerate(rows):
        if transcripts and number % AT_ONCE == 0:
            read = await store.runs.transcripts(row.id, [each.spec.id for each in rows[number : number + AT_ONCE]])
        transcript = read[episode.spec.id] if transcripts else Transcript()
        tags = scenarios[episode.spec.scenario].tags
        kept = _episode(episode, transcript, scores.get(episode.spec.id, []), tags, number)
        episodes.append(replace(kept, timings=timings.get(episode.spec.id, {})))
    variants = tuple(dict.fromkeys(r.spec.variant for r in rows))
    players = await _cast(store, row, await _reader_of(store, row.id, scoring))
    reader = next((member.original.model for member in players if member.role == READER), "")
    return RunResults(
        run=row.id,
        clinic=row.clinic,
        cast=players,
        variants=variants,
        metrics=clinic_metrics(clinic),
        episodes=tuple(episodes),
        config=row.config,
        scenarios=scenarios,
        about=clinic.summary,
        baseline=next((name for name in variants if clinic.variants[name].baseline), ""),
        outcomes=clinic.outcomes,
        variant_about={name: clinic.variants[name].about for name in variants},
        read_roles={kind.name: kind.who for kind in clinic.readings},
        never_read=kinds_never_read(clinic, players, list(scenarios.values())),
        reader_accuracy=reader_accuracy(reader),
        judged_by={metric.name: _maker(judge) for judge in clinic.judges() for metric in judge.metrics},
    )


def kinds_never_read(clinic: Clinic, cast: Sequence[CastMember], scenarios: Sequence[Scenario]) -> frozenset[str]:
    """The kinds of reading that nobody is asked about in these scenarios, because models choose from a list there."""
    people = {role_of(member.role) for member in cast if member.original.kind == "human"}
    return frozenset(
        kind.name
        for kind in clinic.readings
        if kind.only_in is not None and not people & set(kind.who) and not any(map(kind.only_in, scenarios))
    )


def clinic_metrics(clinic: Clinic) -> tuple[Metric, ...]:
    """All metrics of the clinic's judges."""
    return tuple({metric.name: metric for judge in clinic.judges() for metric in judge.metrics}.values())


def _maker(judge: Judge) -> str:
    return "exact rule" if isinstance(judge, CodedJudge) else f"judge {judge.name}"


async def _cast(store: Store, row: RunRow, reader: str = "") -> tuple[CastMember, ...]:
    """Who played each role. A `reader` that a rescoring asked stands for the run's own."""
    kinds = {"builtin": "reader", "replay": "replay"}
    other = {READER: {"model": reader, "kind": kinds.get(reader.partition(":")[0], "llm")}} if reader else {}
    return tuple([await _member(store, role, player) for role, player in {**row.players, **other}.items()])


async def _member(store: Store, role: str, player: Mapping[str, str]) -> CastMember:
    """A player; for a recording, with the one that was recorded, if that run is still in the store."""
    name, kind = player["model"], cast("ModelKind", player["kind"])
    if kind != "replay":
        return CastMember(role, name, kind)
    try:
        then = (await store.runs.get(name.removeprefix("replay:"))).players
    except UnknownName:
        return CastMember(role, name, kind)
    played = then.get(role) or then.get(role_of(role))
    return CastMember(role, name, kind, await _member(store, role, played) if played else None)


async def _reader_of(store: Store, run: str, scoring: str) -> str:
    """The reader that a rescoring asked; empty if it asked none, or for the run's own scoring."""
    models = [] if scoring == LIVE else await store.runs.models_asked(run, scoring, READER)
    return models[0] if len(models) == 1 else " and ".join(models)


def _episode(
    row: StoredEpisode, transcript: Transcript, scores: Sequence[Score], tags: tuple[str, ...], number: int
) -> EpisodeRow:
    status: EpisodeStatus = "done" if row.status == "done" else "failed"
    ended = transcript.of(Ended)
    usage = {
        role: RoleUsage(
            calls=used["calls"],
            input_tokens=used["input_tokens"],
            output_tokens=used["output_tokens"],
            cost_nano_usd=used["cost_nano_usd"],
            estimated=bool(used["estimated"]),
        )
        for role, used in row.usage.items()
    }
    return EpisodeRow(
        id=row.spec.id,
        scenario=row.spec.scenario,
        variant=row.spec.variant,
        trial=row.spec.trial,
        status=status,
        outcome=row.outcome,
        scores=tuple(scores),
        failures=tuple(Failure(f.owner, f.error, f.where, f.fatal) for f in transcript.of(Failed)),
        usage=usage,
        tags=tags,
        data=ended[-1].data if ended else {},
        position=row.spec.position if row.spec.campaign else number,
        source=transcript,
    )


def people_in(row: RunRow) -> list[str]:
    """The roles and seats that people played, as the run's cast names them."""
    return [spec.role for spec in parse_cast(row.config["cast"]) if spec.kind == "human"]


async def time_taken(store: Store, run: str) -> dict[str, int]:
    """How long each episode took a person, in milliseconds. An episode knows only the time since it was last continued,
    so the answers that were given in earlier sittings are counted by the time they took.
    """
    thinking = await store.runs.thinking_ms(run)
    rows = await store.runs.episodes(run)
    return {row.spec.id: max(row.elapsed_ms, thinking.get(row.spec.id, 0)) for row in rows}


MOST = 4
"""How many figures are shown at the end of a session; all of them are in `polyclinic grades`."""


class OwnFigures(NamedTuple):
    """A person's figures, and the names of those that are left out, because they are not valid for this cast."""

    valid: dict[str, float]
    left_out: tuple[str, ...]


def valid_figures(results: RunResults, clinic: Clinic, role: str, case: Case) -> OwnFigures:
    """The figures of one role, without those whose reader is not good enough on the words of this cast."""
    found, known = own_figures(clinic, role, case), metrics_told(clinic)
    out = [name for name in found if name in known and not ground_of(results, known[name]).valid]
    return OwnFigures({name: value for name, value in found.items() if name not in out}, tuple(out))


def own_figures(clinic: Clinic, role: str, case: Case) -> dict[str, float]:
    """The figures of one role: those that the clinic computes, then the metrics that it names for the role.

    Several scores of one metric become their mean. A score about somebody else is left out.
    """
    found = dict(clinic.performance(case, role)) if clinic.performance is not None else {}
    scores = [event.score for event in case.transcript.of(Scored)]
    for metric in clinic.role(role).metrics:
        mine = [score for score in scores if score.metric == metric and score.subject in ("", role, role_of(role))]
        weight = sum(score.weight for score in mine)
        if mine and weight:
            found.setdefault(metric, sum(score.value * score.weight for score in mine) / weight)
    return found


def figures_beside_feedback(figures: OwnFigures, clinic: Clinic, role: str, case: Case) -> OwnFigures:
    """The figures of one role that a person sees beside their feedback; those that would mislead there are left out."""
    hidden = clinic.misleading(case, role) if clinic.misleading is not None else ()
    shown = {name: value for name, value in figures.valid.items() if name not in hidden}
    return OwnFigures(shown, tuple(name for name in figures.left_out if name not in hidden))


UNMEASURED = {
    "en": "Nobody has measured how often this session's reader is right: take what is said here about words as a hint.",
    "ko": "이 세션의 읽는 모델이 얼마나 맞는지 잰 적이 없습니다. 말에 대한 아래 평가는 참고로만 보세요.",
}
"""What a person is told whose feedback comes from a reader that was never measured."""


def own_feedback(
    clinic: Clinic, part: str, case: Case, language: str, results: RunResults | None = None
) -> list[Section]:
    """The clinic's feedback for a person who played this part; empty if the clinic gives none. With the session's
    `results`, it begins with a note if the reader was never measured.
    """
    if clinic.feedback is None or not clinic.role(part).for_people:
        return []
    sections = list(clinic.feedback(case, part, language))
    if sections and results is not None and never_measured(results):
        note = Paragraph(UNMEASURED[language], tone="note")
        sections[0] = replace(sections[0], body=[note, *sections[0].body])
    return sections


def metrics_told(clinic: Clinic) -> dict[str, Metric]:
    """What each figure of a person means: the metrics of the judges, and the clinic's metrics for people."""
    return {metric.name: metric for metric in (*clinic_metrics(clinic), *clinic.own_metrics)}


def figure_lines(clinic: Clinic, figures: Mapping[str, float]) -> Iterator[str]:
    """A few figures as text: what each means, and its value on its scale."""
    known = metrics_told(clinic)
    for name, value in list(figures.items())[:MOST]:
        metric = known.get(name)
        words = metric.about.rstrip(".?") if metric else ""
        yield f"  {words or name.replace('_', ' ')}: {_value(value, metric)}"


def _value(value: float, metric: Metric | None) -> str:
    if metric and metric.yes_no and value in (0.0, 1.0):
        return "yes" if value else "no"
    scale = f" of {metric.high:g}" if metric and 1 < metric.high < math.inf else ""
    return f"{number_text(value)}{scale}"
