"""The human audit kit: blinded packets to rate, a separate key, and rating sheets that are read back with clear errors.

A packet is a folder: ``packet.html`` with the transcripts under shuffled anonymous ids, and one ``ratings_NAME.csv``
for each rater, each in a different order. The key (which id is which episode) is kept elsewhere, so that a rater who
holds the packet cannot know which variant or model they read.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from polyclinic.core.files import bad_file, checked, parse_json, read_text
from polyclinic.core.message import Frozen
from polyclinic.core.seed import stream
from polyclinic.errors import EngineError, UserError
from polyclinic.eval.audit_page import packet_page
from polyclinic.eval.criteria import Criterion
from polyclinic.eval.results import EpisodeRow, RunResults
from polyclinic.eval.sections import Line

_ALPHABET = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"
_COMMENT = "comment"


class AuditKey(Frozen):
    """The key, which raters must not see: which anonymous id is which episode, and what was asked."""

    run: str
    clinic: str
    seed: int
    questions: tuple[Criterion, ...]
    items: dict[str, str]

    def save(self, path: Path) -> None:
        """Write the key as JSON."""
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(self.model_dump_json(indent=2) + "\n", encoding="utf-8")

    @classmethod
    def load(cls, path: str | Path) -> AuditKey:
        """Read a key from its file; raises `DataError` if the file is not a key."""
        plain = parse_json(read_text(path, about="key", fix="name the packet's key with --key"), path)
        return checked(cls, plain, path, field="is not an audit key")


@dataclass(frozen=True)
class Rating:
    """One rater's number for one question of one item."""

    rater: str
    item: str
    question: str
    value: int
    comment: str = ""


_Shown = Callable[[EpisodeRow], Sequence[Line]]


def spoken_lines(episode: EpisodeRow) -> list[Line]:
    """What raters see by default: the words said aloud, and nothing else."""
    return [Line(said.speaker, said.text) for said in episode.transcript.said()]


def write_packet(
    results: RunResults,
    questions: Sequence[Criterion],
    folder: str | Path,
    key_path: str | Path,
    *,
    episodes: int = 40,
    raters: Sequence[str] = ("rater-1", "rater-2"),
    seed: int = 0,
    shown: _Shown = spoken_lines,
) -> AuditKey:
    """Write a blinded packet and its key. Episodes are drawn evenly from the variants, only from those that ended
    without a failure. `questions` are a rubric's criteria, so that people and judges answer the same questions.
    """
    packet, key_file = Path(folder), Path(key_path)
    if key_file.resolve().is_relative_to(packet.resolve()):
        raise UserError(f"the key {key_file} would be inside the packet {packet}: put it where raters cannot see it")
    _check_names(raters, questions)
    key, items = blind(results, questions, episodes=episodes, seed=seed)
    page = packet_page(questions, {code: shown(episode) for code, episode in items.items()})
    check_blind(page, results, items.values())
    packet.mkdir(parents=True, exist_ok=True)
    (packet / "packet.html").write_text(page, encoding="utf-8")
    for rater in raters:
        sheet = _blank_sheet(rater_order(key, rater), questions)
        (packet / f"ratings_{rater}.csv").write_text(sheet, encoding="utf-8", newline="")
    key.save(key_file)
    return key


def blind(
    results: RunResults, questions: Sequence[Criterion], *, episodes: int = 40, seed: int = 0
) -> tuple[AuditKey, dict[str, EpisodeRow]]:
    """Draw episodes to rate, and give each an anonymous code. Returns the key, and the episodes by their codes."""
    chosen = _draw(results, episodes, seed)
    if not chosen:
        raise UserError(f"run {results.run} has no finished episode with a transcript to rate")
    items = dict(zip(anonymous_codes(len(chosen), "audit", results.run, seed, "codes"), chosen, strict=True))
    key = AuditKey(
        run=results.run,
        clinic=results.clinic,
        seed=seed,
        questions=tuple(questions),
        items={code: episode.id for code, episode in items.items()},
    )
    return key, items


def rater_order(key: AuditKey, rater: str) -> list[str]:
    """The order in which this rater goes through the items. Each rater has another order."""
    order = list(key.items)
    stream("audit", key.run, key.seed, "order", rater).shuffle(order)
    return order


