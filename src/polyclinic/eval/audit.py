"""The human audit kit: blinded packets to rate, a separate key, and rating sheets that are read back with clear errors.

A packet is a folder: ``packet.html`` with the transcripts under shuffled anonymous ids, and one ``ratings_NAME.csv``
for each rater, each in a different order. The key (which id is which episode) is kept elsewhere, so that a rater who
holds the packet cannot know which variant or model they read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from polyclinic.core.files import bad_file
from polyclinic.core.seed import stream
from polyclinic.errors import UserError
from polyclinic.eval.audit_page import packet_page
from polyclinic.eval.criteria import Criterion
from polyclinic.eval.packet import (
    COMMENT,
    PacketKey,
    SheetRow,
    anonymous_codes,
    check_blind,
    check_packet,
    rater_of,
    read_sheet,
    save_packet,
)
from polyclinic.eval.results import EpisodeRow, RunResults
from polyclinic.eval.sections import Line


class AuditKey(PacketKey):
    """The key of a packet of transcripts: which anonymous id is which episode, and what was asked."""

    questions: tuple[Criterion, ...]
    items: dict[str, str]


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
    check_packet(folder, key_path, raters)
    if not questions:
        raise UserError("a packet needs at least one question")
    key, items = blind(results, questions, episodes=episodes, seed=seed)
    page = packet_page(questions, {code: shown(episode) for code, episode in items.items()})
    check_blind(page, results, items.values())
    save_packet(folder, page, key, raters, [question.id for question in questions])
    key.save(Path(key_path))
    return key


def blind(
    results: RunResults, questions: Sequence[Criterion], *, episodes: int = 40, seed: int = 0
) -> tuple[AuditKey, dict[str, EpisodeRow]]:
    """Draw episodes to rate, and give each an anonymous code. Returns the key, and the episodes by their codes."""
    chosen = draw_episodes(results, episodes, seed)
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


def draw_episodes(results: RunResults, count: int, seed: int) -> list[EpisodeRow]:
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


def read_ratings(path: str | Path, key: AuditKey, rater: str = "") -> list[Rating]:
    """Read a rating sheet; an empty cell means no rating. The rater's name comes from the file's name unless it is
    given.
    """
    who = rater or rater_of(path)
    columns = [question.id for question in key.questions]
    return [rating for row in read_sheet(path, key.items, columns) for rating in _ratings_in(row, key, who)]


def _ratings_in(row: SheetRow, key: AuditKey, rater: str) -> Iterator[Rating]:
    for question in key.questions:
        written = row.cells.get(question.id, "")
        if not written:
            continue
        try:
            value = int(written)
        except ValueError:
            raise bad_file(row.file, f"'{written}' is not a whole number", line=row.line, field=question.id) from None
        if not question.low <= value <= question.high:
            scale = f"{question.low} to {question.high}"
            raise bad_file(row.file, f"{value} is outside the scale {scale}", line=row.line, field=question.id)
        yield Rating(rater, row.item, question.id, value, row.cells.get(COMMENT, ""))
