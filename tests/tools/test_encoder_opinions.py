"""Texts that nobody has labelled, and a language model's opinions about them, as lessons for a network."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from random import Random

import numpy as np
import orjson
import pytest

from tests.tools.small_lessons import LABELS, PAIR, small_start
from tests.tools.small_package import write_lite, write_minilm
from tools.encoder.batches import EncoderSettings
from tools.encoder.opinions import SUPPORTED, open_opinions
from tools.encoder.pack import as_encoder
from tools.encoder.pool import Unlabelled, changes, messages, statements

SOURCES = (
    "# Oxygen The nurse brings oxygen on two days.",
    "# Oxygen The nurse takes oxygen away.",
    "# Pets No dogs here.",
)


def test_one_word_of_a_statement_is_changed() -> None:
    assert {"The nurse will come.", "The doctor may come."} < set(changes("The nurse may come."))
    assert "It takes six days." in set(changes("It takes two days."))
    assert not list(changes("Hello there."))


def test_statements_stand_beside_other_sources_and_changed_beside_their_own() -> None:
    found = list(statements([("She may come.", SOURCES[0]), ("Dogs stay out.", SOURCES[2])], Random(1)))
    assert Unlabelled("She will come.", SOURCES[0]) in found
    assert Unlabelled("She may come.", SOURCES[2]) in found
    assert Unlabelled("Dogs stay out.", SOURCES[0]) in found
    assert all(one.source in SOURCES for one in found)


def test_messages_are_what_was_said_and_what_lines_are_made_of() -> None:
    labelled = ["I am tired. I want to stop.", "It hurts."]
    found = [one.text for one in messages(labelled, ["I have a cough."], Random(2))]
    assert found[:3] == ["I have a cough.", "I am tired.", "I want to stop."]
    assert any(text.startswith("It hurts. ") for text in found)


def _opinions(folder: Path) -> Path:
    rows = [
        {"text": "pain", "source": "", "says": [0.9, 0.1]},
        {"text": "no pain", "source": "", "says": [0.2, 0.8]},
        {"text": "my chest", "source": "my chest pain", "says": [0.25, 0.75]},
    ]
    path = folder / "opinions.jsonl"
    path.write_bytes(b"\n".join(orjson.dumps(row) for row in rows))
    return path


def test_opinions_are_lessons_about_messages_and_about_statements(tmp_path: Path) -> None:
    write_minilm(tmp_path)
    start = small_start(tmp_path, [PAIR._replace(kind=SUPPORTED, column=SUPPORTED)])
    found = open_opinions(_opinions(tmp_path), start.names, 16)
    assert found.labels.tolist() == pytest.approx(np.array([[0.9, 0.1], [0.2, 0.8]]))
    assert found.yes.tolist() == [0.75] and start.names.columns[found.column] == SUPPORTED
    assert found.texts.lengths[found.sources[0]] > found.texts.lengths[found.statements[0]] > 0


def test_a_network_without_such_a_column_learns_no_statements(tmp_path: Path) -> None:
    write_lite(tmp_path)
    found = open_opinions(_opinions(tmp_path), small_start(tmp_path).names, 16)
    assert len(found.messages) == 2 and not len(found.yes)


@pytest.mark.slow
def test_a_network_learns_what_the_language_model_says(tmp_path: Path) -> None:
    pytest.importorskip("torch", reason="training needs torch: install the extra 'train'")
    from tools.encoder.train import train_encoder

    write_minilm(tmp_path)
    start = small_start(tmp_path, [PAIR._replace(kind=SUPPORTED, column=SUPPORTED)] * 2, LABELS)
    settings = EncoderSettings(
        layers="01", inner=12, seconds=8, batch=2, label_batch=0, warm_up=10, rate=4e-3, new_rate=4e-3
    )
    trained = train_encoder(start, replace(settings, opinions=str(_opinions(tmp_path)), opinion_batch=8))
    encoder = as_encoder(trained, labels=True)
    said = {label: encoder.alone("no pain", f"guard|{label}", "", "") for label in start.names.labels}
    assert max(said, key=lambda label: said[label] or 0.0) == start.names.labels[1]
