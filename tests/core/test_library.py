from __future__ import annotations

import random

import pytest

from polyclinic.core.library import Entry, Lesson, Library, Operation, Provenance, StoredLesson, entry_id
from polyclinic.core.library_view import LibraryView
from polyclinic.errors import DataError
from polyclinic.retrieval.embedders import embedder
from polyclinic.retrieval.index import new_index

EMPTY = StoredLesson({})


def library(*operations: Operation) -> Library:
    return Library("test", embedder("hashing"), new_index, operations)


def add(key: str, quality: float = 0.0, unless_near: float | None = None) -> Operation:
    entry = Entry(id=entry_id(key, EMPTY), key=key, value=EMPTY, quality=quality)
    return Operation(action="add", entry=entry, unless_near=unless_near)


def test_the_nearest_entries_come_first_and_none_is_below_the_threshold() -> None:
    shared = library(add("where does it hurt"), add("how did it begin"), add("do you smoke"))
    assert shared.nearest("where does it hurt", 2)[0].entry.key == "where does it hurt"
    assert len(shared.nearest("where does it hurt", 3, threshold=0.99)) == 1
    assert shared.nearest("x", 0) == []
    assert library().nearest("x") == []


def test_removal_keeps_the_reason_and_hides_the_entry() -> None:
    shared = library(add("a b c"), add("d e f"))
    gone = entry_id("a b c", EMPTY)
    shared.apply(Operation(action="remove", id=gone, reason="two poor outcomes"))
    assert gone not in shared
    assert [match.entry.key for match in shared.nearest("a b c", 5)] == ["d e f"]
    assert [(item.entry.key, item.reason) for item in shared.removed] == [("a b c", "two poor outcomes")]


def test_uses_are_counted_by_outcome() -> None:
    shared = library(add("a"))
    id = entry_id("a", EMPTY)
    for good in (True, False, None):
        shared.apply(Operation(action="use", id=id, good=good))
    assert (shared.track_record(id).uses, shared.track_record(id).good, shared.track_record(id).poor) == (3, 1, 1)


def test_the_better_of_two_similar_entries_stays() -> None:
    shared = library(add("what makes the pain worse", 0.5), add("what makes the pain worse?", 0.4, unless_near=0.8))
    assert [entry.quality for entry in shared] == [0.5]
    shared.apply(add("what makes the pain worse !", 0.9, unless_near=0.8))
    assert [entry.quality for entry in shared] == [0.9]
    assert shared.removed[0].reason.startswith("a similar entry of higher quality")


def test_the_same_lesson_twice_is_one_entry() -> None:
    assert len(library(add("a"), add("a"))) == 1


def test_any_version_can_be_seen_again_and_rolled_back_to() -> None:
    chance = random.Random(1)
    shared = library()
    for number in range(60):
        keys = [entry.id for entry in shared]
        if keys and chance.random() < 0.3:
            shared.apply(Operation(action="remove", id=chance.choice(keys), reason="test"))
        else:
            shared.apply(add(f"key {number}"))
    for version in (0, 7, 30, 60):
        then = {entry.id for entry in shared.at(version)}
        rolled_back = library(*shared.operations)
        rolled_back.extend(rolled_back.rollback(version, "back"))
        assert {entry.id for entry in rolled_back} == then
        assert rolled_back.version >= shared.version
    with pytest.raises(ValueError, match="versions 0 to 60"):
        shared.at(61)


def test_a_library_is_the_sum_of_its_operations() -> None:
    shared = library(add("a", 1.0), add("b"), Operation(action="use", id=entry_id("a", EMPTY), good=True))
    again = library(*[Operation.model_validate_json(operation.model_dump_json()) for operation in shared.operations])
    assert list(again) == list(shared)
    assert again.diff(shared) == ([], [])
    assert again.track_record(entry_id("a", EMPTY)) == shared.track_record(entry_id("a", EMPTY))


class Kept(Lesson):
    library = "test"
    v: int


def test_the_value_of_an_entry_is_read_back_as_its_type() -> None:
    shared = library()
    view = LibraryView(Kept, shared, lambda name, operation: shared.apply(operation), Provenance())
    entry = view.add("how to sit", Kept(v=1))
    assert entry.value.root == {"v": 1} and entry.id == entry_id("how to sit", entry.value) == view.id_of(
        "how to sit", Kept(v=1)
    )
    assert [found.lesson for found in view.nearest("how to sit")] == [Kept(v=1)] == list(view.lessons())
    shared.apply(Operation(action="add", entry=Entry(id="x", key="y", value=StoredLesson({"v": "many"}))))
    with pytest.raises(DataError, match="library test, entry x: v"):
        list(view.lessons())


def test_an_episodes_view_stages_changes_and_remembers_their_origin() -> None:
    staged: list[tuple[str, Operation]] = []
    shared = library()
    view = LibraryView(Kept, shared, lambda name, operation: staged.append((name, operation)), Provenance(episode="e1"))
    entry = view.add("key", Kept(v=1), quality=0.5, call="abc")
    view.used(entry.id, good=False)
    view.remove(entry.id, "bad")
    assert len(shared) == len(view) == 0
    assert [operation.action for _, operation in staged] == ["add", "use", "remove"]
    assert entry.provenance == Provenance(episode="e1", call="abc")
