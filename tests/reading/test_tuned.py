"""A language model fine-tuned as a reader: how it is chosen, and the message where it cannot be used."""

from __future__ import annotations

from pathlib import Path

import pytest

from polyclinic.core.model import ModelKind, Request, Settings
from polyclinic.core.read_text import ReadsText
from polyclinic.core.reading import READER_CARD, Question
from polyclinic.errors import ConfigError, DataError, ReaderError
from polyclinic.models.cast import reads_by_itself
from polyclinic.models.spec import parse_cast
from polyclinic.reading import tuned
from polyclinic.reading.choose import open_reader
from polyclinic.reading.reader import BuiltInReader
from polyclinic.reading.settings import TuningSettings
from polyclinic.reading.tuned import TunedReader, batches, question_text
from polyclinic.reading.tuning import lines, tune_reader
from polyclinic.runner.readings import all_kinds, labelled

ASKS = Question(kind="desk-accepts", words="Does the caller accept?", context="Offer: Tuesday", facts=())


def a_reader(folder: Path, monkeypatch: pytest.MonkeyPatch) -> TunedReader:
    """A reader for tests that do not need its model."""
    monkeypatch.setattr(tuned, "need_torch", lambda: None)
    (folder / READER_CARD).write_text("{}")
    return TunedReader(str(folder))


def test_a_folder_is_a_fine_tuned_reader_and_without_a_path_the_built_in_one_is_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tuned, "need_torch", lambda: None)
    assert isinstance(open_reader({}, ""), BuiltInReader)
    with pytest.raises(DataError, match=r"reader\.json is missing.*polyclinic train reader"):
        open_reader({}, str(tmp_path))
    (tmp_path / READER_CARD).write_text("{}")
    assert open_reader({}, str(tmp_path)).name == f"local:{tmp_path}"
    (spec,) = parse_cast(f"reader=local:{tmp_path}")
    assert reads_by_itself(spec)


def test_a_missing_package_is_named_with_the_command_that_installs_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(ConfigError, match=r"torch and transformers: .*\[train\]"):
        TunedReader("anywhere")


def test_a_base_model_that_is_not_a_folder_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("polyclinic.reading.tuning.need_torch", lambda: None)
    with pytest.raises(DataError, match="no such folder"):
        tune_reader([], {}, TuningSettings(str(tmp_path / "none")), tmp_path, print)


async def test_findings_follow_from_the_probability_of_yes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    reader = a_reader(tmp_path, monkeypatch)
    asked: list[int] = []

    def read(pairs: list[tuple[str, Question]]) -> list[float]:
        asked.append(len(pairs))
        return [0.9 if "Tuesday" in text else 0.51 if "perhaps" in text else 0.2 for text, _ in pairs]

    monkeypatch.setattr(reader, "_read", read)
    for text, says in (("Yes. Tuesday suits me.", "yes"), ("Well, perhaps.", "unclear"), ("No.", "no")):
        prompt = ReadsText(text=text, context="", questions=(ASKS,))
        reply = await reader.answer(Request(role="reader", prompt=prompt, messages=(), settings=Settings()))
        assert f'"q1":"{says}"' in reply.text
    assert reader.read("Yes. Tuesday suits me.", ASKS)[1] in ("Yes.", "Tuesday suits me.")
    kind: ModelKind = reader.kind
    assert kind == "reader"


async def test_a_model_that_fails_is_the_readers_fault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    reader = a_reader(tmp_path, monkeypatch)

    def read(pairs: object) -> list[float]:
        raise RuntimeError("out of memory")

    monkeypatch.setattr(reader, "_read", read)
    prompt = ReadsText(text="Yes.", context="", questions=(ASKS,))
    with pytest.raises(ReaderError, match="out of memory"):
        await reader.answer(Request(role="reader", prompt=prompt, messages=(), settings=Settings()))


def test_rows_of_similar_length_are_read_together_and_no_batch_is_too_large() -> None:
    lengths = [5, 100, 7, 90, 6, 300]
    found = batches(lengths, tokens=200, most=3)
    assert sorted(place for batch in found for place in batch) == list(range(6))
    assert all(len(batch) == 1 or max(lengths[p] for p in batch) * len(batch) <= 200 for batch in found)
    assert [0, 4, 2] in found


def test_training_lines_are_the_same_each_time_and_include_longer_messages() -> None:
    kinds = all_kinds("frontdesk")
    rows = labelled("frontdesk", split="train")[:400]
    settings = TuningSettings("base", most_lines=500)
    made = lines(rows, kinds, settings)
    assert made == lines(rows, kinds, settings) and len(made) == 500
    assert any(row not in rows for row in made)
    assert question_text("Yes.", ASKS).startswith("Context: Offer: Tuesday")
