from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import orjson
import pytest

from polyclinic.core.dataset import OutputReward
from polyclinic.errors import ConfigError
from polyclinic.runner.registry import load_clinic
from polyclinic.store.store import open_store
from polyclinic.training.compare import ComparisonPlan, Contender, compare_models, moment_figures, on_moments
from polyclinic.training.dataset import DatasetRequest, build


def test_a_contender_has_a_name_and_a_model() -> None:
    assert Contender.from_text("sft=runs/sft").cast == "local:runs/sft"
    assert Contender.from_text("rules=understudy").cast == "understudy"
    with pytest.raises(ConfigError, match="NAME=PATH"):
        Contender.from_text("runs/sft")


def test_figures_of_moments_have_intervals_by_case_and_leave_out_failed_judgements() -> None:
    grades = [
        OutputReward(14, {"is_1": 2}),
        OutputReward(-15, {"is_1": -2}, ("IS-1",)),
        None,
        OutputReward(10, {"is_1": 2}),
    ]
    found = moment_figures(["a", "a", "b", "b"], grades, {})
    assert found["reward"].mean == pytest.approx((-0.5 + 10) / 2) and found["reward"].n == 3
    assert found["veto rate"].mean == 0.25 and found["veto rate"].low is not None


async def test_an_understudy_is_judged_by_the_rows_that_its_clinic_marks_as_the_understudys(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The clinic, not the comparison, decides which column names the player."""
    (tmp_path / "test.jsonl").write_bytes(
        b"".join(
            orjson.dumps(
                {
                    "kind": "single",
                    "case": "a",
                    "context": "c",
                    "prompt": [],
                    "nurse": nurse,
                    "completion": [{"content": [{"text": f"said by {nurse}"}]}],
                }
            )
            + b"\n"
            for nurse in ("understudy", "understudy:mistake=dose")
        )
    )
    graded: list[str] = []

    class Grader:
        async def grade_all(self, contexts: list[str], outputs: list[str]) -> list[OutputReward]:
            graded.extend(outputs)
            return [OutputReward(1.0) for _ in outputs]

    @asynccontextmanager
    async def opened(*_: object) -> AsyncIterator[Grader]:
        yield Grader()

    demo = load_clinic("demo")
    assert demo.dataset is not None
    monkeypatch.setattr(demo.dataset, "player", lambda row: row["nurse"], raising=True)
    monkeypatch.setattr("polyclinic.training.compare.open_grader", opened)
    async with open_store("sqlite://:memory:") as store:
        trial = ComparisonPlan("demo", data=tmp_path)
        found = await on_moments(store, Contender("rules", "understudy"), trial, tmp_path)
    assert graded == ["said by understudy"] and found["reward"].mean == 1.0


def test_a_criterion_with_the_same_score_in_all_cases_has_an_interval_too() -> None:
    found = moment_figures(["a", "b", "c"], [OutputReward(14, {"is_1": 2})] * 3, {"is_1": (-2, 2), "reward": (-15, 14)})
    for name, lowest in (("is_1", -2), ("reward", -15), ("veto rate", 0)):
        low, high = found[name].low, found[name].high
        assert low is not None and high is not None and lowest <= low < high, name


async def test_understudies_are_compared_on_moments_and_in_situ(tmp_path: Path) -> None:
    poor = "understudy:mistake=tells@1"
    async with open_store("sqlite://:memory:") as store:
        casts = ("all=understudy", f"tutor={poor},all=understudy")
        await build(
            store,
            DatasetRequest(tmp_path / "data", "rounds", 30, casts=casts, scenarios="test", variants=("one-student",)),
        )
        trial = ComparisonPlan("rounds", data=tmp_path / "data", scenarios="test:2", variant="one-student", moments=20)
        made = await compare_models(
            store, [Contender("good", "understudy"), Contender("poor", poor)], trial, tmp_path / "out"
        )
    assert all(one.low is not None for figures in made.moments.values() for one in figures.values())
    good, bad = made.moments["good"], made.moments["poor"]
    assert good["is_3"].mean > bad["is_3"].mean
    assert made.situ["good"]["is_3"].mean > made.situ["poor"]["is_3"].mean
    assert {"ets", "msm", "mps", "veto rate", "steps_covered", "learning_gain"} <= set(made.situ["good"])
    text = (tmp_path / "out" / "comparison.md").read_text()
    assert "| figure | good | poor |" in text and (tmp_path / "out" / "moments-good.jsonl").is_file()


async def test_the_sampled_moments_of_an_understudy_come_from_many_cases(tmp_path: Path) -> None:
    async with open_store("sqlite://:memory:") as store:
        wish = DatasetRequest(
            tmp_path / "data", "rounds", 30, casts=("all=understudy",), scenarios="test", variants=("one-student",)
        )
        card = await build(store, wish)
        trial = ComparisonPlan("rounds", data=tmp_path / "data", scenarios="", moments=3)
        await compare_models(store, [Contender("rules", "understudy")], trial, tmp_path / "out")
    assert card.cases["test"] >= 3
    kept = [orjson.loads(line) for line in (tmp_path / "out" / "moments-rules.jsonl").read_bytes().splitlines()]
    assert len({row["case"] for row in kept}) == len(kept) == 3
