from __future__ import annotations

import csv
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from polyclinic.core.transcript import Said, Score, Transcript
from polyclinic.errors import DataError, EngineError, UserError
from polyclinic.eval.audit import AuditKey, Rating, read_ratings, write_packet
from polyclinic.eval.audit_report import audit, audit_sections
from polyclinic.eval.criteria import Criterion
from polyclinic.eval.html_blocks import render_blocks
from polyclinic.eval.results import CastMember, EpisodeRow, RunResults
from polyclinic.eval.sections import Table

QUESTIONS = (
    Criterion(
        id="warmth", question="Is the nurse warm?", low=1, high=5, anchors={"1": "cold", "2..4": "polite", "5": "warm"}
    ),
    Criterion(id="clear", question="Is it clear?", low=1, high=5, anchors={"1": "no", "5": "yes"}),
)


def results(words: str = "Welcome, I am listening.") -> RunResults:
    episodes = [
        EpisodeRow(
            id=f"ep-{variant}-{i:03d}",
            scenario=f"s{i}",
            variant=variant,
            scores=(Score(metric="warmth", value=1 + i % 5, judge="bedside"),),
            source=Transcript(
                [Said(speaker="nurse", text=f"{words} ({i})"), Said(speaker="patient", text="Thank you.")]
            ),
        )
        for variant in ("plain", "full", "library")
        for i in range(20)
    ]
    episodes.append(EpisodeRow(id="ep-failed", scenario="s99", variant="plain", status="failed", source=Transcript()))
    return RunResults(
        run="run-secret-42",
        clinic="demo",
        cast=(CastMember("nurse", "openai:gpt-5-mini", "llm"),),
        variants=("plain", "full", "library"),
        episodes=tuple(episodes),
    )


def packet(tmp_path: Path, **options: object) -> AuditKey:
    return write_packet(results(), QUESTIONS, tmp_path / "packet", tmp_path / "key.json", episodes=12, **options)  # type: ignore[arg-type]


def fill(path: Path, value: str = "3", **cells: str) -> None:
    rows = list(csv.reader(path.read_text(encoding="utf-8").splitlines()))
    for row in rows[1:]:
        row[1:3] = [cells.get("warmth", value), cells.get("clear", value)]
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows(rows)


def test_a_packet_is_blind_and_its_key_is_stored_elsewhere(tmp_path: Path) -> None:
    key = packet(tmp_path)
    text = "".join(path.read_text(encoding="utf-8") for path in (tmp_path / "packet").iterdir())
    for telling in ("run-secret-42", "gpt-5-mini", "library", "ep-full", "s13"):
        assert telling not in text
    assert "Welcome, I am listening." in text and "2 to 4" in text and "not for clinical use" in text
    assert AuditKey.load(tmp_path / "key.json") == key and len(key.items) == 12


def test_variants_are_drawn_evenly_and_failed_episodes_are_never_drawn(tmp_path: Path) -> None:
    drawn = [episode.split("-")[1] for episode in packet(tmp_path).items.values()]
    assert {name: drawn.count(name) for name in set(drawn)} == {"plain": 4, "full": 4, "library": 4}


def test_codes_and_orders_depend_on_the_seed_and_rater_only(tmp_path: Path) -> None:
    first, again = packet(tmp_path / "a"), packet(tmp_path / "b")
    assert first == again and packet(tmp_path / "c", seed=1).items != first.items

    def order(name: str) -> list[str]:
        text = (tmp_path / "a" / "packet" / f"ratings_{name}.csv").read_text(encoding="utf-8")
        return [line.split(",")[0] for line in text.splitlines()[1:]]

    assert sorted(order("rater-1")) == sorted(order("rater-2")) and order("rater-1") != order("rater-2")


def test_the_key_may_not_be_inside_the_packet(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="cannot see it"):
        write_packet(results(), QUESTIONS, tmp_path, tmp_path / "sub" / "key.json")


def test_words_that_would_reveal_the_variant_are_caught(tmp_path: Path) -> None:
    with pytest.raises(EngineError, match="not be blind"):
        write_packet(results("I am openai:gpt-5-mini."), QUESTIONS, tmp_path / "p", tmp_path / "k.json")
    assert not (tmp_path / "k.json").exists()


def test_an_empty_packet_and_bad_names_of_raters_are_user_errors(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="no finished episode"):
        write_packet(RunResults(run="r", clinic="c"), QUESTIONS, tmp_path / "p", tmp_path / "k.json")
    with pytest.raises(UserError, match="at least one question"):
        write_packet(results(), (), tmp_path / "p", tmp_path / "k.json")
    for raters in (("../x",), ("ann", "ann")):
        with pytest.raises(UserError, match="rater"):
            packet(tmp_path, raters=raters)


def test_filled_sheets_are_read_back(tmp_path: Path) -> None:
    key = packet(tmp_path)
    sheet = tmp_path / "packet" / "ratings_rater-1.csv"
    fill(sheet, "4", clear="")
    found = read_ratings(sheet, key)
    assert len(found) == 12 and {(r.rater, r.question, r.value) for r in found} == {("rater-1", "warmth", 4)}


