"""The file with what the network says about authors that it had not learned."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pytest

from polyclinic.clinics.counsel.rules.sentence_guard import NETWORKS
from polyclinic.clinics.counsel.rules.trained import TRAINED_LABELS
from polyclinic.reading.label_training import LabelledText
from polyclinic.reading.networks import load_encoder
from tests.tools.small_lessons import small_network
from tests.tools.small_package import write_minilm
from tools.encoder import guard
from tools.encoder.guard import later_scores, packed_scores, unseen_scores
from tools.encoder.pack import as_encoder, save_network


def test_the_network_of_the_guard_has_labels_for_columns_and_survives_packing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    network = small_network(write_minilm(tmp_path))
    save_network(tmp_path / "network.npz", network)
    monkeypatch.setattr(guard, "package_path", lambda package, name: tmp_path / Path(name).name)
    assert guard.main(["pack", str(tmp_path / "network.npz")]) == 0
    whole, again = as_encoder(network, labels=True), load_encoder((tmp_path / NETWORKS[0].weights).read_bytes())
    assert again.columns == ("guard|calm", "guard|danger")
    for label in again.columns:
        exact, packed = (reader.alone("my chest pain.", label, "", "") for reader in (whole, again))
        assert exact is not None and packed == pytest.approx(exact, abs=0.2)


def left_out_files(folder: Path, *lines: list[int]) -> list[Path]:
    """Files as training writes them: a line's scores are its place, and half of it."""
    paths = [folder / f"out-{group}.npz" for group in range(len(lines))]
    for path, mine in zip(paths, lines, strict=True):
        np.savez(
            path,
            lines=np.array(mine, int),
            labels=np.array([[place, place / 2] for place in mine]),
            languages=np.array(["en", "ko"]),
        )
    return paths


def test_scores_of_left_out_authors_are_in_the_order_of_their_lines(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = [
        LabelledText("pain", lang, "calm", author)
        for author, lang in zip("BABC", ("en", "en", "ko", "en"), strict=True)
    ]
    monkeypatch.setattr(
        guard, "repository_lines", lambda languages: ([], lines if languages == {"en", "ko"} else [], {})
    )
    paths = left_out_files(tmp_path, [0, 2], [1], [3], [0][:0])
    monkeypatch.setattr(guard, "package_path", lambda package, name: tmp_path / Path(name).name)
    assert guard.main(["unseen", *map(str, paths)]) == 0
    with np.load(tmp_path / NETWORKS[0].unseen) as kept:
        assert {author: kept[author].tolist() for author in kept} == {
            "A": [[1, 0.5]],
            "B": [[0, 0]],
            "B-ko": [[2, 1]],
            "C": [[3, 1.5]],
        }
        assert kept["A"].dtype == np.float16


def test_authors_who_came_after_the_training_are_scored_by_the_shipped_network(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    lines = [LabelledText(text, lang, "calm", author) for text, lang, author in (("a", "en", "A"), ("bb", "en", "B"))]
    lines += [LabelledText("약", "ko", "calm", "B"), LabelledText("bbb", "en", "calm", "B")]
    monkeypatch.setattr(guard, "guard_lines", lambda split: lines)
    kept = {"A": [np.array([7.0, 7.0])]}
    both, english = NETWORKS
    found = later_scores(english, kept, lambda files, text, label: len(text) + (label == "abuse") / 2, ["B"])
    assert found["A"] is kept["A"] and "B-ko" not in found
    assert "B-ko" in later_scores(both, kept, lambda files, text, label: 0.0, ["B"])
    first = sorted(TRAINED_LABELS).index("abuse")
    assert [row[first] for row in found["B"]] == [2.5, 3.5] and found["B"][0][first + 1] == 2
    with pytest.raises(ValueError, match="no training lines by C"):
        later_scores(english, kept, lambda files, text, label: 0.0, ["B", "C"])


def test_scores_are_refused_if_the_lines_of_a_left_out_author_have_changed(tmp_path: Path) -> None:
    paths = left_out_files(tmp_path, [0, 2], [1])
    assert unseen_scores(paths, list("BABC")).keys() == {"A", "B"}  # C was never left out
    for authors in ("BABB", "BA"):
        with pytest.raises(ValueError, match="not those of the files"):
            unseen_scores(paths, list(authors))


def test_the_same_scores_of_left_out_authors_give_the_same_bytes() -> None:
    one, other = (np.array([score, 1.0], np.float32) for score in (0.5, 2.0))
    content = packed_scores({"B": [one], "A": [other, one]})
    assert content == packed_scores({"A": [other, one], "B": [one]})
    with np.load(io.BytesIO(content)) as kept:
        assert kept["A"].tolist() == [[2.0, 1.0], [0.5, 1.0]]
