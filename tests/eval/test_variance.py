from __future__ import annotations

import numpy as np
import pytest

from polyclinic.core.transcript import Score
from polyclinic.eval.results import EpisodeRow, RunResults
from polyclinic.eval.variance import metric_variance, split_variance


def simulate(
    scenarios: int, trials: int, samples: int, sds: tuple[float, float, float], seed: int, unbalanced: bool = False
) -> list[tuple[int, int, float]]:
    generator = np.random.default_rng(seed)
    rows = []
    for scenario in range(scenarios):
        level = generator.normal(3, sds[0])
        for trial in range(trials if not unbalanced else int(generator.integers(1, trials + 1))):
            inner = level + generator.normal(0, sds[1])
            count = samples if not unbalanced else int(generator.integers(1, samples + 1))
            rows += [(scenario, trial, float(inner + generator.normal(0, sds[2]))) for _ in range(count)]
    return rows


def test_balanced_components_match_montgomerys_nested_example() -> None:
    # Montgomery, Design and Analysis of Experiments, example 14.1 (purity of batches within suppliers): mean squares
    # 7.53, 7.77 and 2.64 for suppliers, batches and error, so 1.71 for batches and about -0.02 for suppliers.
    purity = [
        [[1, -1, 0], [-2, -3, -4], [-2, 0, 1], [1, 4, 0]],
        [[1, -2, -3], [0, 4, 2], [-1, 0, -2], [0, 3, 2]],
        [[2, 4, 0], [-2, 0, 2], [1, -1, 2], [3, 2, 1]],
    ]
    rows = [(s, b, float(v)) for s, batches in enumerate(purity) for b, batch in enumerate(batches) for v in batch]
    found = split_variance(rows)
    assert found is not None
    assert found.judge == pytest.approx(2.64, abs=0.005)
    assert found.trial == pytest.approx(1.71, abs=0.005)
    assert found.scenario == pytest.approx(-0.02, abs=0.005)
    assert found.shares()["scenario"] == 0.0


@pytest.mark.parametrize("unbalanced", [False, True])
def test_known_components_are_recovered_from_simulated_runs(unbalanced: bool) -> None:
    sds = (1.0, 0.6, 0.4)
    found = [split_variance(simulate(60, 4, 4, sds, seed, unbalanced)) for seed in range(60)]
    for part, sd in zip(("scenario", "trial", "judge"), sds, strict=True):
        mean = float(np.mean([getattr(item, part) for item in found]))
        assert mean == pytest.approx(sd**2, rel=0.08), part


def test_shares_add_up_to_one() -> None:
    found = split_variance(simulate(30, 3, 3, (1, 1, 1), 4))
    assert found is not None
    assert sum(share for share in found.shares().values() if share is not None) == pytest.approx(1)


def test_variance_cannot_be_split_without_repeated_measurements() -> None:
    once = split_variance([(s, 0, float(s)) for s in range(5)])
    assert once is not None and once.trial is None and once.judge is None
    assert once.scenario == pytest.approx(np.var(np.arange(5), ddof=1))
    single = split_variance([("s", 0, 1.0), ("s", 1, 3.0)])
    assert single is not None and single.scenario is None and single.trial == pytest.approx(2.0)
    assert split_variance([]) is None


def test_the_planned_standard_error_is_what_simulation_shows() -> None:
    sds = (1.0, 0.8, 0.5)
    found = split_variance(simulate(2000, 4, 4, sds, 9))
    assert found is not None
    means = [np.mean([value for _, _, value in simulate(20, 2, 3, sds, seed)]) for seed in range(1000, 1600)]
    assert found.standard_error(20, 2, 3) == pytest.approx(float(np.std(means)), rel=0.1)
    with pytest.raises(ValueError, match="at least one"):
        found.standard_error(0)


def test_judge_samples_of_a_run_are_read_from_its_scores() -> None:
    episodes = tuple(
        EpisodeRow(
            id=f"{s}-{t}",
            scenario=s,
            variant="v",
            trial=t,
            scores=tuple(Score(metric="m", value=base + k, judge="j", sample=k) for k in (0, 1, 2)),
        )
        for s, t, base in [("a", 0, 0.0), ("a", 1, 0.0), ("b", 0, 10.0), ("b", 1, 10.0)]
    )
    found = metric_variance(RunResults(run="r", clinic="c", episodes=episodes), "v", "m")
    assert found is not None
    assert found.judge == pytest.approx(1.0)
    assert found.trial == pytest.approx(-1 / 3)
    assert found.scenario == pytest.approx(50.0, abs=0.5)
    assert found.shares()["trial"] == 0.0
