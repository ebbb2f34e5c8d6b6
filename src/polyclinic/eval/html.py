"""One self-contained HTML file: no script, no external asset; works in print, in dark mode and with screen readers."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from polyclinic.core.files import package_text
from polyclinic.eval.found import FOUND, found_in_brief
from polyclinic.eval.html_blocks import render_block, render_blocks, small_picture
from polyclinic.eval.overview import NOT_CLINICAL, TRANSCRIPTS, UNDERSTUDIES, cast_table
from polyclinic.eval.reading import clip
from polyclinic.eval.report import RunReport
from polyclinic.eval.results import RunResults
from polyclinic.eval.sections import Cell, Details, Figure, Paragraph, Section, Table

_NOT_SHOWN = frozenset({"clinic", "cast", "variants", "store", "concurrency", "cache"})
_LONGEST_SETTING = 400
_ONE_LINE = 40


def render_html(reports: Sequence[RunReport], title: str = "") -> str:
    """The page: one part for each report, with an overview before them when there are several."""
    heading = title or (reports[0].title if len(reports) == 1 else "Polyclinic report")
    parts = [_part(report, index, alone=len(reports) == 1) for index, report in enumerate(reports)]
    overview = _overview(reports) if len(reports) != 1 else ""
    return page(heading, _contents(reports), f"{overview}{''.join(parts)}")


def render_sections(heading: str, sections: Sequence[Section]) -> str:
    """A page of sections that belong to no run."""
    body = "".join(_section(section, _anchor(0, number), 2) for number, section in enumerate(sections))
    return page(heading, f'<nav aria-label="Contents">{_links(0, sections)}</nav>', body)


def page(heading: str, contents: str, body: str) -> str:
    """A whole page around a body of safe HTML, with its style, and with the notice at top and bottom."""
    style = package_text("polyclinic.eval", "report.css")
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n'
        f"<title>{escape(heading)} – Polyclinic</title>\n<style>\n{style}</style>\n</head>\n<body>\n"
        '<a class="skip" href="#main">Skip to the results</a>\n'
        f"<header>\n<p class=brand>Polyclinic</p>\n<h1>{escape(heading)}</h1>\n"
        f'<p class="notice" role="note">{escape(NOT_CLINICAL)}</p>\n</header>\n'
        f"{contents}\n<main id=main>\n{body}</main>\n"
        f"<footer><p>{escape(NOT_CLINICAL)}</p></footer>\n</body>\n</html>\n"
    )


def _anchor(index: int, number: int) -> str:
    return f"r{index + 1}-{number + 1}"


def _links(index: int, sections: Sequence[Section]) -> str:
    titles = (
        f'<li><a href="#{_anchor(index, number)}">{escape(section.title)}</a></li>'
        for number, section in enumerate(sections)
    )
    return f"<ul>{''.join(titles)}</ul>"


def _contents(reports: Sequence[RunReport]) -> str:
    lists = []
    for index, report in enumerate(reports):
        links = _links(index, report.all_sections)
        name = f'<a href="#r{index + 1}">{escape(report.title)}</a>'
        lists.append(links if len(reports) == 1 else f"<details><summary>{name}</summary>{links}</details>")
    return f'<nav aria-label="Contents">{"".join(lists)}</nav>'


def _overview(reports: Sequence[RunReport]) -> str:
    """What each run found, in a sentence above its first picture; then the same with all figures, folded."""
    rows: list[list[Cell]] = []
    cards = []
    for index, report in enumerate(reports):
        found = next((section.body for section in report.all_sections if section.title == FOUND), [])
        told = [block.text for block in found if isinstance(block, Paragraph)]
        rows.append(
            [report.title, " ".join(told[1:2]), len(report.results.episodes), report.results.failed, report.summary.run]
        )
        title = f'<a href="#r{index + 1}">{escape(report.title)}</a>'
        picture = next((small_picture(block) for block in found if isinstance(block, Figure)), "")
        words = escape(found_in_brief(report.results, report.summary, report.headline))
        cards.append(f"<figure><figcaption>{title}</figcaption><p>{words}</p>{picture}</figure>")
    columns = ["clinic", "what was found", "episodes", "failed", "run"]
    table = render_block(Details("All figures, with intervals", [Table("Runs in this report", columns, rows)]))
    body = f'<div class="grid overview">{"".join(cards)}</div>{table}'
    return f"<section aria-labelledby=overview><h2 id=overview>Overview</h2>{body}</section>\n"


def _part(report: RunReport, index: int, alone: bool) -> str:
    level = 2 if alone else 3
    titles = [section.title for section in report.all_sections]
    episodes = _anchor(index, titles.index(TRANSCRIPTS)) if TRANSCRIPTS in titles else ""
    sections = [
        _section(section, _anchor(index, number), level, episodes) for number, section in enumerate(report.all_sections)
    ]
    first = {FOUND, *report.unfolded}
    found = [section for title, section in zip(titles, sections, strict=True) if title in first]
    rest = [section for title, section in zip(titles, sections, strict=True) if title not in first]
    heading = "" if alone else f'<h2 id="r{index + 1}">{escape(report.title)}</h2>'
    more = "".join([_facts(report), *rest])
    if not alone:
        more = (
            f"<details><summary>All tables, pictures and transcripts: {escape(report.title)}</summary>{more}</details>"
        )
    about = f"<p>{escape(report.results.about)}</p>" if report.results.about else ""
    return f'<article class="run">{heading}{about}{"".join(found)}{more}</article>\n'


def _section(section: Section, anchor: str, level: int, episodes: str = "") -> str:
    return (
        f'<section aria-labelledby="{anchor}"><h{level} id="{anchor}">{escape(section.title)}</h{level}>\n'
        f"{render_blocks(section.body, episodes)}</section>\n"
    )


def _settings(results: RunResults) -> list[tuple[str, str]]:
    """The settings that were given, in words, without those that cannot change a result or are shown elsewhere."""
    found = []
    for name, value in results.config.items():
        if name in _NOT_SHOWN or (not value and name != "seed"):
            continue
        words = ", ".join(map(str, value)) if isinstance(value, (list, tuple)) else str(value)
        if isinstance(value, dict):
            words = ", ".join(f"{key} = {item}" for key, item in value.items())
        label = "selection" if name == "scenarios" else name.replace("_", " ")
        found.append((label.capitalize(), clip(words, _LONGEST_SETTING)))
    return found


def _facts(report: RunReport) -> str:
    """Who played, how much was run, and with which settings. It comes before any table."""
    results = report.results
    facts = [
        ("Run", report.summary.run),
        ("Clinic", report.summary.clinic),
        ("Episodes", f"{len(results.episodes):,}, of which {results.failed:,} failed"),
        ("Scenarios", f"{len({episode.scenario for episode in results.episodes}):,}"),
        *_settings(results),
    ]
    listed = "".join(
        f"<div{' class=wide' if len(value) > _ONE_LINE else ''}><dt>{escape(name)}</dt><dd>{escape(value)}</dd></div>"
        for name, value in facts
    )
    roles = report.understudied()
    played = f"<b>Played by understudies: {escape(', '.join(roles))}.</b>"
    note = f"<p class=note>{played} {escape(UNDERSTUDIES)}</p>" if roles else ""
    cast = render_block(cast_table(results)) if results.cast else ""
    folded = f"<details><summary>Who played, and how it was run</summary>{cast}</details>" if cast else ""
    return f'<dl class="facts">{listed}</dl><div class="cast">{note}{folded}</div>'
