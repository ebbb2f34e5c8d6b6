"""Python collects garbage rarely while runs are active. After the last run has ended, it does so as often as before."""

from __future__ import annotations

import gc

import pytest

from polyclinic.runner.execute.tasks import RARE, rare_garbage_collection


def test_the_default_threshold_is_restored_after_the_last_of_several_runs() -> None:
    usual = gc.get_threshold()
    first, second = rare_garbage_collection(), rare_garbage_collection()
    first.__enter__()
    second.__enter__()
    assert gc.get_threshold() == RARE
    first.__exit__(None, None, None)
    assert gc.get_threshold() == RARE
    second.__exit__(None, None, None)
    assert gc.get_threshold() == usual


def test_the_default_threshold_is_restored_after_a_failure() -> None:
    usual = gc.get_threshold()
    with pytest.raises(KeyError), rare_garbage_collection():
        raise KeyError
    assert gc.get_threshold() == usual
