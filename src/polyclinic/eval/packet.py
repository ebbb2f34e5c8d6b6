"""What every packet for people has: a key that raters must not see, codes that reveal nothing, and rating sheets.

The key (which code is what) is kept outside the packet, so that a rater who holds the packet cannot know which
variant or model they read. Every rater has a sheet with an order of its own. Filled sheets are read back with clear
errors.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, Protocol, Self

from polyclinic.core.files import bad_file, checked, parse_json, read_text
from polyclinic.core.message import Frozen
from polyclinic.core.seed import stream
from polyclinic.errors import EngineError, UserError
from polyclinic.eval.results import EpisodeRow, RunResults

COMMENT = "comment"
_ALPHABET = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"


class PacketKey(Frozen):
    """What every packet's key says; raters must not see it."""

    run: str
    clinic: str
    seed: int

    def save(self, path: Path) -> None:
        """Write the key as JSON."""
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(self.model_dump_json(indent=2) + "\n", encoding="utf-8")

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """Read a key from its file; raises `DataError` if the file is not a key of this sort."""
        plain = parse_json(read_text(path, about="key", fix="name the packet's key with --key"), path)
        return checked(cls, plain, path, field="is not an audit key")


class Coded(Protocol):
    """A key as far as the order of its items needs it."""

    @property
    def run(self) -> str:
        """The run that is audited."""
        ...

    @property
    def seed(self) -> int:
        """The packet's seed."""
        ...

    @property
    def items(self) -> Mapping[str, object]:
        """The items by their codes."""
        ...


def rater_order(key: Coded, rater: str) -> list[str]:
    """The order in which this rater goes through the items. Each rater has another order."""
    order = list(key.items)
    stream("audit", key.run, key.seed, "order", rater).shuffle(order)
    return order


def check_packet(folder: str | Path, key_path: str | Path, raters: Sequence[str]) -> None:
    """Refuse a key that raters would see, and raters whose sheets could not be told apart."""
    packet, key_file = Path(folder), Path(key_path)
    if key_file.resolve().is_relative_to(packet.resolve()):
        raise UserError(f"the key {key_file} would be inside the packet {packet}: put it where raters cannot see it")
    if not raters:
        raise UserError("a packet needs at least one rater")
    for name in raters:
        if not name.replace("-", "").replace("_", "").isalnum() or list(raters).count(name) > 1:
            raise UserError(f"the rater '{name}' needs a name of letters, digits, - and _ that no other rater has")


def save_packet(folder: str | Path, page: str, key: Coded, raters: Sequence[str], columns: Sequence[str]) -> None:
    """Write what raters get: the page, and for each of them an empty sheet in an order of its own."""
    packet = Path(folder)
    packet.mkdir(parents=True, exist_ok=True)
    (packet / "packet.html").write_text(page, encoding="utf-8")
    for rater in raters:
        sheet = _blank_sheet(rater_order(key, rater), columns)
        (packet / f"ratings_{rater}.csv").write_text(sheet, encoding="utf-8", newline="")


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


def _blank_sheet(order: Sequence[str], columns: Sequence[str]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\r\n")
    writer.writerow(["item", *columns, COMMENT])
    for code in order:
        writer.writerow([code, *("" for _ in columns), ""])
    return text.getvalue()


class SheetRow(NamedTuple):
    """One row of a filled sheet: its item, what is in each column, and where it stands."""

    item: str
    cells: dict[str, str]
    file: Path
    line: int


def read_sheet(path: str | Path, items: Collection[str], columns: Sequence[str]) -> Iterator[SheetRow]:
    """The rows of a rating sheet. Raises `DataError` with the line and how to fix it.

    Commas and semicolons both work as separators.
    """
    file = Path(path)
    text = read_text(file, about="sheet", fix="save it as CSV UTF-8")
    first = text.partition("\n")[0]
    rows = csv.reader(io.StringIO(text, newline=""), delimiter=";" if first.count(";") > first.count(",") else ",")
    header = [name.strip() for name in next(rows, [])]
    missing = [name for name in ("item", *columns) if name not in header]
    if missing:
        raise bad_file(
            file, f"the column {', '.join(missing)} is missing", line=1, fix="keep the sheet's first line as it was"
        )
    seen: dict[str, int] = {}
    for row in rows:
        if not any(cell.strip() for cell in row):
            continue
        line = rows.line_num
        cells = dict(zip(header, [cell.strip() for cell in row], strict=False))
        item = cells["item"].upper()
        if item not in items:
            fix = "check its spelling in packet.html"
            raise bad_file(file, f"there is no item '{cells['item']}' in this packet", line=line, fix=fix)
        if item in seen:
            raise bad_file(
                file, f"the item {item} was already rated on line {seen[item]}", line=line, fix="keep one of the two"
            )
        seen[item] = line
        yield SheetRow(item, cells, file, line)


def rater_of(path: str | Path) -> str:
    """The rater's name, from the file's name: ``ratings_NAME.csv``."""
    return Path(path).stem.removeprefix("ratings_")