def test_spreadsheets_with_semicolons_a_byte_order_mark_and_spaces_are_read(tmp_path: Path) -> None:
    key = packet(tmp_path)
    code = next(iter(key.items))
    sheet = tmp_path / "ratings_ann.csv"
    sheet.write_bytes(f"\ufeffitem;warmth;clear;comment\r\n {code.lower()} ; 5 ;;fine\r\n;;;\r\n".encode())
    assert read_ratings(sheet, key) == [Rating("ann", code, "warmth", 5, "fine")]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("ZZZZZ,3,3,", r"r\.csv:2: there is no item 'ZZZZZ'"),
        ("CODE,9,3,", r"r\.csv:2: warmth: 9 is outside the scale 1 to 5"),
        ("CODE,3.5,3,", r"r\.csv:2: warmth: '3.5' is not a whole number"),
        ("CODE,3,good,", r"r\.csv:2: clear: 'good' is not a whole number"),
        ("CODE,3,3,\nCODE,4,4,", r"r\.csv:3: the item \w+ was already rated on line 2"),
    ],
)
def test_a_wrong_sheet_is_named_with_its_line_and_the_fix(tmp_path: Path, line: str, message: str) -> None:
    key = packet(tmp_path)
    sheet = tmp_path / "r.csv"
    sheet.write_text("item,warmth,clear,comment\n" + line.replace("CODE", next(iter(key.items))))
    with pytest.raises(DataError, match=message):
        read_ratings(sheet, key)


def test_missing_columns_files_and_foreign_keys_are_named(tmp_path: Path) -> None:
    key = packet(tmp_path)
    sheet = tmp_path / "r.csv"
    sheet.write_text("item,warmth\n")
    with pytest.raises(DataError, match=r"r\.csv:1: the column clear is missing"):
        read_ratings(sheet, key)
    sheet.write_text("")
    with pytest.raises(DataError, match="missing"):
        read_ratings(sheet, key)
    with pytest.raises(DataError, match="there is no such"):
        read_ratings(tmp_path / "none.csv", key)
    (tmp_path / "no.json").write_text("{}")
    with pytest.raises(DataError, match="is not an audit key"):
        AuditKey.load(tmp_path / "no.json")
    with pytest.raises(DataError, match="there is no such"):
        AuditKey.load(tmp_path / "none.json")


def rated(key: AuditKey, noise: float, raters: int = 2, bias: float = 0.0) -> list[Rating]:
    """Fill in the sheets like people who see what the judge sees, with noise."""
    judge = {episode.id: episode.value("warmth") or 0 for episode in results().episodes}
    generator = np.random.default_rng(1)
    return [
        Rating(
            f"rater-{r}", code, "warmth", int(np.clip(round(judge[episode] - bias + generator.normal(0, noise)), 1, 5))
        )
        for r in range(raters)
        for code, episode in key.items.items()
    ]


def test_agreement_is_high_when_people_and_judge_see_the_same(tmp_path: Path) -> None:
    key = write_packet(results(), QUESTIONS, tmp_path / "p", tmp_path / "k.json", episodes=60)
    warmth, clear = audit(results(), key, rated(key, 0.2))
    assert warmth.rated == 60 and [item.name for item in warmth.people] == [
        "alpha (ordinal)",
        "ICC(2,1)",
        "kappa (quadratic)",
    ]
    for item in (*warmth.people, *warmth.judge):
        assert item.value is not None and item.value > 0.9
    assert warmth.bias is not None and abs(warmth.bias.mean) < 0.2
    assert clear.rated == 0 and clear.judge == () and clear.bias is None


def test_noise_lowers_agreement_and_a_lenient_judge_shows_as_bias(tmp_path: Path) -> None:
    key = write_packet(results(), QUESTIONS, tmp_path / "p", tmp_path / "k.json", episodes=60)
    noisy = audit(results(), key, rated(key, 2.5, raters=3))[0]
    assert [item.name for item in noisy.people] == ["alpha (ordinal)", "ICC(2,1)"]
    assert noisy.people[0].value is not None and noisy.people[0].value < 0.6
    strict = audit(results(), key, rated(key, 0.1, bias=1.0))[0]
    assert strict.bias is not None and strict.bias.low is not None and strict.bias.low > 0.5


def test_one_rater_gives_no_agreement_among_people(tmp_path: Path) -> None:
    key = packet(tmp_path)
    found = audit(results(), key, rated(key, 0.1, raters=1))[0]
    assert found.people == () and found.judge


def test_the_audit_becomes_a_report_section(tmp_path: Path) -> None:
    key = packet(tmp_path)
    (section,) = audit_sections(audit(results(), key, rated(key, 0.5)))
    page = render_blocks(section.body)
    assert "judge minus people" in page and "<svg" in page and "2 raters, blind" in page


def test_what_cannot_be_computed_is_said_under_the_table_and_not_in_a_column(tmp_path: Path) -> None:
    key = packet(tmp_path)
    same = [replace(rating, value=3) for rating in rated(key, 0.5)]
    (section,) = audit_sections(audit(results(), key, same))
    table = next(block for block in section.body if isinstance(block, Table))
    assert "note" not in table.columns
    assert "not defined: a rater's ratings do not vary." in table.note


def test_a_key_of_another_run_is_refused(tmp_path: Path) -> None:
    key = packet(tmp_path)
    with pytest.raises(UserError, match="belongs to run run-secret-42"):
        audit(RunResults(run="other", clinic="demo"), key, [])
    with pytest.raises(UserError, match="does not hold the episode"):
        audit(RunResults(run="run-secret-42", clinic="demo"), key, [])