def _check_names(raters: Sequence[str], questions: Sequence[Criterion]) -> None:
    if not questions or not raters:
        raise UserError("a packet needs at least one question and one rater")
    for name in raters:
        if not name.replace("-", "").replace("_", "").isalnum() or list(raters).count(name) > 1:
            raise UserError(f"the rater '{name}' needs a name of letters, digits, - and _ that no other rater has")


def _draw(results: RunResults, count: int, seed: int) -> list[EpisodeRow]:
    """Draw evenly from the variants, then shuffle all together."""
    piles = []
    for variant in results.variant_names():
        pile = [episode for episode in results.of(variant) if episode.status == "done" and episode.has_transcript]
        stream("audit", results.run, seed, "draw", variant).shuffle(pile)
        piles.append(pile)
    chosen: list[EpisodeRow] = []
    while len(chosen) < count and any(piles):
        for pile in piles:
            if pile and len(chosen) < count:
                chosen.append(pile.pop())
    stream("audit", results.run, seed, "shuffle").shuffle(chosen)
    return chosen


def anonymous_codes(count: int, *parts: object) -> list[str]:
    """Codes that reveal nothing; the same parts give the same codes."""
    random = stream(*parts)
    codes: dict[str, None] = {}
    while len(codes) < count:
        codes["".join(random.choice(_ALPHABET) for _ in range(5))] = None
    return list(codes)


def check_blind(page: str, results: RunResults, chosen: Iterable[EpisodeRow]) -> None:
    """Refuse a packet that names its run, an episode or a model: it would not be blind."""
    telling = [results.run, *(episode.id for episode in chosen)]
    telling += [member.model for member in results.cast if ":" in member.model]
    for name in telling:
        if name and name in page:
            raise EngineError(f"the packet would not be blind: it names '{name}'")


def _blank_sheet(order: Sequence[str], questions: Sequence[Criterion]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\r\n")
    writer.writerow(["item", *(question.id for question in questions), _COMMENT])
    for code in order:
        writer.writerow([code, *("" for _ in questions), ""])
    return text.getvalue()


def read_ratings(path: str | Path, key: AuditKey, rater: str = "") -> list[Rating]:
    """Read a rating sheet; an empty cell means no rating. Raises `DataError` with the line and how to fix it.

    The rater's name comes from the file's name (``ratings_NAME.csv``) unless it is given. Commas and semicolons both
    work as separators.
    """
    file = Path(path)
    text = read_text(file, about="sheet", fix="save it as CSV UTF-8")
    who = rater or file.stem.removeprefix("ratings_")
    first = text.partition("\n")[0]
    rows = csv.reader(io.StringIO(text, newline=""), delimiter=";" if first.count(";") > first.count(",") else ",")
    header = [name.strip() for name in next(rows, [])]
    wanted = ["item", *(question.id for question in key.questions)]
    missing = [name for name in wanted if name not in header]
    if missing:
        raise bad_file(
            file, f"the column {', '.join(missing)} is missing", line=1, fix="keep the sheet's first line as it was"
        )
    ratings: list[Rating] = []
    seen: dict[str, int] = {}
    for row in rows:
        if not any(cell.strip() for cell in row):
            continue
        cells = dict(zip(header, [cell.strip() for cell in row], strict=False))
        ratings += _read_row(cells, key, who, file, seen, rows.line_num)
    return ratings


def _read_row(
    cells: Mapping[str, str], key: AuditKey, rater: str, file: Path, seen: dict[str, int], line: int
) -> list[Rating]:
    item = cells["item"].upper()
    if item not in key.items:
        fix = "check its spelling in packet.html"
        raise bad_file(file, f"there is no item '{cells['item']}' in this packet", line=line, fix=fix)
    if item in seen:
        raise bad_file(
            file, f"the item {item} was already rated on line {seen[item]}", line=line, fix="keep one of the two"
        )
    seen[item] = line
    found = []
    for question in key.questions:
        written = cells.get(question.id, "")
        if not written:
            continue
        try:
            value = int(written)
        except ValueError:
            raise bad_file(file, f"'{written}' is not a whole number", line=line, field=question.id) from None
        if not question.low <= value <= question.high:
            scale = f"{question.low} to {question.high}"
            raise bad_file(file, f"{value} is outside the scale {scale}", line=line, field=question.id)
        found.append(Rating(rater, item, question.id, value, cells.get(_COMMENT, "")))
    return found
