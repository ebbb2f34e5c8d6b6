from __future__ import annotations

from pathlib import Path

import pytest

from polyclinic.errors import DataError
from polyclinic.eval.criteria import Rubric, levels_of
from polyclinic.eval.rubric_file import load_rubric, package_rubric, parse_rubric

TOML = """\
id = "reward"
title = "Tutor's reward"
metric = "reward"
aggregate = "sum"

[[criteria]]
id = "IS-1"
question = "Is the structure whole?"
low = -2
high = 2
anchors = { -2 = "broken", "-1..1" = "partly", 2 = "whole" }

[[criteria]]
id = "AQ-1"
question = "Is the question open?"
low = -2
high = 2
anchors = { -2 = "closed", 2 = "open" }

[[flags]]
id = "unsafe"
question = "Is anything unsafe said?"
metric = "unsafe"

[[vetoes]]
criteria = ["IS-1"]
below = 0
value = -15
about = "structure"

[[vetoes]]
flags = ["unsafe"]
cap = -1
on = ["AQ-1"]
about = "unsafe"
"""

YAML = """\
id: warmth
title: Warmth
criteria:
  - id: warmth
    question: Is the nurse warm?
    low: 1
    high: 3
    anchors:
      1: cold
      2: polite
      3: warm
"""


def rubric() -> Rubric:
    return parse_rubric(TOML, "reward.toml")


def test_toml_and_yaml_both_load(tmp_path: Path) -> None:
    (tmp_path / "r.toml").write_text(TOML)
    (tmp_path / "r.yaml").write_text(YAML)
    assert load_rubric(tmp_path / "r.toml").criteria[0].anchors["-1..1"] == "partly"
    assert load_rubric(tmp_path / "r.yaml").criteria[0].anchors == {"1": "cold", "2": "polite", "3": "warm"}


def test_metrics_are_the_criteria_the_named_flags_and_the_aggregate_with_its_whole_range() -> None:
    metrics = {metric.name: metric for metric in rubric().metrics()}
    assert list(metrics) == ["is_1", "aq_1", "unsafe", "reward"]
    assert (metrics["is_1"].low, metrics["is_1"].high) == (-2, 2)
    assert (metrics["reward"].low, metrics["reward"].high) == (-15, 4)
    assert not metrics["unsafe"].higher_is_better


def test_sum_veto_and_cap_are_applied_by_code() -> None:
    assert rubric().conclude({"IS-1": 1, "AQ-1": 2}).aggregate == 3
    vetoed = rubric().conclude({"IS-1": -1, "AQ-1": 2})
    assert vetoed.aggregate == -15 and vetoed.vetoes == ("structure",) and vetoed.scores["AQ-1"] == 2
    capped = rubric().conclude({"IS-1": 2, "AQ-1": 2}, ["unsafe"])
    assert capped.scores == {"IS-1": 2, "AQ-1": -1} and capped.aggregate == 1 and capped.vetoes == ("unsafe",)


def test_means_are_weighted_and_a_minimum_is_the_worst() -> None:
    weighted = parse_rubric(TOML.replace('"sum"', '"mean"').replace('id = "AQ-1"', 'id = "AQ-1"\nweight = 3'), "r.toml")
    assert weighted.conclude({"IS-1": 2, "AQ-1": 0}).aggregate == pytest.approx(0.5)
    worst = parse_rubric(TOML.replace('"sum"', '"min"'), "r.toml")
    assert worst.conclude({"IS-1": 2, "AQ-1": 0}).aggregate == 0


def test_a_cap_below_the_scale_is_raised_to_the_lowest_level() -> None:
    low = parse_rubric(TOML.replace("cap = -1", "cap = -9"), "r.toml")
    assert low.conclude({"IS-1": 2, "AQ-1": 2}, ["unsafe"]).scores["AQ-1"] == -2


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('high = 2\nanchors = { -2 = "closed"', 'high = -2\nanchors = { -2 = "closed"', r"r\.toml:13: criteria.2: low"),
        ('2 = "open"', '3 = "open"', r"r\.toml:13: criteria.2: anchor '3' is outside the scale -2 to 2"),
        ('2 = "open"', '"0..1" = "open"', r"no anchor describes 2, an end of the scale"),
        ('-2 = "closed"', '"-2..2" = "closed"', r"both describe 2"),
        ('2 = "open"', 'high = "open"', r"anchor 'high' is neither a level like 3 nor a tier like 1..2"),
        ('id = "AQ-1"', 'id = "IS-1"', r"the id 'IS-1' appears twice"),
        ('criteria = ["IS-1"]', 'criteria = ["IS-9"]', r"names 'IS-9', which the rubric does not have"),
        ("below = 0\n", "", r"r\.toml:25: vetoes.1: a veto over criteria needs 'below'"),
        ("cap = -1", "cap = -1\nvalue = 3", r"either 'value'"),
        ("cap = -1", "value = 3", r"'on' says which criteria"),
        ('question = "Is the question open?"', 'qestion = "x"', r"r\.toml:13: criteria.2.question: is missing; add it"),
        (
            'question = "Is the structure whole?"',
            'question = "x"\nquestoin = 1',
            r"r\.toml:9: criteria.1.questoin: is not",
        ),
        (
            'low = -2\nhigh = 2\nanchors = { -2 = "broken"',
            'low = -2.5\nhigh = 2\nanchors = { -2 = "broken"',
            r":9: criteria.1.low",
        ),
        ('metric = "reward"\n', "", r"replaces the aggregate, but the rubric has no 'metric'"),
        ('metric = "unsafe"', 'metric = "reward"', r"two numbers of the rubric are both called 'reward'"),
        ('aggregate = "sum"', 'aggregate = "median"', r"r\.toml:4: aggregate"),
        ("low = -2", "low = ", r"r\.toml:9: this is not TOML"),
    ],
)
def test_a_wrong_file_is_named_with_its_line_and_the_fix(old: str, new: str, message: str) -> None:
    assert old in TOML
    with pytest.raises(DataError, match=message):
        parse_rubric(TOML.replace(old, new, 1), "r.toml")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("      3: warm\n", "", r"r\.yaml:4: criteria.1: no anchor describes 3"),
        ("    low: 1\n", "    low: one\n", r"r\.yaml:6: criteria.1.low"),
        ("  - id: warmth\n", "  - id: [warmth\n", r"r\.yaml:5: this is not YAML"),
        (YAML, "just words", r"r\.yaml:1: "),
    ],
)
def test_yaml_errors_name_their_line(old: str, new: str, message: str) -> None:
    with pytest.raises(DataError, match=message):
        parse_rubric(YAML.replace(old, new), "r.yaml")


def test_missing_files_and_other_file_extensions_are_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no such rubric file"):
        load_rubric(tmp_path / "none.toml")
    with pytest.raises(DataError, match="no such rubric file"):
        package_rubric("polyclinic.eval", "data/none.toml")
    with pytest.raises(DataError, match=r"ends in \.toml or"):
        parse_rubric(TOML, "r.json")
    (tmp_path / "bad.toml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(DataError, match="UTF-8"):
        load_rubric(tmp_path / "bad.toml")


def test_tiers_are_read_as_ranges_of_levels() -> None:
    assert list(levels_of("-2..0")) == [-2, -1, 0]
    with pytest.raises(ValueError, match="runs backwards"):
        levels_of("3..1")
