from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path

import orjson
import pytest

from polyclinic.clinics.duty.readings import NORM
from polyclinic.clinics.duty.rules.norms.norm import shipped_norm
from polyclinic.core.model import Request
from polyclinic.core.read_text import ReadsText
from polyclinic.core.reading import SENTENCES, ReadingKind
from polyclinic.errors import DataError, ReaderError
from polyclinic.reading import vectors
from polyclinic.reading.choose import open_reader
from polyclinic.reading.measure import accuracy
from polyclinic.reading.reader import BuiltInReader
from polyclinic.reading.sets import Labelled, from_file
from polyclinic.reading.training import train, train_file
from polyclinic.reading.weights import load, made
from polyclinic.runner.readings import all_kinds, labelled, read_all

RULE = shipped_norm("ESC-2")


@cache
def lines(split: str) -> list[Labelled]:
    return labelled(split=split)


@pytest.fixture(scope="module")
def reader() -> BuiltInReader:
    return BuiltInReader(all_kinds())


def test_the_same_text_is_read_differently_for_another_fact(reader: BuiltInReader) -> None:
    told = all_kinds()["patient-told"]
    text = "I wake up at night and have to sit by the open window to get air."
    breath = reader.probability(text, told.ask(fact="I wake up gasping for breath at night."))
    smoke = reader.probability(text, told.ask(fact="I stopped smoking eight years ago."))
    assert breath > smoke + 0.3


def test_the_quotation_of_a_yes_is_in_the_text(reader: BuiltInReader) -> None:
    refusal = all_kinds()["patient-refusal"].ask(asked="When did it start?")
    text = "Oh dear. I really couldn't tell you, doctor."
    says, words = reader.read(text, refusal)
    assert says == "yes"
    assert words
    assert words in text


def test_no_test_author_is_in_the_training_lines() -> None:
    trained = {row.author for row in lines("train")}
    tested = {row.author for row in lines("test")}
    assert tested
    assert not trained & tested


def test_most_texts_of_open_kinds_have_examples_of_both_labels() -> None:
    rows = [row for row in lines("test") if row.question.kind == "patient-told"]
    labels: dict[str, set[bool]] = {}
    for row in rows:
        labels.setdefault(row.text, set()).add(row.label)
    assert sum(len(found) == 2 for found in labels.values()) / len(labels) > 0.9


async def test_the_shipped_reader_is_as_good_as_its_stored_results_say() -> None:
    rows = [row for row in lines("test") if row.question.kind == "patient-cheat"]
    findings = await read_all(rows, "reader=builtin")
    found = accuracy([(row.label, finding.says) for row, finding in zip(rows, findings, strict=True)])
    assert found.balanced >= 0.8


def test_training_gives_the_same_bytes_again(tmp_path: Path) -> None:
    kinds = {name: kind for name, kind in all_kinds().items() if name in ("patient-refusal", "desk-intent")}
    rows = [row for row in lines("train") if row.question.kind in kinds][::24]
    first, second = tmp_path / "a.npz", tmp_path / "b.npz"
    train_file(rows, kinds, first)
    train_file(rows, kinds, second)
    assert first.read_bytes() == second.read_bytes()
    weights = load(first.read_bytes())
    assert weights.gather and weights.order and len(weights.offsets) == len(kinds), "too few lines to train every part"


def test_a_kind_reads_the_same_whether_it_was_trained_alone_or_with_others() -> None:
    kinds = {name: kind for name, kind in all_kinds().items() if name in ("patient-refusal", "desk-intent")}
    rows = [row for row in lines("train") if row.question.kind in kinds][::6]
    alone = {"patient-refusal": kinds["patient-refusal"]}
    both, one = (BuiltInReader(some, weights=made(*train(rows, some))) for some in (kinds, alone))
    mine = [row for row in rows if row.question.kind == "patient-refusal"]
    assert [both.probability(row.text, row.question) for row in mine] == [
        one.probability(row.text, row.question) for row in mine
    ]


def test_yes_and_no_count_the_same_within_each_target() -> None:
    """One target has mostly yes lines and one mostly no lines: a text that says nothing leans to neither."""
    kind = ReadingKind("k", who=(), question="Is it {what}?", open=("what",), listed=True)

    def row(what: str, text: str, label: bool) -> Labelled:
        return Labelled(kind.ask(what=what), text, label, "a", "train")

    words = ("alpha", "beta", "gamma", "delta")
    rows = [row("warm", f"{word} warm indeed", True) for word in words * 6]
    rows += [row("warm", f"{word} not warm at all", False) for word in words]
    rows += [row("loud", f"{word} loud indeed", True) for word in words]
    rows += [row("loud", f"{word} not loud at all", False) for word in words * 6]
    reader = BuiltInReader({"k": kind}, weights=made(*train(rows, {"k": kind})))
    warm, loud = (reader.probability("something else", kind.ask(what=what)) for what in ("warm", "loud"))
    assert abs(warm - loud) < 0.15
    assert reader.probability("epsilon warm indeed", kind.ask(what="warm")) > 0.5
    assert reader.probability("epsilon not warm at all", kind.ask(what="warm")) < 0.5


