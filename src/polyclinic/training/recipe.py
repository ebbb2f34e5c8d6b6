"""Recipes: the settings of a training run. `paper` holds those of the paper, `small` fits one small machine.

A recipe is a TOML file with a table for each stage. ``--set name=value`` changes one number; the whole recipe is stored
with the run.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypeVar

from pydantic import Field

from polyclinic.core.files import bad_file, checked, package_data, parse_toml, read_text
from polyclinic.core.message import Frozen
from polyclinic.errors import ConfigError, UnknownName

NAMED = ("paper", "small")
TrainingStage = Literal["sft", "grpo", "dpo"]


class Recipe(Frozen):
    """The settings that all stages share.

    `lora_rank` 0 trains all weights. A step takes `batch` × `accumulate` rows on each device. `seconds` is a time
    limit: the run ends early, with a checkpoint, before a step or generation that would take too long. 0 means no
    limit.
    """

    learning_rate: float = Field(gt=0)
    epochs: float = Field(1.0, gt=0)
    max_steps: int = Field(-1, ge=-1)
    batch: int = Field(1, ge=1)
    accumulate: int = Field(1, ge=1)
    schedule: Literal["cosine", "linear", "constant", "constant_with_warmup"] = "cosine"
    warmup: float = Field(0.0, ge=0)
    weight_decay: float = Field(0.0, ge=0)
    max_grad_norm: float = Field(1.0, gt=0)
    lora_rank: int = Field(0, ge=0)
    lora_alpha: int = Field(16, ge=1)
    precision: Literal["auto", "bf16", "fp32"] = "auto"
    gradient_checkpointing: bool = False
    seed: int = 0
    save_steps: int = Field(50, ge=1)
    log_steps: int = Field(1, ge=1)
    keep: int = Field(2, ge=1)
    seconds: float = Field(0.0, ge=0)


class SftRecipe(Recipe):
    """The settings of supervised fine-tuning on rows whose reward is at least `least_reward`.

    Rows longer than `max_length` tokens are left out and counted, never cut.
    """

    max_length: int = Field(2048, ge=16)
    packing: bool = False
    least_reward: float = 8.0
    kinds: tuple[str, ...] = ("single", "multi")


class GrpoRecipe(Recipe):
    """The settings of GRPO.

    For each context, `generations` outputs are made. `batch` × `accumulate` counts outputs and must be a multiple of
    `generations`. `reuse` is the number of steps that learn from the outputs of one generation, so a generation makes
    `batch` × `accumulate` × `reuse` outputs. `beta` weighs the distance to the model that training starts from.
    `reward` is the name of the clinic's reward. `contexts` limits the number of different prompts.

    `sampler` says what writes the outputs: the quick sampler, if the machine has a GPU and the model is supported, or
    transformers. With `share`, the prompt of a group is read once for all its outputs, if the model allows it.
    `graders` is the number of processes that grade. More than one helps if the judge is an understudy, which computes
    on this machine.
    """

    generations: int = Field(8, ge=2)
    reuse: int = Field(1, ge=1)
    temperature: float = Field(1.0, gt=0)
    top_p: float = Field(1.0, gt=0, le=1)
    max_prompt: int = Field(4096, ge=16)
    max_completion: int = Field(2048, ge=8)
    beta: float = Field(0.01, ge=0)
    epsilon: float = Field(0.2, gt=0)
    scale: Literal["group", "batch", "none"] = "group"
    reward: str = ""
    contexts: int = Field(0, ge=0)
    sampler: Literal["auto", "quick", "transformers"] = "auto"
    share: bool = True
    graders: int = Field(1, ge=1)


class DpoRecipe(Recipe):
    """The settings of DPO on preference pairs; `beta` keeps the model near the one it starts from."""

    max_length: int = Field(2048, ge=16)
    beta: float = Field(0.1, gt=0)


_KINDS: dict[TrainingStage, type[Recipe]] = {"sft": SftRecipe, "grpo": GrpoRecipe, "dpo": DpoRecipe}
R = TypeVar("R", bound=Recipe)


def load_recipe(stage: TrainingStage, kind: type[R], name: str, changes: Sequence[str] = ()) -> R:
    """Load a stage's recipe by name or from a file, with changes as ``name=value``."""
    if kind is not _KINDS[stage]:
        raise ValueError(f"{stage} has no recipe of type {kind.__name__}")
    table = dict(_table(stage, name))
    for change in changes:
        key, equals, value = change.partition("=")
        if not equals or key not in kind.model_fields:
            raise ConfigError(f"--set {change}: {UnknownName('setting', key, kind.model_fields)}")
        table[key] = value.split(",") if key == "kinds" else value
    return checked(kind, table, _place(name), field=stage)


def _table(stage: TrainingStage, name: str) -> Mapping[str, Any]:
    if name in NAMED:
        tables = package_data("polyclinic.training", f"recipes/{name}.toml")
    else:
        tables = parse_toml(read_text(name, about="recipe file", fix=str(UnknownName("recipe", name, NAMED))), name)
    if stage not in tables:
        raise bad_file(_place(name), f"there is no table [{stage}]")
    found: Mapping[str, Any] = tables[stage]
    return found


def _place(name: str) -> str:
    return f"recipe {name}" if name in NAMED else name
