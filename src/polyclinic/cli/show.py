"""`polyclinic show`: one episode, readable."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from types import MappingProxyType

import click
import orjson

from polyclinic.cli.language import own_names, own_role, own_words
from polyclinic.cli.options import json_option, print_json, print_result, store_option, table, waits
from polyclinic.core.transcript import Called, Changed, Ended, Event, Noted, Posted, Said, Scored, Started
from polyclinic.eval.chart_text import shown
from polyclinic.eval.reading import event_line, outcome_words
from polyclinic.runner.registry import load_clinic
from polyclinic.runner.results import clinic_metrics
from polyclinic.store.store import open_store
from polyclinic.text.layout import filled, terminal_width
from polyclinic.text.worded import Worded

WIDEST = 110


@click.command(name="show", short_help="Show one episode's transcript.")
@click.argument("run", default="last")
@click.argument("episode", required=False)
@click.option("--calls", is_flag=True, help="Also show every model call.")
@click.option(
    "--notes", is_flag=True, help="Also show what was kept for judges and reports, including the case's answer."
)
@store_option
@json_option
@waits
async def command(run: str, episode: str | None, calls: bool, notes: bool, store: str, as_json: bool) -> int:
    """Show one episode's transcript.

    Without EPISODE, lists the run's episodes. Shows what people said and did, then the scores.
    """
    async with open_store(store, must_exist=True) as opened:
        row = await opened.runs.get(run)
        clinic = load_clinic(row.clinic)
        if episode is None:
            rows = await opened.runs.episodes(row.id)
            print_result(
                as_json,
                [{"episode": r.spec.id, "status": r.status, "outcome": r.outcome} for r in rows],
                table(
                    [
                        [r.spec.id, own_words(r.status), own_words(outcome_words(r.outcome, clinic.outcomes))]
                        for r in rows
                    ],
                    ["episode", "status", "outcome"],
                ),
            )
            return 0
        transcript = await opened.runs.transcript(row.id, episode)
    titles = {metric.name: metric.title for metric in clinic_metrics(clinic) if metric.title}
    if as_json:
        print_json(orjson.loads(transcript.to_json()))
        return 0
    for event in transcript:
        if (calls or not isinstance(event, Called)) and (notes or not isinstance(event, (Noted, Changed))):
            click.echo(describe(event, notes, titles))
    return 0


def describe(event: Event, notes: bool = False, titles: Mapping[str, str] = MappingProxyType({})) -> str:
    """One event as a person reads it in a terminal.

    Without `notes`, the end of an episode is shown without the data that was kept with it. `titles` are the names of
    metrics in words, as in reports.
    """
    match event:
        case Started():
            about = (event.clinic, event.scenario, event.variant, event.trial, event.seed)
            return _aside(own_words(Worded("{1}, {2}, {3}, trial {4}, seed {5}", *about)))
        case Called():
            answered = Worded("{1} answered the prompt {2} ({3})", own_role(event.role), event.prompt, event.model)
            return _aside(f"{own_words(answered)}: {_wrapped(event.text)}")
        case Scored():
            score = event.score
            title = titles.get(score.metric, score.metric.replace("_", " "))
            called = own_names().get(score.metric, title)
            whose = own_role(score.subject)
            subject = (f"({whose})" if own_names() else f" of {whose}") if whose else ""
            reason = " ".join(own_words(score.reason).split())
            return _aside(f"{score.judge}: {called}{subject} = {shown(score.value)}{f': {reason}' if reason else ''}")
    line = event_line(event)
    assert line is not None, "every other event has a line"
    if isinstance(event, Said):
        who, to, whom = line.speaker.partition(" to ")
        head = f"{own_role(who)}{' → ' if to and own_names() else to}{own_role(whom)}:"
        return f"{click.style(head, bold=True)}{_wrapped(f'{head} {line.text}')[len(head) :]}"
    speaker, text = own_words(line.speaker), own_words(line.text)
    if isinstance(event, Posted):
        return _aside(f"{speaker}: {text}\n{textwrap.indent(own_words(line.aside), '    ')}")
    kept = isinstance(event, Ended) and not notes
    aside = "" if kept else " ".join(own_words(line.aside).split())
    words = f"{speaker}: {text}{f'; {aside}' if aside else ''}"
    return click.style(_wrapped(f"  ! {words}"), fg="red") if line.tone == "warning" else _aside(words)


def _aside(text: str) -> str:
    return click.style(_wrapped(f"  · {text}"), dim=True)


def _wrapped(text: str) -> str:
    return "\n".join(filled(line, terminal_width(WIDEST), "    ") for line in text.split("\n"))
