"""`polyclinic audit`: blinded packets for people to rate or read, and what they say about the judges and the reader."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import click

from polyclinic.cli.options import HTML, Group, json_option, print_result, store_option, waits
from polyclinic.core.files import must_exist
from polyclinic.core.reading import READER
from polyclinic.errors import ConfigError, UnknownName
from polyclinic.eval.audit import read_ratings, write_packet
from polyclinic.eval.audit_readings import ReadingsKey, load_key, read_answers, write_labels, write_readings
from polyclinic.eval.audit_readings_report import readings_sections
from polyclinic.eval.audit_report import audit, audit_sections, people_by_variant
from polyclinic.eval.sections import sections_to_plain
from polyclinic.eval.terminal import section_text
from polyclinic.runner.readings import readings_of_run
from polyclinic.runner.reports import make_report, rubric_questions, write_html
from polyclinic.runner.results import load_results
from polyclinic.store.scores import LIVE
from polyclinic.store.store import open_store


@click.group(
    cls=Group,
    name="audit",
    short_help="Let people rate transcripts or read texts blind, and compare them with the judges or the reader.",
)
def command() -> None:
    """Let people rate transcripts or read texts blind, and compare them with the judges or the reader.

    Run `packet` first, for transcripts, or `readings`, for single texts. Then people fill in their sheets. Then run
    `read`.
    """


@command.command("packet")
@click.argument("run", default="last")
@click.option("--folder", default="audit-packet", show_default=True, help="The folder that the raters get.")
@click.option(
    "--key",
    "key_path",
    default="audit-key.json",
    show_default=True,
    help="The file that says which transcript is which; do not give it to the raters.",
)
@click.option("--rubric", default="", metavar="NAME|FILE", help="A rubric judge of the clinic, or a rubric file.")
@click.option("--episodes", type=click.IntRange(1), default=40, show_default=True, help="How many transcripts to rate.")
@click.option("--raters", default="rater-1,rater-2", show_default=True, metavar="NAMES", help="Comma-separated.")
@click.option("--seed", type=int, default=0, show_default=True)
@store_option
@json_option
@waits
async def packet(
    run: str,
    folder: str,
    key_path: str,
    rubric: str,
    episodes: int,
    raters: str,
    seed: int,
    store: str,
    as_json: bool,
) -> int:
    """Write a blinded packet: transcripts under anonymous codes, and one sheet for each rater."""

    async with open_store(store, must_exist=True) as opened:
        results = await load_results(opened, run)
    questions = rubric_questions(results.clinic, rubric)
    key = write_packet(results, questions, folder, key_path, episodes=episodes, raters=_names(raters), seed=seed)
    packet_path, key_file = Path(folder).resolve(), Path(key_path).resolve()
    print_result(
        as_json,
        {"run": key.run, "items": len(key.items), "packet": str(packet_path), "key": str(key_file)},
        f"{len(key.items)} transcripts to rate: {packet_path}",
        f"the key (do not give it to the raters): {key_file}",
    )
    return 0


@command.command("readings")
@click.argument("run", default="last")
@click.option("--folder", default="readings-packet", show_default=True, help="The folder that the raters get.")
@click.option(
    "--key",
    "key_path",
    default="readings-key.json",
    show_default=True,
    help="The file that says what the reader answered; do not give it to the raters.",
)
@click.option("--lines", type=click.IntRange(1), default=60, show_default=True, help="How many texts to read.")
@click.option("--kind", default="", metavar="KIND", help="Only this kind of reading.")
@click.option("--raters", default="rater-1,rater-2", show_default=True, metavar="NAMES", help="Comma-separated.")
@click.option("--seed", type=int, default=0, show_default=True)
@store_option
@json_option
@waits
async def readings(
    run: str,
    folder: str,
    key_path: str,
    lines: int,
    kind: str,
    raters: str,
    seed: int,
    store: str,
    as_json: bool,
) -> int:
    """Write a blind packet of readings: texts and questions that the run's reader answered, drawn evenly over kinds and
    answers, and one sheet for each rater.
    """
    async with open_store(store, must_exist=True) as opened:
        results = await load_results(opened, run, transcripts=False)
        found = await readings_of_run(opened, results, seed)
    kinds = sorted({reading.question.kind for reading in found})
    if kind and kind not in kinds:
        raise UnknownName("kind of reading in {1}", kind, kinds, of=results.run)
    key = write_readings(
        results,
        [reading for reading in found if kind in ("", reading.question.kind)],
        folder,
        key_path,
        reader=next((member.original.model for member in results.cast if member.role == READER), ""),
        lines=lines,
        raters=_names(raters),
        seed=seed,
    )
    packet_path, key_file = Path(folder).resolve(), Path(key_path).resolve()
    print_result(
        as_json,
        {"run": key.run, "items": len(key.items), "packet": str(packet_path), "key": str(key_file)},
        f"{len(key.items)} texts to read: {packet_path}",
        f"the key (do not give it to the raters): {key_file}",
        f"then: polyclinic audit read SHEET… --key {key_path} --labels labels.jsonl",
    )
    return 0


@command.command("read")
@click.argument("sheets", nargs=-1, required=True, type=click.Path(dir_okay=False))
@click.option("--key", "key_path", default="audit-key.json", show_default=True, help="The key of the packet.")
@click.option("--scoring", default=LIVE, show_default=True, help="Which scoring of the run to compare with people.")
@click.option("--html", type=HTML, default="", metavar="FILE", help="Write the run's report with the audit in it.")
@click.option(
    "--labels",
    default="",
    metavar="FILE",
    help="Of readings: also write people's labels, for `polyclinic eval readings --file`.",
)
@store_option
@json_option
@waits
async def read(
    sheets: tuple[str, ...], key_path: str, scoring: str, html: str, labels: str, store: str, as_json: bool
) -> int:
    """Read filled sheets: how far people agree with each other, and the judges or the reader with people."""
    for sheet in sheets:
        must_exist(sheet, about="sheet")
    key = load_key(key_path)
    if isinstance(key, ReadingsKey):
        answers = [answer for sheet in sheets for answer in read_answers(sheet, key)]
        if not answers:
            raise ConfigError(f"the {len(sheets)} sheet(s) hold no answer yet: fill in yes, no or unclear")
        count, sections = len(answers), readings_sections(key, answers)
    elif labels:
        raise ConfigError("--labels goes with sheets of `polyclinic audit readings`: ratings are no labels")
    else:
        ratings = [rating for sheet in sheets for rating in read_ratings(sheet, key)]
        if not ratings:
            raise ConfigError(
                f"the {len(sheets)} sheet(s) hold no rating yet: fill in whole numbers and read them again"
            )
        async with open_store(store, must_exist=True) as opened:
            results = await load_results(opened, key.run, scoring)
        count = len(ratings)
        sections = audit_sections(audit(results, key, ratings), people_by_variant(results, key, ratings))
    if html:
        async with open_store(store, must_exist=True) as opened:
            report = await make_report(opened, key.run, scoring=scoring)
        write_html([replace(report, sections=(*report.sections, *sections))], Path(html))
    told = ""
    if labels and isinstance(key, ReadingsKey):
        told = f"{write_labels(labels, key, answers)} labels: {Path(labels).resolve()}"
    print_result(
        as_json,
        {"run": key.run, "ratings": count, "sections": sections_to_plain(sections)},
        "\n\n".join([*(section_text(section) for section in sections), *filter(None, [told])]),
    )
    return 0


def _names(raters: str) -> list[str]:
    return [name.strip() for name in raters.split(",") if name.strip()]
