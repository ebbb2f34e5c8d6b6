"""Hand-overs from episodes to people: who took each one, when, and how it was closed. Nothing is ever deleted."""

from __future__ import annotations

from typing import Any, Literal

import orjson

from polyclinic.core.database import Transaction
from polyclinic.core.message import Frozen
from polyclinic.errors import UserError
from polyclinic.store.journal import now_ms
from polyclinic.store.tables import Tables

PostStatus = Literal["open", "taken", "closed"]
_COLUMNS = "run, episode, queue, key, body, created_ms, status, taken_by, taken_ms, closed_ms, remark"


class Post(Frozen):
    """One hand-over: what an episode handed over to staff, and what they did with it."""

    run: str
    episode: str
    queue: str
    key: str
    body: dict[str, Any]
    created_ms: int
    status: PostStatus
    taken_by: str
    taken_ms: int
    closed_ms: int
    remark: str


class Posts(Tables):
    """The hand-over queues of a store."""

    async def waiting(self, queue: str = "", status: PostStatus | None = None) -> list[Post]:
        """Hand-overs, oldest first. If `queue` or `status` is given, only hand-overs with that queue or status."""
        rows = await self.select(
            f"SELECT {_COLUMNS} FROM posts WHERE (? = '' OR queue = ?) AND (? = '' OR status = ?) "
            "ORDER BY created_ms, run, episode, key",
            (queue, queue, status or "", status or ""),
        )
        names = _COLUMNS.split(", ")
        return [
            Post.model_validate({**dict(zip(names, row, strict=True)), "body": orjson.loads(row[4])}) for row in rows
        ]

    async def probe(self) -> None:
        """Write something and undo it in the same transaction. Raises if the store cannot be written to."""

        def work(tx: Transaction) -> None:
            row = ("", "", "probe", "probe", "{}", now_ms(), "closed", "", 0, 0, "")
            marks = ", ".join("?" * len(row))
            tx.execute(f"INSERT INTO posts ({_COLUMNS}) VALUES ({marks})", row)
            tx.execute("DELETE FROM posts WHERE run = '' AND queue = 'probe'")

        await self.database.write(work)

    async def take(self, post: Post, who: str) -> None:
        """Give a hand-over to a person; refused if another person has it."""
        await self._move(post, "taken", "taken_by = ?, taken_ms = ?", (who, now_ms()), "status = 'open'")

    async def pass_on(self, post: Post, who: str) -> None:
        """Give a hand-over to another person, even if somebody has taken it already."""
        await self._move(post, "taken", "taken_by = ?, taken_ms = ?", (who, now_ms()), "status <> 'closed'")

    async def close(self, post: Post, remark: str) -> None:
        """Close a hand-over, with a remark for the audit."""
        await self._move(post, "closed", "remark = ?, closed_ms = ?", (remark, now_ms()), "status <> 'closed'")

    async def _move(self, post: Post, status: str, sets: str, values: tuple[object, ...], where: str) -> None:
        def work(tx: Transaction) -> bool:
            rows = tx.execute(
                f"UPDATE posts SET status = ?, {sets} WHERE run = ? AND episode = ? AND queue = ? AND key = ? "
                f"AND {where} "
                "RETURNING key",
                (status, *values, post.run, post.episode, post.queue, post.key),
            )
            return bool(rows)

        if not await self.database.write(work):
            raise UserError(f"hand-over {post.key} of {post.episode} cannot be {status} any more: reload the queue")
