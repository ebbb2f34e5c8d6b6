"""Embedders: unit vectors, the same for the same text, and thresholds that mean the same for each embedder."""

from __future__ import annotations

import subprocess
import sys
from types import ModuleType

import numpy as np
import pytest

from polyclinic.errors import ConfigError, ModelError
from polyclinic.retrieval.calibration import Calibration, calibrate, false_match_rate, pairs
from polyclinic.retrieval.embedders import (
    HashingEmbedder,
    SentenceTransformersEmbedder,
    WordLlamaEmbedder,
    embedder,
)

QUESTIONS = ["Where does it hurt?", "Do you smoke?", "", "담배를 피우시나요?", "Where does it hurt?", "¿?"]


@pytest.mark.parametrize("spec", ["wordllama", "hashing", "hashing:64"])
def test_rows_are_unit_vectors_of_the_promised_length(spec: str) -> None:
    found = embedder(spec)
    vectors = found.embed(QUESTIONS)
    assert vectors.shape == (len(QUESTIONS), found.dimensions)
    assert vectors.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1.0, atol=1e-5)


@pytest.mark.parametrize("kind", [WordLlamaEmbedder, HashingEmbedder])
def test_a_text_has_the_same_vector_alone_and_in_any_batch(
    kind: type[WordLlamaEmbedder] | type[HashingEmbedder],
) -> None:
    batch = kind().embed([*QUESTIONS, "A much longer question about the pain that came on after the fall last week?"])
    alone = kind()
    for text, row in zip(QUESTIONS, batch, strict=False):
        assert alone.embed([text])[0].tobytes() == row.tobytes()


def test_no_texts_give_no_rows() -> None:
    assert embedder("hashing").embed([]).shape == (0, 256)


def test_the_cache_is_bounded_and_a_hit_is_not_computed_again() -> None:
    class Counting(HashingEmbedder):
        computed = 0

        def compute(self, texts):  # type: ignore[no-untyped-def]
            self.computed += len(texts)
            return super().compute(texts)

    small = Counting(cache_texts=3)
    small.embed(["a", "b", "c"])
    small.embed(["a", "a"])
    assert small.computed == 3
    small.embed(["d"])
    small.embed(["a"])
    assert small.computed == 4
    small.embed(["b"])
    assert small.computed == 5
    assert len(small._cache) == 3


def test_more_texts_than_the_cache_holds_are_still_all_returned() -> None:
    texts = [f"question {number}" for number in range(50)]
    assert HashingEmbedder(cache_texts=4).embed(texts).tobytes() == HashingEmbedder().embed(texts).tobytes()


def test_the_shipped_pairs_are_many_distinct_and_bilingual() -> None:
    shipped = pairs()
    assert len(shipped) >= 120
    assert len({(pair.a, pair.b) for pair in shipped}) == len(shipped)
    assert all(pair.a != pair.b for pair in shipped)
    for same in (True, False):
        for lang, least in (("en", 45), ("ko", 15)):
            assert sum(pair.same is same and pair.lang == lang for pair in shipped) >= least


def test_wordllama_distinguishes_english_paraphrases_from_other_questions() -> None:
    assert calibrate(embedder().embed, ["en"]).separation() > 0.95


def test_a_threshold_lets_the_published_share_of_different_questions_through() -> None:
    model = WordLlamaEmbedder()
    for published in (0.25, 0.5, 0.8, 0.9, 0.95):
        passing = float(np.mean(model.calibration.different >= model.threshold(published)))
        assert passing == pytest.approx(false_match_rate(published), abs=0.002)


def test_a_stricter_published_threshold_is_stricter_here_too() -> None:
    model = WordLlamaEmbedder()
    translated = [model.threshold(step / 100) for step in range(101)]
    assert translated == sorted(translated)
    assert translated[-1] == 1.0


def test_separation_is_half_for_an_embedder_that_knows_nothing() -> None:
    same = np.linspace(0, 1, 11)
    assert Calibration(same, same).separation() == pytest.approx(0.5)


@pytest.mark.parametrize("spec", ["wordlama", "hashing:none", "hashing:0", "sentence-transformers:", "http://host/v1"])
def test_a_wrong_spec_is_a_user_error_and_says_what_to_write(spec: str) -> None:
    with pytest.raises(ConfigError, match="write"):
        embedder(spec)


def test_a_missing_package_is_named_with_the_command_that_installs_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    with pytest.raises(ConfigError, match="pip install sentence-transformers"):
        embedder("sentence-transformers:some-model").embed(["a"])


def test_a_sentence_transformers_model_is_used_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    class SentenceTransformer:
        def __init__(self, name: str, device: str) -> None:
            assert (name, device) == ("bge-m3", "cpu")

        def get_sentence_embedding_dimension(self) -> int:
            return 2

        def encode(self, text: str, show_progress_bar: bool) -> list[float]:
            return [3.0, 4.0] if "pain" in text else [1.0, 0.0]

    module = ModuleType("sentence_transformers")
    monkeypatch.setattr(module, "SentenceTransformer", SentenceTransformer, raising=False)
    monkeypatch.setitem(sys.modules, "sentence_transformers", module)
    model = SentenceTransformersEmbedder("bge-m3")
    np.testing.assert_allclose(model.embed(["pain", "cough"]), [[0.6, 0.8], [1.0, 0.0]], atol=1e-6)
    assert model.name == "sentence-transformers:bge-m3"


def test_an_endpoint_that_is_down_is_the_models_failure() -> None:
    with pytest.raises(ModelError, match=r"127\.0\.0\.1:9.*check that it is running"):
        embedder("http://127.0.0.1:9/v1:some-model").embed(["a"])


def test_importing_the_embedders_loads_neither_wordllama_nor_faiss_nor_aiohttp() -> None:
    code = (
        "import sys; from polyclinic.retrieval import embedders, index, hybrid; embedders.embedder();"
        " print(sorted({'wordllama', 'faiss', 'aiohttp', 'sentence_transformers'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_loading_the_default_embedder_turns_on_no_logs() -> None:
    code = (
        "import logging; from polyclinic.retrieval.embedders import embedder; embedder().embed(['a']);"
        " root = logging.getLogger(); print(root.level == logging.WARNING, root.handlers)"
    )
    assert (
        subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "True []\n"
    )
