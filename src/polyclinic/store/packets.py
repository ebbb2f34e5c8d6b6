"""Packets of transcripts that people rate: who rates, and every answer they gave.

A rater has no account. Their browser holds a token; only its digest is kept here.
"""

from __future__ import annotations

from polyclinic.core.database import Transaction
from polyclinic.core.message import Frozen
from polyclinic.errors import UserError
from polyclinic.store.journal import now_ms
from polyclinic.store.tables import JoinedByCode, read_row

MOST_RATERS = 100
_RATER = "packet, name, digest, joined_ms"
_ANSWER = "packet, rater, item, question, body, at_ms"


class PacketRow(Frozen):
    """A packet: `body` holds the key and the questions; `ended_ms` is 0 until the rating ends."""

    id: str
    code: str
    run: str
    body: str
    created_ms: int
    ended_ms: int


class Rater(Frozen):
    """Somebody who rates a packet."""

    packet: str
    name: str
    digest: str
    joined_ms: int


class RaterAnswer(Frozen):
    """What a rater answered to one question about one item."""

    packet: str
    rater: str
    item: str
    question: str
    body: str
    at_ms: int


class Packets(JoinedByCode[PacketRow]):
    """The packets of a store."""

    kind, table, row_type = "packet", "packets", PacketRow

    async def open(self, run: str, body: str) -> PacketRow:
        """Create a packet with a new, unique code."""
        return await self.add(run=run, body=body)

    async def join(self, id: str, name: str, digest: str) -> Rater:
        """Join with a name. The same browser gets the same place again; a name that another browser uses is refused."""

        def work(tx: Transaction) -> Rater:
            found = tx.execute(f"SELECT {_RATER} FROM packet_raters WHERE packet = ?", (id,))
            known = [read_row(Rater, row) for row in found]
            for one in known:
                if one.digest == digest:
                    return one
                if one.name.casefold() == name.casefold():
                    raise UserError(f"somebody rates this packet as {one.name} already: choose another name")
            if len(known) >= MOST_RATERS:
                raise UserError(f"{MOST_RATERS} people rate this packet already")
            made = Rater(packet=id, name=name, digest=digest, joined_ms=now_ms())
            tx.execute(f"INSERT INTO packet_raters ({_RATER}) VALUES (?, ?, ?, ?)", tuple(made.model_dump().values()))
            return made

        return await self.database.write(work)

    async def raters(self, id: str) -> list[Rater]:
        """Everybody who rates, in the order of joining."""
        sql = f"SELECT {_RATER} FROM packet_raters WHERE packet = ? ORDER BY joined_ms, name"
        return await self.objects(Rater, sql, id)

    async def answer(self, id: str, rater: str, item: str, question: str, body: str) -> None:
        """Save an answer; it replaces an earlier one, and an empty answer deletes it.

        Refused once the packet has ended.
        """

        def work(tx: Transaction) -> None:
            if not tx.execute("SELECT 1 FROM packets WHERE id = ? AND ended_ms = 0", (id,)):
                raise UserError("the rating has ended")
            key = (id, rater, item, question)
            tx.execute("DELETE FROM packet_answers WHERE packet = ? AND rater = ? AND item = ? AND question = ?", key)
            if body:
                tx.execute(f"INSERT INTO packet_answers ({_ANSWER}) VALUES (?, ?, ?, ?, ?, ?)", (*key, body, now_ms()))

        await self.database.write(work)

    async def answers(self, id: str, rater: str = "") -> list[RaterAnswer]:
        """All answers, or one rater's, in the order in which they were given."""
        which = "packet = ? AND (? = '' OR rater = ?) ORDER BY at_ms, rater, item, question"
        return await self.objects(RaterAnswer, f"SELECT {_ANSWER} FROM packet_answers WHERE {which}", id, rater, rater)
