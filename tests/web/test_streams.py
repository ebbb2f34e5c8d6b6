"""Server-sent events over a real connection: even if connections or the server fail, each line comes exactly once."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import orjson
import pytest

from tests.web.server import Server


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    found = Server(tmp_path)
    yield found
    found.kill(signal.SIGTERM)


class Listening:
    """A page that follows a session: it keeps the last event number and continues after it."""

    def __init__(self, client: httpx.Client, path: str) -> None:
        self._client, self._path = client, path
        self.lines: list[tuple[int, str]] = []
        self.last = ""

    def until_asked(self, key: str = "") -> dict[str, Any]:
        """Listen until there is a new question, then lose the connection."""
        headers = {"Last-Event-ID": self.last} if self.last else {}
        kind = number = ""
        with self._client.stream("GET", f"{self._path}/events", headers=headers) as answer:
            assert answer.headers["content-type"].startswith("text/event-stream")
            for row in answer.iter_lines():
                name, _, value = row.partition(": ")
                if name == "id":
                    number = value
                elif name == "event":
                    kind = value
                elif name == "data" and kind == "line":
                    self.last = number
                    self.lines.append((int(number), str(orjson.loads(value)["text"])))
                elif name == "data" and kind == "standing":
                    found: dict[str, Any] = orjson.loads(value)
                    if found["state"] == "ended" or (found["asked"] and found["asked"]["key"] != key):
                        return found
        raise AssertionError("the stream ended before anything was asked")


def test_numbered_lines_continue_after_the_last_one_through_lost_connections_and_kill_9(server: Server) -> None:
    headers = {"Authorization": f"Bearer {server.token}"}
    with httpx.Client(base_url=server.url, headers=headers, timeout=60) as client:
        run = client.post("/api/practise", json={"clinic": "patient", "part": "doctor"}).json()["id"]
        path = f"/api/practise/{run}"
        page = Listening(client, path)
        asked = page.until_asked()["asked"]
        for turn, words in enumerate(("Where does it hurt?", "Since when?", "Do you drink alcohol?")):
            given = {"question": asked["key"], "text": words}
            assert client.post(f"{path}/answer", json=given).json() == {"wrong": ""}
            if turn == 1:
                server.kill()
                server.start()
                assert client.post(f"{path}/answer", json=given).status_code == 200, "sent again, taken once"
            asked = page.until_asked(asked["key"])["asked"]
        whole = [(line["number"], line["text"]) for line in client.get(path).json()["lines"]]
    assert page.lines == whole and [number for number, _ in whole] == list(range(1, len(whole) + 1))
    assert len(whole) >= 7, "a complaint, three questions and three answers"
