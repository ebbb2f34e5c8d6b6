"""The cases that wait for staff. They belong to the service, no matter which cast the service was started with."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from polyclinic.core.live import Action
from polyclinic.errors import UnknownName, UserError
from polyclinic.store.posts import Post, Posts, PostStatus
from polyclinic.store.staff import Account
from polyclinic.web.sessions.schemas import case_id


class Cases:
    """The cases that the flows of one service handed over to staff. `alerts` are the queues that ring."""

    def __init__(self, posts: Posts, run: str, alerts: tuple[str, ...]) -> None:
        self._posts, self._run, self._alerts = posts, run, alerts

    async def all(self, queue: str = "", status: PostStatus | None = None) -> list[Post]:
        """The cases, oldest first; only of one queue or status, if these are given."""
        return [post for post in await self._posts.waiting(queue, status) if post.run.startswith(self._run)]

    async def find(self, case: str) -> Post:
        """One case by its id."""
        for post in await self.all():
            if case_id(post) == case:
                return post
        raise UnknownName("case", case)

    def rings(self, post: Post) -> bool:
        """Whether a case is open in a queue that alerts."""
        return post.status == "open" and post.queue in self._alerts

    async def ringing(self) -> list[Post]:
        """Open cases of the queues that alert."""
        return [post for post in await self.all(status="open") if self.rings(post)]

    async def posted_since(self, session: str, queue: str, since_ms: int) -> bool:
        """Whether a session has put a case into this queue since this moment."""
        found = await self.all(queue)
        return any(post.episode == session and post.created_ms >= since_ms for post in found)

    async def take(self, post: Post, who: str) -> None:
        """Someone takes one case."""
        await self._posts.take(post, who)

    async def close(self, post: Post, who: Account, remark: str) -> None:
        """Close a case.

        Only the person who took it or an administrator may close it; if nobody took it, anybody may.
        """
        if post.taken_by not in ("", who.name) and not who.may("administer"):
            raise UserError(f"{post.taken_by} has this case: ask them to close it")
        await self._posts.close(post, f"{who.name}: {remark}")

    async def follow(self, session: str, action: Action[Any], given: Mapping[str, Any]) -> None:
        """What an action does to the open cases of its session.

        A person who takes over the session takes its cases too, and a person who passes it on passes on its cases. When
        a session is handed back, its cases are closed.
        """
        if action.cases == "keep":
            return
        for post in await self.all():
            if post.episode != session or post.status == "closed":
                continue
            if action.cases == "take" and post.status == "open":
                await self._posts.take(post, str(given.get("by", "")))
            elif action.cases == "pass":
                await self._posts.pass_on(post, str(given.get("to", "")))
            elif action.cases == "close":
                await self._posts.close(post, action.remark.format(**given))
