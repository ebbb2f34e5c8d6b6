from __future__ import annotations

import csv
import json
from collections import Counter
from pathlib import Path

import pytest

from polyclinic.core.past_readings import PastReading
from polyclinic.core.reading import Finding, ReadingKind, Says
from polyclinic.errors import DataError, UserError
from polyclinic.eval.audit import AuditKey
from polyclinic.eval.audit_readings import (
    PersonsReading,
    ReadingsKey,
    load_key,
    read_answers,
    write_labels,
    write_readings,
)
from polyclinic.eval.audit_readings_report import ALL, audit_readings, readings_sections
from polyclinic.eval.results import CastMember, EpisodeRow, RunResults
from polyclinic.eval.sections import Table
from polyclinic.reading.sets import from_file

ASKED = ReadingKind("x-asked", who=("doctor",), question="Is it a question?")
TOLD = ReadingKind("x-told", who=("patient",), context="Fact: {fact}", question="Is it told?")
KINDS = {kind.name: kind for kind in (ASKED, TOLD)}
RESULTS = RunResults(
    run="run-secret-42",
    clinic="demo",
    cast=(CastMember("reader", "openai:gpt-5-mini", "llm"),),
    episodes=(EpisodeRow("ep-1", "s", "v"),),
)


def readings(yes: int = 5, no: int = 40, unclear: int = 3) -> list[PastReading]:
    """Texts whose words say how the reader answered them; every reading occurs in two episodes."""
    counts: list[tuple[Says, int]] = [("yes", yes), ("no", no), ("unclear", unclear)]
    says = [one for one, count in counts for _ in range(count)]
    found = [
        PastReading(
            f"Words <{says}-{number}>", kind.ask(**({"fact": "It hurts."} if kind is TOLD else {})), Finding(one)
        )
        for number, one in enumerate(says)
        for kind in KINDS.values()
    ]
    return [*found, *found]


def packet(folder: Path, made: list[PastReading] | None = None, lines: int = 24, seed: int = 0) -> ReadingsKey:
    return write_readings(
        RESULTS,
        readings() if made is None else made,
        folder / "packet",
        folder / "key.json",
        reader="openai:gpt-5-mini",
        lines=lines,
        seed=seed,
    )


def fill(path: Path, answers: dict[str, str]) -> None:
    rows = list(csv.reader(path.read_text(encoding="utf-8").splitlines()))
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([rows[0], *([row[0], answers.get(row[0], ""), ""] for row in rows[1:])])


def test_readings_are_drawn_evenly_over_kinds_and_answers_and_each_only_once(tmp_path: Path) -> None:
    key = packet(tmp_path)
    drawn = Counter((one.kind, one.says) for one in key.items.values())
    assert drawn == {
        (kind, says): count for kind in KINDS for says, count in (("yes", 5), ("no", 4), ("unclear", 3))
    }, "unclear is rare: all of it is drawn, and the others share what is left"
    assert len({(one.kind, one.text) for one in key.items.values()}) == 24
    assert key.found["x-told"] == {"yes": 5, "no": 40, "unclear": 3}


def test_the_sheet_shows_texts_and_questions_and_nothing_of_what_the_reader_said(tmp_path: Path) -> None:
    made = [
        PastReading(
            f"Words {number}", TOLD.ask(fact="It <hurts>."), Finding("yes" if number % 2 else "no", "Words", 0.9)
        )
        for number in range(12)
    ]
    key = packet(tmp_path, made, lines=12)
    page = (tmp_path / "packet" / "packet.html").read_text(encoding="utf-8")
    other = [PastReading(one.text, one.question, Finding("unclear")) for one in made]
    packet(tmp_path / "other", other, lines=12)
    same = (tmp_path / "other" / "packet" / "packet.html").read_text(encoding="utf-8")
    assert "It &lt;hurts&gt;." in page and "Is it told?" in page
    for code in key.items:
        page, same = page.replace(code, "CODE"), same.replace(code, "CODE")
    assert sorted(page) == sorted(same), "whatever the reader said, the page holds the same, in another order"
    for telling in ("run-secret-42", "gpt-5-mini", "ep-1"):
        assert telling not in page
    sheet = (tmp_path / "packet" / "ratings_rater-1.csv").read_text(encoding="utf-8")
    assert sheet.splitlines()[0] == "item,answer,comment" and "yes" not in sheet


def test_the_seed_decides_what_is_drawn_and_each_rater_has_an_order(tmp_path: Path) -> None:
    first, again, other = packet(tmp_path / "a"), packet(tmp_path / "b"), packet(tmp_path / "c", seed=1)
    assert first == again
    assert {one.text for one in first.items.values()} != {one.text for one in other.items.values()}
    orders = [(tmp_path / "a" / "packet" / f"ratings_rater-{n}.csv").read_text(encoding="utf-8") for n in (1, 2)]
    assert orders[0] != orders[1] and sorted(orders[0].split()) == sorted(orders[1].split())
    assert load_key(tmp_path / "a" / "key.json") == first


