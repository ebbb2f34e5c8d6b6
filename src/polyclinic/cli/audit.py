"""`polyclinic audit`: blinded packets for people to rate, and what their ratings say about the judges."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import click

from polyclinic.cli.options import HTML, Group, json_option, print_result, store_option, waits
from polyclinic.core.files import must_exist
from polyclinic.errors import ConfigError
from polyclinic.eval.audit import AuditKey, read_ratings, write_packet
from polyclinic.eval.audit_report import audit, audit_sections, people_by_variant
from polyclinic.eval.sections import sections_to_plain
from polyclinic.eval.terminal import section_text
from polyclinic.runner.reports import make_report, rubric_questions, write_html
from polyclinic.runner.results import load_results
from polyclinic.store.scores import LIVE
from polyclinic.store.store import open_store


@click.group(
    cls=Group, name="audit", short_help="Let people rate transcripts blind, and compare their ratings with the judges."
)
def command() -> None:
    """Let people rate transcripts blind, and compare their ratings with the judges.

    Run `packet` first. Then people fill in their sheets. Then run `read`.
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
    names = [name.strip() for name in raters.split(",") if name.strip()]
    questions = rubric_questions(results.clinic, rubric)
    key = write_packet(results, questions, folder, key_path, episodes=episodes, raters=names, seed=seed)
    packet_path, key_file = Path(folder).resolve(), Path(key_path).resolve()
    print_result(
        as_json,
        {"run": key.run, "items": len(key.items), "packet": str(packet_path), "key": str(key_file)},
        f"{len(key.items)} transcripts to rate: {packet_path}",
        f"the key (do not give it to the raters): {key_file}",
    )
    return 0


@command.command("read")
@click.argument("sheets", nargs=-1, required=True, type=click.Path(dir_okay=False))
@click.option("--key", "key_path", default="audit-key.json", show_default=True, help="The key of the packet.")
@click.option("--scoring", default=LIVE, show_default=True, help="Which scoring of the run to compare with people.")
@click.option("--html", type=HTML, default="", metavar="FILE", help="Write the run's report with the audit in it.")
@store_option
@json_option
@waits
async def read(sheets: tuple[str, ...], key_path: str, scoring: str, html: str, store: str, as_json: bool) -> int:
    """Read rating sheets: how far people agree with each other, and judges with people."""
    for sheet in sheets:
        must_exist(sheet, about="sheet")
    key = AuditKey.load(key_path)
    ratings = [rating for sheet in sheets for rating in read_ratings(sheet, key)]
    if not ratings:
        raise ConfigError(f"the {len(sheets)} sheet(s) hold no rating yet: fill in whole numbers and read them again")
    async with open_store(store, must_exist=True) as opened:
        results = await load_results(opened, key.run, scoring)
        sections = audit_sections(audit(results, key, ratings), people_by_variant(results, key, ratings))
        report = await make_report(opened, key.run, scoring=scoring) if html else None
    if report is not None:
        write_html([replace(report, sections=(*report.sections, *sections))], Path(html))
    print_result(
        as_json,
        {"run": key.run, "ratings": len(ratings), "sections": sections_to_plain(sections)},
        "\n\n".join(section_text(section) for section in sections),
    )
    return 0