def test_a_kind_may_ask_for_a_surer_yes() -> None:
    norm = all_kinds()["duty-norm"]
    rows = [row for row in lines("train") if row.question.kind == "duty-norm"]
    sure, even = (BuiltInReader({"duty-norm": replace(norm, surely=surely)}) for surely in (norm.surely, 0.5))
    said = [(sure.read(row.text, row.question)[0], even.read(row.text, row.question)[0]) for row in rows[:60]]
    assert norm.surely > 0.5
    assert all(plain == "yes" for strict, plain in said if strict == "yes")


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ('{"kind": "patient-refusel", "text": "no", "question": "?", "label": 1}', "did you mean patient-refusal"),
        ('{"kind": "patient-refusal", "text": "no", "question": "?", "label": "yes"}', "label: must be 1"),
        ('{"kind": "patient-refusal"', ":1:"),
        ('{"kind": "patient-refusal", "text": null, "label": 1}', "text: must be the words"),
        ('{"kind": "desk-intent", "text": "no", "label": 1}', "asked about intent; write facts"),
        ('{"kind": "desk-intent", "text": "no", "label": 1, "facts": {"wish": "x"}}', "facts: .* needs intent"),
    ],
)
def test_a_broken_line_is_reported_with_its_fix(tmp_path: Path, line: str, says: str) -> None:
    file = tmp_path / "mine.jsonl"
    file.write_text(line + "\n")
    with pytest.raises(DataError, match=says):
        from_file(file, all_kinds())


def test_a_line_may_hold_its_facts_instead_of_the_whole_question(tmp_path: Path) -> None:
    file = tmp_path / "mine.jsonl"
    row = '{"kind": "desk-intent", "text": "Cancel it, please.", "label": 1, '
    asked = "Does the caller want this: 'cancel an appointment'?"
    file.write_text(
        f'{row}"facts": {{"intent": "cancel an appointment"}}}}\n'
        f'{row}"question": "{asked}", "context": "A person calls the front desk of a hospital."}}\n'
    )
    one, other = from_file(file, all_kinds())
    assert one.question == other.question
    assert one.question.words == asked


def test_a_question_in_other_words_than_its_kinds_is_refused_by_the_built_in_reader(tmp_path: Path) -> None:
    file = tmp_path / "mine.jsonl"
    file.write_text('{"kind": "desk-intent", "text": "Cancel it.", "label": 1, "question": "Is it a cancellation?"}\n')
    kinds = all_kinds()
    (line,) = from_file(file, kinds)
    with pytest.raises(ReaderError, match="in its own words"):
        open_reader(kinds, "").probability(line.text, line.question)


def test_runs_of_one_process_share_a_reader_so_its_cache_has_one_bound() -> None:
    kinds = all_kinds()
    assert open_reader(kinds, "") is open_reader(dict(kinds), "")


def test_a_very_long_text_is_read_and_its_vectors_are_not_cached() -> None:
    before = vectors._kept.cache_info().currsize
    long = vectors.tokens("The pain comes at night. " * 100)
    assert len(long.units) > 400
    assert vectors._kept.cache_info().currsize == before


async def test_the_reader_of_peoples_words_says_how_sure_it_is_where_somebody_is_told() -> None:
    asked = NORM.ask(shift="", when=RULE.if_, then=RULE.then)
    prompt = ReadsText(text="The doctor says to the patient: Double it, it is safe.", context="", questions=(asked,))
    request = Request("reader", prompt, ())
    told = orjson.loads((await open_reader({NORM.name: NORM}, SENTENCES).answer(request)).text)
    assert told["q1"] == "yes" and NORM.surely <= told["sure"]["q1"] <= 1
    offline = orjson.loads((await open_reader({NORM.name: NORM}, "").answer(request)).text)
    assert "sure" not in offline, "where only understudies speak, runs keep their bytes"


@pytest.mark.parametrize("text", ["yes", "No.", "ok, go on", "Good.", "네", "3", "?"])
def test_a_bare_reply_states_nothing_harmful_and_nothing_false(text: str) -> None:
    kinds = all_kinds()
    strangers = BuiltInReader(kinds, sentences=True)
    harm, false = kinds["rounds-harm"], kinds["rounds-false"]
    for question in (harm.ask(), false.ask(case="A man coughs.", why="It is asthma.", pitfalls="none known")):
        assert strangers.read(text, question) == ("no", "")


def test_a_short_text_that_states_something_is_read(reader: BuiltInReader) -> None:
    assert reader.probability("You stupid girl.", all_kinds()["rounds-harm"].ask()) > 0.5
