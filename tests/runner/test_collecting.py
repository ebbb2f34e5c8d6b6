"""Garbage is looked for seldom while runs are under way, and as before when the last is over."""

from __future__ import annotations

import gc

import pytest

from polyclinic.runner.execute.collecting import SELDOM, seldom_collected


def test_the_usual_rhythm_comes_back_after_the_last_of_several_runs() -> None:
    usual = gc.get_threshold()
    first, second = seldom_collected(), seldom_collected()
    first.__enter__()
    second.__enter__()
    assert gc.get_threshold() == SELDOM
    first.__exit__(None, None, None)
    assert gc.get_threshold() == SELDOM
    second.__exit__(None, None, None)
    assert gc.get_threshold() == usual


def test_the_usual_rhythm_comes_back_after_a_failure() -> None:
    usual = gc.get_threshold()
    with pytest.raises(KeyError), seldom_collected():
        raise KeyError
    assert gc.get_threshold() == usual
