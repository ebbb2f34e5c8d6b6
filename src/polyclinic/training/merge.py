"""Merge an adapter into its base model, and write weights as GGUF with llama.cpp's converter."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from polyclinic.errors import ConfigError
from polyclinic.models.weights import open_weights
from polyclinic.training.folder import digest_of

CONVERTER = "convert_hf_to_gguf.py"
CONVERTER_VARIABLE = "LLAMA_CPP"
_MISSING = re.compile(r"No module named '([\w-]+)")


def merge_weights(run: str, out: Path) -> dict[str, Any]:
    """Write the complete weights to one folder, in 16 bits unless the run used 32."""
    weights = open_weights(run, device="cpu")
    out.mkdir(parents=True, exist_ok=True)
    weights.model.save_pretrained(str(out))
    (weights.processor or weights.tokenizer).save_pretrained(str(out))
    return {"folder": str(out), "weights": digest_of(out)}


def find_converter() -> Path:
    """llama.cpp's converter: in the folder that LLAMA_CPP names, or on the path."""
    named = os.environ.get(CONVERTER_VARIABLE, "")
    places = [Path(named).expanduser() / CONVERTER] if named else []
    found = shutil.which(CONVERTER)
    places += [Path(found)] if found else []
    for place in places:
        if place.is_file():
            return place
    raise ConfigError(
        f"no {CONVERTER}: set {CONVERTER_VARIABLE} to the folder that has it, which is a clone of llama.cpp or"
        " vendor/llama.cpp in the source archive of llama-cpp-python on PyPI"
    )


def write_gguf(folder: Path, converter: Path) -> Path:
    """Write the folder's weights as a GGUF file next to them."""
    file = folder / "model.gguf"
    command = [sys.executable, str(converter), str(folder), "--outfile", str(file)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        missing = _MISSING.search(done.stderr)
        hint = f"the converter needs a package: pip install {missing[1]}" if missing else done.stderr.strip()[-400:]
        raise ConfigError(f"{CONVERTER} failed: {hint}")
    return file
