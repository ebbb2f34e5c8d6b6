"""Small stand-ins with random weights for what `all` needs from outside: the package of the second network, a language
model, and pairs of sentences. With them everything can be tried in minutes on a processor; nothing useful comes out.

    python -m tools.encoder.tiny FOLDER
"""

from __future__ import annotations

import argparse
import importlib
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import orjson
from numpy.typing import NDArray

from polyclinic.reading.together import LONGEST_TOGETHER
from tools.encoder.base_minilm import SIGNS
from tools.encoder.batches import INFERENCES
from tools.encoder.korean_pieces import training_texts

_WIDTH, _INNER, _TOKENS, _PAIRS = 24, 48, 2_000, 60
_EVERY = 40


class Inputs(NamedTuple):
    """What comes from outside: a language model, the package, and the pairs."""

    model: Path
    package: Path
    pairs: Path


def tiny_inputs(folder: Path) -> Inputs:
    """Where the stand-ins are."""
    return Inputs(folder / "model", folder / "package", folder / "pairs.jsonl")


def write_package(folder: Path, pieces: Sequence[str], width: int = _WIDTH, inner: int = _INNER) -> Path:
    """Write `model.safetensors` and `vocab.txt` as the package of the second network has them, with two layers."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "vocab.txt").write_text("\n".join(pieces), encoding="utf-8")
    shapes = {
        "embeddings.word_embeddings.weight": [len(pieces), width],
        "embeddings.position_embeddings.weight": [2 * LONGEST_TOGETHER + 8, width],
        "embeddings.token_type_embeddings.weight": [2, width],
        "embeddings.LayerNorm.weight": [width],
        "embeddings.LayerNorm.bias": [width],
        "pooler.dense.weight": [width, width],
    }
    for layer in ("encoder.layer.0.", "encoder.layer.1."):
        for part in ("query", "key", "value"):
            shapes |= _linear(f"{layer}attention.self.{part}", width, width)
        shapes |= _linear(f"{layer}attention.output.dense", width, width)
        shapes |= _linear(f"{layer}intermediate.dense", inner, width)
        shapes |= _linear(f"{layer}output.dense", width, inner)
        for part in ("attention.output", "output"):
            shapes |= {f"{layer}{part}.LayerNorm.weight": [width], f"{layer}{part}.LayerNorm.bias": [width]}
    arrays: dict[str, NDArray[Any]] = {"embeddings.position_ids": np.arange(4)}
    arrays |= random_weights(shapes)
    head: dict[str, Any] = {"__metadata__": {"format": "pt"}}
    at = 0
    for name, array in arrays.items():
        kind = "F32" if array.dtype == np.float32 else "I64"
        head[name] = {"dtype": kind, "shape": array.shape, "data_offsets": [at, at + array.nbytes]}
        at += array.nbytes
    begin = orjson.dumps(head)
    content = b"".join(array.tobytes() for array in arrays.values())
    (folder / "model.safetensors").write_bytes(len(begin).to_bytes(8, "little") + begin + content)
    return folder


def _linear(name: str, out: int, into: int) -> dict[str, list[int]]:
    return {f"{name}.weight": [out, into], f"{name}.bias": [out]}


def random_weights(shapes: Mapping[str, list[int]]) -> dict[str, NDArray[np.float32]]:
    """Weights so large that every step of a layer changes the scores."""
    chance = np.random.default_rng(7)
    found = {name: chance.standard_normal(shape).astype(np.float32) * 0.4 for name, shape in shapes.items()}
    return {
        name: array + 1 if "norm_scale" in name or "Norm.weight" in name else array for name, array in found.items()
    }


def write_model(folder: Path, texts: Sequence[str]) -> Path:
    """Write a language model with two small layers, and a byte-level tokenizer that learned the texts."""
    torch, hub, cut = (importlib.import_module(name) for name in ("torch", "transformers", "tokenizers"))
    inner = cut.Tokenizer(cut.models.BPE())
    inner.pre_tokenizer = cut.pre_tokenizers.ByteLevel(add_prefix_space=False)
    inner.decoder = cut.decoders.ByteLevel()
    alphabet = cut.pre_tokenizers.ByteLevel.alphabet()
    trainer = cut.trainers.BpeTrainer(vocab_size=_TOKENS, special_tokens=["<end>"], initial_alphabet=alphabet)
    inner.train_from_iterator(texts, trainer)
    tokenizer = hub.PreTrainedTokenizerFast(tokenizer_object=inner, eos_token="<end>", pad_token="<end>")
    torch.manual_seed(0)
    config = hub.Qwen2Config(
        vocab_size=len(tokenizer),
        hidden_size=32,
        intermediate_size=64,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        max_position_embeddings=4_096,
        tie_word_embeddings=True,
    )
    hub.Qwen2ForCausalLM(config).save_pretrained(str(folder))
    tokenizer.save_pretrained(str(folder))
    return folder


def write_pairs(path: Path) -> Path:
    """Write pairs of sentences in the form of the corpus of inferences."""
    rows = [
        {
            "sentence1": f"{number} people wait in a room.",
            "sentence2": f"{number + place} people wait.",
            "gold_label": label,
        }
        for number in range(_PAIRS)
        for place, label in enumerate(INFERENCES)
    ]
    path.write_bytes(b"".join(orjson.dumps(row, option=orjson.OPT_APPEND_NEWLINE) for row in rows))
    return path


def small_vocabulary(texts: Sequence[str]) -> list[str]:
    """The signs, every letter that English texts of ours have, and their frequent words."""
    letters = sorted({letter for text in texts for letter in text.lower() if letter.isascii() and letter.isprintable()})
    words = sorted({word for text in texts for word in text.lower().split() if word.isascii() and word.isalpha()})
    letters = [letter for letter in letters if letter != " "]
    return [*SIGNS, *letters, *(f"##{letter}" for letter in letters if letter.isalnum()), *words]


def main(arguments: list[str] | None = None) -> int:
    """Write all of them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    inputs = tiny_inputs(parser.parse_args(arguments).folder)
    texts = training_texts()[::_EVERY]
    write_model(inputs.model, texts)
    write_package(inputs.package, small_vocabulary(texts))
    write_pairs(inputs.pairs)
    print(f"{inputs.model}, {inputs.package}, {inputs.pairs}: from {len(texts)} texts")
    return 0


if __name__ == "__main__":
    sys.exit(main())