def test_sheets_are_read_in_plain_words_and_mistakes_are_named(tmp_path: Path) -> None:
    key = packet(tmp_path)
    one, two, three, four, *_ = key.items
    sheet = tmp_path / "packet" / "ratings_rater-1.csv"
    fill(sheet, {one: "Yes", two: "n", three: "?", four: "아니요"})
    found = {answer.item: answer.says for answer in read_answers(sheet, key)}
    assert found == {one: "yes", two: "no", three: "unclear", four: "no"}
    fill(sheet, {one: "perhaps"})
    with pytest.raises(DataError, match=r"ratings_rater-1\.csv:\d+: answer: 'perhaps' is none of yes, no and unclear"):
        read_answers(sheet, key)


def answered(key: ReadingsKey, says: dict[str, Says], rater: str = "ann") -> list[PersonsReading]:
    return [PersonsReading(rater, code, one) for code, one in says.items()]


def test_agreement_kappa_and_the_readers_accuracy_are_counted_by_kind(tmp_path: Path) -> None:
    key = packet(tmp_path)
    told = {code: one.says for code, one in key.items.items() if one.kind == "x-told"}
    wrong = [code for code, says in told.items() if says == "no"][:2]
    said: dict[str, Says] = {**told, **dict.fromkeys(wrong, "yes")}
    said |= {code: "no" for code, says in told.items() if says == "unclear"}
    kind, everything = audit_readings(key, answered(key, said))
    assert (kind.kind, kind.n, everything.kind) == ("x-told", 12, ALL)
    assert kind.agree == pytest.approx(7 / 12)
    assert kind.kappa.value is not None and kind.kappa.value < 7 / 12
    assert kind.kappa.low is not None and kind.kappa.high is not None
    assert (kind.right.yes, kind.right.no) == (7, 5)
    assert kind.right.yes_right == pytest.approx(5 / 7, abs=1e-4)
    assert kind.right.no_right == pytest.approx(2 / 5), "what the reader left unclear counts as wrong"
    # In the run there are 40 readings with no, of which 4 were drawn, and all 5 with yes and 3 unclear.
    assert kind.in_run == pytest.approx((5 / (5 + 2 * 10) + 2 * 10 / (2 * 10 + 3)) / 2)


def test_a_reader_that_says_what_people_say_is_right_and_one_that_says_the_opposite_is_not(tmp_path: Path) -> None:
    key = packet(tmp_path, readings(30, 30, 0), lines=80)
    same = audit_readings(key, answered(key, {code: one.says for code, one in key.items.items()}))
    assert all(one.agree == 1 and one.right.balanced == 1 and one.right.believed for one in same)
    turned: dict[str, Says] = {code: "no" if one.says == "yes" else "yes" for code, one in key.items.items()}
    assert all(one.agree == 0 and one.right.balanced == 0 for one in audit_readings(key, answered(key, turned)))


def test_where_people_differ_there_is_no_label(tmp_path: Path) -> None:
    key = packet(tmp_path)
    one, two, three, *_ = key.items
    both = [
        *answered(key, {one: "yes", two: "no", three: "unclear"}),
        *answered(key, {one: "no", two: "no", three: "unclear"}, "ben"),
    ]
    assert audit_readings(key, both)[-1].right.n == 1
    assert write_labels(tmp_path / "labels.jsonl", key, both) == 1
    (section,) = readings_sections(key, both)
    assert [block.caption for block in section.body if isinstance(block, Table)][-1] == "Among people"


def test_labels_measure_any_other_reader(tmp_path: Path) -> None:
    """The file has the form that `polyclinic eval readings --file` takes, with the same questions."""
    key = packet(tmp_path)
    answers = answered(key, {code: one.says for code, one in key.items.items()})
    lines = write_labels(tmp_path / "new" / "labels.jsonl", key, answers)
    rows = from_file(tmp_path / "new" / "labels.jsonl", KINDS)
    assert lines == len(rows) == 18, "all but what the person left unclear"
    asked = {(one.kind, one.context, one.text, one.question, one.says == "yes") for one in key.items.values()}
    assert {(row.question.kind, row.question.context, row.text, row.question.words, row.label) for row in rows} <= asked
    assert {row.question for row in rows} == {
        kind.ask(**facts) for kind, facts in ((ASKED, {}), (TOLD, {"fact": "It hurts."}))
    }
    assert (
        json.loads((tmp_path / "new" / "labels.jsonl").read_text(encoding="utf-8").splitlines()[0])["author"] == "ann"
    )


def test_a_run_without_readings_and_a_key_in_the_packet_are_the_users_errors(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="no reading to ask people"):
        packet(tmp_path, [])
    with pytest.raises(UserError, match="cannot see it"):
        write_readings(RESULTS, readings(), tmp_path, tmp_path / "key.json", reader="x")
    (tmp_path / "no.json").write_text('{"run": "r"}')
    with pytest.raises(DataError, match="is not an audit key"):
        load_key(tmp_path / "no.json")
    transcripts = AuditKey(run="r", clinic="demo", seed=0, questions=(), items={})
    transcripts.save(tmp_path / "other.json")
    assert load_key(tmp_path / "other.json") == transcripts
