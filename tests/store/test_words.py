"""A search in the word index finds the same as a search in the transcripts, in every state of the index."""

from __future__ import annotations

import pytest

from polyclinic.core.database import Transaction
from polyclinic.runner.api import run
from polyclinic.runner.plan.config import make_config
from polyclinic.store import words as module
from polyclinic.store.store import Store
from polyclinic.store.upkeep import delete_run

SEARCHES = (["amberol"], ["mber"], ["thank", "tablet"], ["thank", "nowhere"], ["nowhere"])


@pytest.fixture
async def name(store: Store, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setattr(module, "PART", 8)
    made = await run(store, make_config({"clinic": "demo", "variants": ("plain",), "scenarios": "12"}))
    return made.run


async def found(store: Store, name: str, wanted: list[str], state: int) -> dict[int, int]:
    parts = await store.words.having(name, wanted, state)
    return {part: bits for part, bits in parts.items() if bits}


async def change(store: Store, name: str, number: int, text: str) -> None:
    """Store an episode again with other words."""

    def work(tx: Transaction) -> None:
        where = "WHERE run = ? AND number = ?"
        tx.execute(f"UPDATE episodes SET transcript = ?, attempt = attempt + 1 {where}", (text, name, number))
        tx.execute(f"UPDATE episode_facts SET attempt = attempt + 1 {where}", (name, number))

    await store.database.write(work)


async def test_words_are_found_the_same_before_and_after_they_are_indexed(store: Store, name: str) -> None:
    before = [await found(store, name, wanted, 0) for wanted in SEARCHES]
    assert any(before) and before[0] == before[1] and not before[4]
    assert await store.words.fill(name) == 2
    assert [await found(store, name, wanted, 0) for wanted in SEARCHES] == before
    assert await store.words.fill(name) == 0, "what is indexed is not indexed again"


async def test_an_episode_that_ended_again_is_found_by_its_new_words(store: Store, name: str) -> None:
    await store.words.fill(name)
    await change(
        store, name, 9, '[{"seq":0,"kind":"said","key":"hidden","text":"배가 아프다, Émile said","data":["É"]}]'
    )
    for state in (1, 1):  # read from the transcripts, then from the index
        assert await found(store, name, ["아프"], state) == {1: 2}
        assert await found(store, name, ["tablet"], state) == {0: 255, 1: 13}
        await store.words.fill(name)
    assert await found(store, name, ["émile"], 1) == {1: 2}
    assert await found(store, name, ["hidden"], 1) == {}, "names of calls are no words"


async def test_only_full_parts_of_an_unfinished_run_are_indexed(store: Store, name: str) -> None:
    assert await store.words.fill(name, ended=False) == 1
    assert (await found(store, name, ["thank"], 0)) == {0: 255, 1: 15}


async def test_deleting_a_run_deletes_its_words(store: Store, name: str) -> None:
    await store.words.fill(name)
    await store.database.write(lambda tx: delete_run(tx, name))
    for table in ("episode_words", "episode_word_parts"):
        left = await store.database.read(lambda tx, table=table: tx.execute(f"SELECT COUNT(*) FROM {table}"))  # type: ignore[misc]
        assert left == [(0,)]


async def test_very_long_words_and_special_characters_are_found(store: Store, name: str) -> None:
    await change(
        store, name, 3, '[{"seq":0,"kind":"said","text":"' + "x" * 9000 + ' a_b 100% "}]'.replace('"}]', '"}]')
    )
    await store.words.fill(name)
    assert await found(store, name, ["x" * 9000], 1) == {0: 8}
    assert await found(store, name, ["a_b"], 1) == {0: 8}
    assert await found(store, name, ["axb"], 1) == {}
