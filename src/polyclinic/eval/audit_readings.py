"""People as readers: a blind sheet of texts and questions that a run's reader answered, and its key.

Half of a reader's answers are often one and the same. So the readings are drawn evenly over the kinds of question and,
in each kind, over what the reader said. The key keeps how many readings each of these groups has in the run: with it,
figures of the sheet can be weighted to those of the run.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import orjson

from polyclinic.core.files import bad_file, not_written, parse_json, read_text
from polyclinic.core.message import Frozen
from polyclinic.core.past_readings import PastReading
from polyclinic.core.reading import Says, answer_of
from polyclinic.core.seed import stream
from polyclinic.errors import UserError
from polyclinic.eval.audit import AuditKey
from polyclinic.eval.audit_page import readings_page
from polyclinic.eval.packet import (
    COMMENT,
    PacketKey,
    anonymous_codes,
    check_blind,
    check_packet,
    rater_of,
    read_sheet,
    save_packet,
)
from polyclinic.eval.results import RunResults

ANSWER = "answer"


class AskedReading(Frozen):
    """One question about one text, what it is about, and what the run's reader said."""

    kind: str
    context: str
    text: str
    question: str
    facts: tuple[tuple[str, str], ...]
    says: Says


class ReadingsKey(PacketKey):
    """The key of a packet of readings: what the reader said about each item, and how many different readings of each
    kind got each answer in the episodes they were drawn from.
    """

    reader: str
    items: dict[str, AskedReading]
    found: dict[str, dict[Says, int]]

    def weight(self, reading: AskedReading) -> float:
        """How many readings of the run one of the sheet stands for."""
        drawn = sum((item.kind, item.says) == (reading.kind, reading.says) for item in self.items.values())
        return self.found[reading.kind][reading.says] / drawn


def load_key(path: str | Path) -> AuditKey | ReadingsKey:
    """The key of either sort of packet; raises `DataError` if the file is neither."""
    plain = parse_json(read_text(path, about="key", fix="name the packet's key with --key"), path)
    sort = ReadingsKey if isinstance(plain, dict) and "found" in plain else AuditKey
    return sort.load(path)


@dataclass(frozen=True)
class PersonsReading:
    """What one person answered about one item."""

    rater: str
    item: str
    says: Says
    comment: str = ""


def write_readings(
    results: RunResults,
    readings: Iterable[PastReading],
    folder: str | Path,
    key_path: str | Path,
    *,
    reader: str,
    lines: int = 60,
    raters: Sequence[str] = ("rater-1", "rater-2"),
    seed: int = 0,
) -> ReadingsKey:
    """Write a blind packet of readings and its key. The page shows texts and questions, not what the reader said."""
    check_packet(folder, key_path, raters)
    found = _different(readings)
    if not found:
        raise UserError(f"run {results.run} has no reading to ask people: its reader was not asked about any text")
    chosen = _draw(found, lines, results.run, seed)
    codes = anonymous_codes(len(chosen), "readings", results.run, seed, "codes")
    counts: dict[str, dict[Says, int]] = {}
    for one in found:
        answers = counts.setdefault(one.kind, {})
        answers[one.says] = answers.get(one.says, 0) + 1
    key = ReadingsKey(
        run=results.run,
        clinic=results.clinic,
        seed=seed,
        reader=reader,
        items=dict(zip(codes, chosen, strict=True)),
        found=counts,
    )
    page = readings_page({code: (one.context, one.text, one.question) for code, one in key.items.items()})
    check_blind(page, results, results.episodes)
    save_packet(folder, page, key, raters, [ANSWER])
    key.save(Path(key_path))
    return key


def _different(readings: Iterable[PastReading]) -> list[AskedReading]:
    """Each text with each question once, as the reader first answered it."""
    found: dict[tuple[str, str, str, str], AskedReading] = {}
    for text, question, finding in readings:
        made = AskedReading(
            kind=question.kind,
            context=question.context,
            text=text,
            question=question.words,
            facts=question.facts,
            says=finding.says,
        )
        found.setdefault((made.kind, made.context, made.text, made.question), made)
    return list(found.values())


def _draw(found: Sequence[AskedReading], count: int, run: str, seed: int) -> list[AskedReading]:
    """Draw evenly over kinds, then evenly over answers in each kind; then shuffle all together."""
    kinds: dict[str, dict[Says, list[AskedReading]]] = {}
    for one in found:
        kinds.setdefault(one.kind, {}).setdefault(one.says, []).append(one)
    queues = [_in_turn(list(answers.values()), run, seed, kind) for kind, answers in sorted(kinds.items())]
    stream("readings", run, seed, "kinds").shuffle(queues)
    chosen = _in_turns(queues)[:count]
    stream("readings", run, seed, "shuffle").shuffle(chosen)
    return chosen


def _in_turn(piles: list[list[AskedReading]], run: str, seed: int, kind: str) -> list[AskedReading]:
    for pile in piles:
        stream("readings", run, seed, "draw", kind, pile[0].says).shuffle(pile)
    return _in_turns(piles)


def _in_turns(piles: Sequence[Sequence[AskedReading]]) -> list[AskedReading]:
    """One from each pile in turn, until all are empty."""
    longest = max(map(len, piles), default=0)
    return [pile[place] for place in range(longest) for pile in piles if place < len(pile)]


def read_answers(path: str | Path, key: ReadingsKey, rater: str = "") -> list[PersonsReading]:
    """Read a filled sheet: yes, no or unclear for each item; an empty cell means no answer."""
    who = rater or rater_of(path)
    found = []
    for row in read_sheet(path, key.items, [ANSWER]):
        written = row.cells.get(ANSWER, "")
        if not written:
            continue
        says = answer_of(written)
        if says is None:
            raise bad_file(
                row.file, f"'{written}' is none of yes, no and unclear", line=row.line, field=ANSWER, fix="write one"
            )
        found.append(PersonsReading(who, row.item, says, row.cells.get(COMMENT, "")))
    return found


def agreed(answers: Iterable[PersonsReading]) -> dict[str, Says]:
    """What people said about each item; where they differ, it is unclear."""
    given: dict[str, set[Says]] = {}
    for answer in answers:
        given.setdefault(answer.item, set()).add(answer.says)
    return {item: said.pop() if len(said) == 1 else "unclear" for item, said in given.items()}


def write_labels(path: str | Path, key: ReadingsKey, answers: Sequence[PersonsReading]) -> int:
    """Write people's labels in the form of `polyclinic eval readings --file`, and return how many lines there are.
    Items without a clear yes or no, or about which people differ, are left out.
    """
    author = "+".join(sorted({answer.rater for answer in answers}))
    said = agreed(answers)
    rows = []
    for code, one in key.items.items():
        if said.get(code, "unclear") != "unclear":
            row: dict[str, object] = {"kind": one.kind, "context": one.context, "text": one.text}
            row |= {"question": one.question, "label": int(said[code] == "yes"), "author": author}
            rows.append(row | ({"facts": dict(one.facts)} if one.facts else {}))
    file = Path(path)
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(b"".join(orjson.dumps(row, option=orjson.OPT_APPEND_NEWLINE) for row in rows))
    except OSError as error:
        raise not_written(file, error) from None
    return len(rows)
