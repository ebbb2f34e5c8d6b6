from __future__ import annotations

from pathlib import Path

import pytest

from polyclinic.testing.killing import kill_and_resume


@pytest.mark.parametrize("processes", [1, 2])
async def test_a_killed_run_resumes_to_the_same_bytes_and_repeats_no_finished_call(
    tmp_path: Path, processes: int
) -> None:
    killed = await kill_and_resume(
        tmp_path, episodes=24, kills=2, concurrency=4, latency_s=0.05, processes=processes, seed=processes
    )
    assert killed.kills >= 1
    assert killed.same
    assert killed.failed == 0
    assert killed.repeated <= killed.kills * 4
