"""Indexes: nearest rows, ties, removals, and the same answers whether small or large."""

from __future__ import annotations

import numpy as np
import pytest

from polyclinic.core.embedding import VectorIndex, Vectors
from polyclinic.core.seed import array_stream
from polyclinic.retrieval.embedders import unit_rows
from polyclinic.retrieval.index import EXACT_ROWS, ExactIndex, FaissIndex, GrowingIndex, new_index


def topics(rows: int, dimensions: int = 64, name: str = "rows") -> Vectors:
    """Vectors in two hundred loose clusters, like those of texts."""
    numbers = array_stream("index", name)
    centres = array_stream("index", "centres").standard_normal((200, dimensions)) + 0.5
    loose = centres[numbers.integers(0, 200, rows)] + 0.8 * numbers.standard_normal((rows, dimensions))
    return unit_rows(loose.astype(np.float32))


@pytest.fixture(params=[ExactIndex, FaissIndex, new_index])
def index(request: pytest.FixtureRequest) -> VectorIndex:
    made: VectorIndex = request.param(64)
    return made


def test_an_empty_index_finds_nothing(index: VectorIndex) -> None:
    assert index.nearest(topics(1)[0], 3) == []
    assert len(index) == 0


def test_the_nearest_rows_come_first_and_at_most_k_are_returned(index: VectorIndex) -> None:
    rows = topics(500)
    index.add(rows)
    for at in (0, 17, 499):
        found = index.nearest(rows[at], 5)
        expected = np.sort(rows @ rows[at])[::-1][:5]
        assert found[0][0] == at
        np.testing.assert_allclose([near for _, near in found], expected, atol=2e-6)
    assert len(index.nearest(rows[0], 10_000)) == 500
    assert index.nearest(rows[0], 0) == []


def test_of_equal_rows_the_lower_row_comes_first(index: VectorIndex) -> None:
    row = topics(1)
    index.add(np.concatenate([topics(20, name="others"), row, row, row]))
    assert [number for number, _ in index.nearest(row[0], 2)] == [20, 21]


def test_a_removed_row_never_matches_again_and_row_numbers_stay(index: VectorIndex) -> None:
    rows = topics(100)
    index.add(rows)
    index.remove(7)
    index.remove(7)
    assert len(index) == 99
    assert 7 not in [number for number, _ in index.nearest(rows[7], 100)]
    index.add(rows[7:8])
    assert index.nearest(rows[7], 1)[0][0] == 100
    with pytest.raises(IndexError, match="no row 101"):
        index.remove(101)


def test_adding_rows_one_by_one_or_all_at_once_gives_the_same_answers() -> None:
    rows, queries = topics(EXACT_ROWS + 300), topics(20, name="queries")
    together, apart = GrowingIndex(64), GrowingIndex(64)
    together.add(rows)
    for start in range(0, len(rows), 97):
        apart.add(rows[start : start + 97])
    for query in queries:
        assert together.nearest(query, 10) == apart.nearest(query, 10)


def test_growing_past_the_exact_size_keeps_removals_and_answers() -> None:
    rows = topics(EXACT_ROWS + 2_000)
    growing, exact = new_index(64), ExactIndex(64)
    for index in (growing, exact):
        index.add(rows[:5_000])
        index.remove(3)
        index.add(rows[5_000:])
        index.remove(EXACT_ROWS + 1)
    hits = 0
    queries = topics(50, name="queries")
    for query in queries:
        truth = exact.nearest(query, 10)
        found = growing.nearest(query, 10)
        assert found[0] == truth[0]
        hits += len({row for row, _ in found} & {row for row, _ in truth})
    assert hits >= 0.97 * 10 * len(queries)
    assert len(growing) == len(exact) == len(rows) - 2


def test_the_large_index_still_finds_k_when_all_near_rows_are_removed() -> None:
    rows = topics(5_000)
    index = FaissIndex(64, candidates=50)
    index.add(rows)
    for number, _ in ExactIndexOf(rows).nearest(rows[0], 400):
        index.remove(number)
    assert len(index.nearest(rows[0], 5)) == 5


def ExactIndexOf(rows: Vectors) -> ExactIndex:
    index = ExactIndex(rows.shape[1])
    index.add(rows)
    return index


def test_the_number_of_dimensions_need_not_be_a_multiple_of_eight() -> None:
    rows = topics(300, dimensions=13)
    index = FaissIndex(13)
    index.add(rows)
    assert index.nearest(rows[5], 1)[0][0] == 5
