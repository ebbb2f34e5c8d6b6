"""A trained model as a GGUF file, with llama.cpp's own converter, and back into a cast."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import orjson
import pytest

from polyclinic.runner.registry import load_clinic
from polyclinic.testing.runs import run_once
from polyclinic.training.folder import CONVERTER, CONVERTER_VARIABLE
from tests.training.running import environment

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("default")]
for package in ("torch", "transformers", "tokenizers", "sentencepiece", "xllamacpp"):
    pytest.importorskip(package, reason=f"GGUF needs {package}")
if not Path(os.environ.get(CONVERTER_VARIABLE, "/nowhere"), CONVERTER).is_file():
    pytest.skip(f"set {CONVERTER_VARIABLE} to a folder with {CONVERTER}", allow_module_level=True)


def _tokenizer() -> Any:
    """A byte-fallback tokenizer of the Llama kind: the converter accepts this kind with any vocabulary."""
    from tokenizers import AddedToken, Tokenizer, decoders, models
    from transformers import PreTrainedTokenizerFast

    bytes_ = [f"<0x{number:02X}>" for number in range(256)]
    pieces = ["<unk>", "<s>", "</s>", *bytes_, "▁", *"abcdefghijklmnopqrstuvwxyz", "th", "he", "▁t"]
    merges = [("t", "h"), ("h", "e"), ("▁", "t")]
    inner = Tokenizer(
        models.BPE(
            vocab={piece: number for number, piece in enumerate(pieces)},
            merges=merges,
            unk_token="<unk>",
            fuse_unk=True,
            byte_fallback=True,
        )
    )
    inner.decoder = decoders.Sequence([decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse()])
    inner.add_special_tokens([AddedToken(word, special=True) for word in ("<unk>", "<s>", "</s>")])
    return PreTrainedTokenizerFast(tokenizer_object=inner, unk_token="<unk>", bos_token="<s>", eos_token="</s>")


def _model(folder: Path) -> None:
    import torch
    from transformers import LlamaConfig, LlamaForCausalLM

    tokenizer = _tokenizer()
    tokenizer.chat_template = "{% for m in messages %}{{ m['role'] }}: {{ m['content'] }}\n{% endfor %}"
    torch.manual_seed(0)
    sizes = {"hidden_size": 64, "intermediate_size": 128, "num_hidden_layers": 2, "num_attention_heads": 4}
    config = LlamaConfig(vocab_size=len(tokenizer), num_key_value_heads=2, max_position_embeddings=4096, **sizes)
    LlamaForCausalLM(config).save_pretrained(str(folder))
    tokenizer.save_pretrained(str(folder))


def _polyclinic(*line: str, **more: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "polyclinic", *line],
        capture_output=True,
        text=True,
        check=False,
        env={**environment(), **more},
    )


async def test_a_merged_model_is_written_as_gguf_and_plays_its_role_from_that_file(tmp_path: Path) -> None:
    _model(tmp_path / "tiny")
    merged = _polyclinic("train", "merge", str(tmp_path / "tiny"), "--out", str(tmp_path / "whole"), "--gguf", "--json")
    assert merged.returncode == 0, merged.stderr[-3000:]
    file = Path(orjson.loads(merged.stdout)["gguf"])
    assert file.read_bytes()[:4] == b"GGUF"
    cast = f"nurse=local:{file}?context=4096&threads=1&max_tokens=12,all=understudy"
    results = await run_once(load_clinic("demo"), cast=cast, most=1)
    (episode,) = results.episodes
    assert episode.usage["nurse"].output_tokens > 0, "the model of the file wrote something"
    assert all(failure.owner != "engine" for failure in episode.failures)


def test_without_a_converter_the_command_says_where_it_looked(tmp_path: Path) -> None:
    _model(tmp_path / "tiny")
    line = ("train", "merge", str(tmp_path / "tiny"), "--out", str(tmp_path / "whole"), "--gguf")
    failed = _polyclinic(*line, **{CONVERTER_VARIABLE: str(tmp_path)})
    assert failed.returncode == 2 and CONVERTER_VARIABLE in failed.stderr and "llama-cpp-python" in failed.stderr
    assert not (tmp_path / "whole").exists(), "nothing is merged for a file that cannot be written"
