"""The folder of a training run: its whole configuration, checkpoints, progress, and the trained model.

Starting the same run again in the same folder resumes it from its last complete checkpoint. A different run is refused
there.

An adapter can be merged into its base model, and weights be written as GGUF with llama.cpp's converter.
"""

from __future__ import annotations

import hashlib
import importlib.metadata
import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson

import polyclinic
from polyclinic.core.extras import installer
from polyclinic.core.files import read_data
from polyclinic.errors import ConfigError
from polyclinic.models.weights import TRAIN, open_weights
from polyclinic.training.record import StageResult, TrainingConfig, write_record

CONFIG, PROGRESS, RESULT = "run.json", "progress.jsonl", "result.json"


def is_first_process() -> bool:
    """Whether this process writes to the folder; with several GPUs only the first process does."""
    return os.environ.get("RANK", "0") == "0"


@dataclass(frozen=True)
class Folder:
    """The folder of a training run."""

    path: Path

    @property
    def checkpoints(self) -> Path:
        """The folder where the trainer writes its checkpoints."""
        return self.path / "checkpoints"

    @property
    def model(self) -> Path:
        """The folder of the trained weights, complete or as an adapter."""
        return self.path / "model"

    def grades(self, graders: int) -> list[str]:
        """The stores with the judgements of this run: one for each process that grades."""
        names = ["grades.db", *(f"grades-{number}.db" for number in range(2, graders + 1))]
        return [f"sqlite:///{self.path / name}" for name in names]

    def open(self, config: TrainingConfig) -> str:
        """Write the configuration, or check that it is the same; returns the checkpoint to resume from, if any."""
        file = self.path / CONFIG
        if file.is_file():
            kept, wanted = read_data(file), orjson.loads(config.to_json())
            changed = [name for name in wanted if name != "versions" and kept.get(name) != wanted[name]]
            if changed:
                raise ConfigError(
                    f"{self.path} holds another run (different {', '.join(changed)}); use another --out, or delete it"
                )
        elif is_first_process():
            self.path.mkdir(parents=True, exist_ok=True)
            write_record(file, config)
        return self._last_checkpoint()

    def _last_checkpoint(self) -> str:
        """The newest complete checkpoint.

        The trainer writes its state last, so a checkpoint without it is incomplete.
        """
        found = sorted(self.checkpoints.glob("checkpoint-*"), key=lambda path: int(path.name.partition("-")[2]))
        while found:
            newest = found.pop()
            try:
                orjson.loads((newest / "trainer_state.json").read_bytes())
            except (OSError, orjson.JSONDecodeError):
                if is_first_process():
                    shutil.rmtree(newest)
                continue
            return str(newest)
        return ""

    def finish(self, result: StageResult) -> None:
        """Write the result of the run."""
        if is_first_process():
            write_record(self.path / RESULT, result)


def versions() -> dict[str, str]:
    """The versions of the packages that the run uses."""
    return {"polyclinic": polyclinic.__version__, **{name: importlib.metadata.version(name) for name in TRAIN}}


def digest_of(folder: Path) -> str:
    """The digest of all weights in a folder, to compare two runs."""
    digest = hashlib.sha256()
    for file in sorted(folder.glob("*.safetensors")):
        digest.update(file.read_bytes())
    return digest.hexdigest()[:16]


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
        hint = f"the converter needs a package: {installer()} {missing[1]}" if missing else done.stderr.strip()[-400:]
        raise ConfigError(f"{CONVERTER} failed: {hint}")
    return file
