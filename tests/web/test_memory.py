"""A server that runs for long uses bounded memory: it drops the data of a session after enough other sessions."""

from __future__ import annotations

import asyncio
import gc
import platform
import subprocess
import sys
import weakref
from pathlib import Path

import httpx
import pytest

from polyclinic.core.reply import ReplyModel, schema_of, with_choices
from polyclinic.core.value import TYPES, adapter, once_a_type
from polyclinic.serving.metrics import MOST_ARENAS
from polyclinic.store.connections import CACHE_KB, SqliteConnection
from polyclinic.web.app import create_web
from polyclinic.web.practise import sessions as practise_sessions
from polyclinic.web.practise.sessions import Sessions

ARENAS = """
import ctypes, sys, threading
from polyclinic.serving.metrics import few_arenas
if sys.argv[1] == "few":
    assert few_arenas()
libc, all_there = ctypes.CDLL(None), threading.Barrier(8)
libc.malloc.restype = ctypes.c_void_p
def work():
    libc.malloc(1000)
    all_there.wait()
threads = [threading.Thread(target=work) for _ in range(8)]
for thread in threads: thread.start()
for thread in threads: thread.join()
libc.fopen.restype = ctypes.c_void_p
file = ctypes.c_void_p(libc.fopen(sys.argv[2].encode(), b"w"))
libc.malloc_info(0, file)
libc.fclose(file)
"""

TOKENS = """
import random, resource
from polyclinic.retrieval.embedders import WordLlamaEmbedder
words, model = random.Random(0), WordLlamaEmbedder()
model.token_ids("good morning")
def most(): return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
def text(): return " ".join(str(words.randint(100, 10_000)) for _ in range(30))
for number in range(4_000):
    if number == 500:
        before = most()
    model.token_ids(text())
print(most() - before)
"""


class Chosen(ReplyModel):
    choice: str


def test_computed_values_are_cached_only_for_the_most_recent_types() -> None:
    @once_a_type
    def name_of(kind: type[object]) -> str:
        return kind.__name__

    kinds = [type(f"Kind{number}", (), {}) for number in range(TYPES + 1)]
    assert [name_of(kind) for kind in kinds] == [kind.__name__ for kind in kinds]
    first, last = weakref.ref(kinds[0]), weakref.ref(kinds[-1])
    del kinds
    gc.collect()
    assert first() is None and last() is not None


def test_a_form_made_for_one_case_leaves_memory_after_many_other_cases() -> None:
    def used(number: int) -> weakref.ref[type[Chosen]]:
        form = with_choices(Chosen, choice=(f"answer {number}",))
        assert schema_of(form) and adapter(form).validate_python({"choice": f"answer {number}"})
        return weakref.ref(form)

    first = used(0)
    for number in range(1, TYPES + 1):
        last = used(number)
    gc.collect()
    assert first() is None and last() is not None


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="other C libraries have no arenas")
@pytest.mark.parametrize("few", [True, False])
def test_all_threads_of_a_server_share_a_few_malloc_arenas(tmp_path: Path, few: bool) -> None:
    told = tmp_path / "arenas.xml"
    subprocess.run([sys.executable, "-c", ARENAS, "few" if few else "many", str(told)], check=True)
    arenas = told.read_text(encoding="ascii").count("<heap nr=")
    assert arenas <= MOST_ARENAS if few else arenas > MOST_ARENAS


def test_the_tokenizer_does_not_cache_every_text_that_it_read() -> None:
    told = subprocess.run([sys.executable, "-c", TOKENS], check=True, capture_output=True, text=True)
    assert int(told.stdout) < 4_000, "kB more after 3,500 texts"


def test_the_page_cache_of_sqlite_is_bounded(tmp_path: Path) -> None:
    connection = SqliteConnection(str(tmp_path / "s.db"))
    assert connection.execute("PRAGMA cache_size") == [(-CACHE_KB,)]
    assert CACHE_KB <= 32 * 1024
    connection.close()


async def test_a_session_that_nobody_looks_at_leaves_memory_and_continues_when_somebody_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(practise_sessions, "IDLE_S", 0.1)
    monkeypatch.setattr(practise_sessions, "LOOK_S", 0.05)
    app = create_web(str(tmp_path / "s.db"), "start-up")
    head = {"Authorization": "Bearer start-up"}
    transport = httpx.ASGITransport(app)
    async with (
        app.router.lifespan_context(app),
        httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1:8040", headers=head) as client,
    ):
        sessions: Sessions = app.state.sessions
        run = (await client.post("/api/practise", json={"clinic": "demo", "part": "nurse"})).json()["id"]
        found = await sessions.find(run)
        assert found is not None
        session = weakref.ref(found)
        before = (await client.get(f"/api/practise/{run}")).json()
        del found
        async with asyncio.timeout(10):
            while session() is not None:
                await asyncio.sleep(0.05)
                gc.collect()
        assert sessions.peek(run) is None
        assert (await client.get(f"/api/practise/{run}")).json() == before
