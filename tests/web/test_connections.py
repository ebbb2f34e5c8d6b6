"""Network input is bounded: half-open and slow connections, large and chunked bodies, duplicate keys."""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from benchmarks.counsel_kills import KILLS, kills
from polyclinic.serving.connections import NO_HTTP, BoundedRequests
from polyclinic.testing.serving import TOKEN, ServedProcess

MIDDLE = (("greeting", 0.1), ("danger", 0.0))
HASTY = (
    "from polyclinic.serving import connections; connections.BoundedRequests.headers_s = 1.0; "
    "connections.BoundedRequests.read_s = 1.0"
)


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServedProcess]:
    found = ServedProcess("counsel", tmp_path_factory.mktemp("serve"), before=HASTY)
    yield found
    found.end()


def connect(running: ServedProcess) -> socket.socket:
    url = httpx.URL(running.address)
    return socket.create_connection((url.host, url.port or 80), timeout=20)


def everything(line: socket.socket) -> bytes:
    return b"".join(iter(lambda: line.recv(65_536), b""))


def started(running: ServedProcess) -> tuple[str, dict[str, str]]:
    head = {"Authorization": f"Bearer {TOKEN}"}
    made = httpx.post(f"{running.address}/v1/sessions", json={"lang": "en"}, headers=head, timeout=60).json()
    return f"{running.address}/v1/sessions/{made['id']}", {"Authorization": f"Bearer {made['token']}"}


def test_the_server_prints_its_address_and_shows_its_pages_offline(running: ServedProcess) -> None:
    assert running.line.startswith("serving counsel at http://127.0.0.1:")
    for page in ("/docs", "/staff"):
        text = httpx.get(f"{running.address}{page}").text
        assert "<html" in text and "//cdn" not in text and "src=" not in text


@pytest.mark.parametrize("size", [12_000, 20_000, 100_000])
@pytest.mark.parametrize("name", [b"X-Long", b"Authorization"])
def test_a_head_that_arrives_in_one_piece_is_bounded_too(running: ServedProcess, size: int, name: bytes) -> None:
    with connect(running) as line:
        head = b"GET /health HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"
        line.sendall(head + name + b": " + b"a" * size + b"\r\n\r\n")
        got = everything(line)
    long = got.split()[1] == b"431" and got.endswith(b"the head of the request is too long: it may have 16384 bytes\n")
    assert long == (size > 16_384), got


def test_what_is_no_http_is_refused_in_one_line(running: ServedProcess) -> None:
    with connect(running) as line:
        line.sendall("안녕하세요\r\n\r\n".encode())
        got = everything(line)
    assert got.startswith(b"HTTP/1.1 400 ") and got.endswith(b"\r\n\r\n" + NO_HTTP.encode() + b"\n")


@pytest.mark.parametrize("end", [b"", b"zz\r\n\r\n"])
def test_danger_in_a_body_that_breaks_off_reaches_people(running: ServedProcess, end: bytes) -> None:
    url, mine = started(running)
    path, body = url.removeprefix(running.address), b'{"text": "I am going to kill myself tonight.'
    with connect(running) as line:
        head = f"POST {path}/say HTTP/1.1\r\nHost: x\r\nAuthorization: {mine['Authorization']}\r\n"
        line.sendall(head.encode() + b"Transfer-Encoding: chunked\r\n\r\n")
        line.sendall(b"%x\r\n%s\r\n" % (len(body), body) + end)
        if end:
            assert everything(line).startswith(b"HTTP/1.1 400 ")
    late = time.monotonic() + 60
    while httpx.get(url, headers=mine).json()["control"] != "escalated":
        assert time.monotonic() < late, "nobody was called"


@pytest.mark.parametrize("head", [b"", b"GET /health HTTP/1.1\r\nHost: x\r\n", b"POST /v1/sessions HT"])
def test_a_half_open_connection_is_closed(running: ServedProcess, head: bytes) -> None:
    with connect(running) as line:
        line.sendall(head)
        began = time.monotonic()
        while line.recv(1024):
            pass
        assert time.monotonic() - began < 10
    assert BoundedRequests.headers_s <= 30
    assert httpx.get(f"{running.address}/health").status_code == 200


def test_a_chunked_body_over_the_size_limit_is_refused(running: ServedProcess) -> None:
    url, mine = started(running)

    def chunks() -> Iterator[bytes]:
        yield b'{"text": "'
        for _ in range(80):
            yield b"x" * 1_000
        yield b'"}'

    answer = httpx.post(
        f"{url}/say", content=chunks(), headers={**mine, "Content-Type": "application/json"}, timeout=60
    )
    assert answer.status_code == 413


def test_a_duplicate_key_is_refused_at_any_depth(running: ServedProcess) -> None:
    url, mine = started(running)
    for body in (b'{"text": "hi", "text": "kill"}', b'{"text": "hi", "more": [{"a": 1, "a": 2}]}'):
        answer = httpx.post(
            f"{url}/say", content=body, headers={**mine, "Content-Type": "application/json"}, timeout=60
        )
        assert answer.status_code == 422 and "duplicate key" in answer.json()["detail"]


@pytest.mark.parametrize("wait_s", [0.2, 0.4])
def test_a_connection_that_sends_a_byte_now_and_then_is_still_closed(running: ServedProcess, wait_s: float) -> None:
    with connect(running) as line:
        began = time.monotonic()
        line.settimeout(wait_s)
        for byte in b"GET /health HTTP/1.1\r\nX-Slow: " + b"x" * 1_000:
            try:
                line.sendall(bytes([byte]))
                if not line.recv(1024):
                    break
            except TimeoutError:
                continue
            except OSError:
                break
        assert time.monotonic() - began < 10


def test_a_second_request_that_never_ends_is_closed_too(running: ServedProcess) -> None:
    with connect(running) as line:
        line.sendall(b"GET /health HTTP/1.1\r\nHost: x\r\n\r\nGET /hea")
        began, got = time.monotonic(), b""
        while more := line.recv(1024):
            got += more
        assert b"200 OK" in got and time.monotonic() - began < 10


def test_a_slow_body_is_refused(running: ServedProcess) -> None:
    with connect(running) as line:
        line.sendall(b"POST /v1/staff/login HTTP/1.1\r\nHost: x\r\nContent-Length: 50\r\n\r\n{")
        got = b""
        while more := line.recv(1024):
            got += more
        assert got.startswith(b"HTTP/1.1 408")


def test_an_answer_that_nobody_reads_is_dropped(running: ServedProcess) -> None:
    with connect(running) as line:
        line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        line.settimeout(20)
        asked = b"GET /openapi.json HTTP/1.1\r\nHost: x\r\n\r\n"
        began = time.monotonic()
        try:
            while time.monotonic() - began < 20:
                line.sendall(asked * 100)
                time.sleep(0.01)
        except OSError:
            pass  # reset or broken pipe, depending on the system
        assert time.monotonic() - began < 20
    assert httpx.get(f"{running.address}/health").status_code == 200


def test_a_service_that_is_killed_in_the_middle_loses_no_session(tmp_path: Path) -> None:
    chosen = tuple(kill for kill in KILLS if kill.lang == "en" and (kill.step, kill.delay_s) in MIDDLE)
    found = kills(chosen, tmp_path)
    assert [one for one in found if one.silent] == []
    assert len(found) == len(MIDDLE)
