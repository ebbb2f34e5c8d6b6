"""The three stages of training: supervised fine-tuning, GRPO with the clinic's reward, and DPO on preference pairs.

Each function does the same from top to bottom: open the weights, read the rows, give both to TRL's trainer, save the
result. GRPO is as in the paper: rewards are normalised within the group of outputs for one context, and `beta` limits
the distance to the model that training starts from. The veto's -15 enters the group as it is. So if some outputs of a
group are vetoed, the normalised reward is mostly about the veto; if none is, it is about the criteria.
"""

from __future__ import annotations

import importlib.util
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from polyclinic.models.weights import TRAIN, ModelWeights, need, open_weights
from polyclinic.training.attention import cudnn_attention
from polyclinic.training.examples import (
    Examples,
    contexts,
    data_file,
    pair_examples,
    seen_examples,
    sft_examples,
)
from polyclinic.training.folder import PROGRESS, Folder, digest_of, versions
from polyclinic.training.grading_pool import GradingPlan, grading
from polyclinic.training.progress import progress_callback, read_progress, sound_steps
from polyclinic.training.recipe import DpoRecipe, GrpoRecipe, Recipe, SftRecipe
from polyclinic.training.record import StageResult, TrainingConfig
from polyclinic.training.trl_reward import RewardFunction

Arguments = Mapping[str, Any]
"""Keyword arguments for a trainer of TRL, which defines no types for them."""
Make = Callable[[Arguments, Arguments], Any]


@dataclass(frozen=True)
class Job:
    """A stage to run: which model, on which data, into which folder.

    `judge` is the cast string for the judge of GRPO's reward.
    """

    stage: str
    model: str
    data: Path
    out: Path
    clinic: str
    judge: str = ""
    local_only: bool = False


def run_sft(job: Job, recipe: SftRecipe) -> StageResult:
    """Supervised fine-tuning: only what the trained role says is learned."""
    need(TRAIN, "training")
    from trl import SFTConfig, SFTTrainer

    path = data_file(job.data, "train.jsonl")
    weights = open_weights(job.model, dtype=_dtype(recipe))
    if weights.sees:
        found = seen_examples(path, weights.processor, recipe.least_reward, recipe.kinds, recipe.max_length)
    else:
        found = sft_examples(path, weights.tokenizer, recipe.least_reward, recipe.kinds, recipe.max_length)
    own = {"max_length": recipe.max_length, "packing": recipe.packing}

    def trainer(arguments: Arguments, more: Arguments) -> Any:
        return SFTTrainer(args=SFTConfig(**arguments, **own), **more)

    return _train(job, recipe, weights, found, trainer)


def run_grpo(job: Job, recipe: GrpoRecipe) -> StageResult:
    """Reinforcement learning with the clinic's reward for single outputs. Checkpoints are written between generations,
    so that a resumed run makes no generation twice.
    """
    need(TRAIN, "training")
    from trl import GRPOConfig

    from polyclinic.training.quick_grpo import grpo_trainer

    path = data_file(job.data, "train.jsonl")
    weights = open_weights(job.model, dtype=_dtype(recipe))
    found = contexts(path, weights.tokenizer, recipe.max_prompt, recipe.contexts, weights.sees)
    own = {
        "num_generations": recipe.generations,
        "steps_per_generation": recipe.accumulate * recipe.reuse,
        "temperature": recipe.temperature,
        "top_p": recipe.top_p,
        "max_completion_length": recipe.max_completion,
        "beta": recipe.beta,
        "epsilon": recipe.epsilon,
        "scale_rewards": recipe.scale,
        "loss_type": "grpo",
    }
    folder = Folder(job.out)
    folder.path.mkdir(parents=True, exist_ok=True)
    if recipe.beta and not recipe.lora_rank:
        _keep_start(weights, folder)
    plan = GradingPlan(job.clinic, job.judge, recipe.reward, job.local_only)
    with grading(plan, folder.grades(recipe.graders)) as grades:
        reward = RewardFunction(grades)

        def trainer(arguments: Arguments, more: Arguments) -> Any:
            chosen = grpo_trainer(recipe.sampler, recipe.share)
            whole = {"save_steps": recipe.reuse * -(-recipe.save_steps // recipe.reuse)}
            return chosen(args=GRPOConfig(**{**arguments, **own, **whole}), reward_funcs=[reward], **more)

        result = replace(_train(job, recipe, weights, found, trainer), judge=reward.account())
        folder.finish(result)
        return result


def _keep_start(weights: ModelWeights, folder: Folder) -> None:
    """Save the weights that training starts from.

    If all weights are trained, the trainer loads its reference model by name. Without this, it would load the base
    model, not the fine-tuned one.
    """
    start = folder.path / "start"
    if not (start / "config.json").is_file():
        weights.model.save_pretrained(str(start))
        (weights.processor or weights.tokenizer).save_pretrained(str(start))
    weights.model.config._name_or_path = str(start)


def run_dpo(job: Job, recipe: DpoRecipe) -> StageResult:
    """Direct preference optimisation on the dataset's pairs."""
    need(TRAIN, "training")
    from trl import DPOConfig, DPOTrainer

    path = data_file(job.data, "pairs-train.jsonl")
    weights = open_weights(job.model, dtype=_dtype(recipe), text_only=True)
    found = pair_examples(path, weights.tokenizer, recipe.max_length)

    def trainer(arguments: Arguments, more: Arguments) -> Any:
        return DPOTrainer(args=DPOConfig(**arguments, beta=recipe.beta, max_length=recipe.max_length), **more)

    return _train(job, recipe, weights, found, trainer)


def _train(job: Job, recipe: Recipe, weights: ModelWeights, found: Examples, make: Make) -> StageResult:
    """Do what all stages share: prepare the folder and the arguments, train, and save the result."""
    import torch
    import transformers
    from datasets import Dataset, disable_progress_bars
    from transformers.trainer_callback import PrinterCallback

    disable_progress_bars()
    transformers.utils.logging.disable_progress_bar()
    folder, started = Folder(job.out), time.monotonic()
    torch.manual_seed(recipe.seed)
    checkpoint = folder.open(_config(job, recipe, found))
    data = Dataset.from_list(found.rows)
    if weights.sees:
        from datasets import Image, List

        data = data.cast_column("images", List(Image()))
    more = {
        "model": weights.model,
        "train_dataset": data,
        "processing_class": weights.processor or weights.tokenizer,
        "callbacks": [progress_callback(folder.path / PROGRESS, recipe.seconds), sound_steps()],
        "peft_config": _lora(recipe),
    }
    trainer = make(_arguments(folder, recipe), more)
    trainer.remove_callback(PrinterCallback)
    if torch.cuda.is_available():
        torch.cuda.reset_peak_memory_stats()
    with cudnn_attention(False):
        trainer.train(resume_from_checkpoint=checkpoint or None)
    trainer.save_model(str(folder.model))
    (weights.processor or weights.tokenizer).save_pretrained(str(folder.model))
    curve = read_progress(folder.path / PROGRESS)
    result = StageResult(
        stage=job.stage,
        steps=trainer.state.global_step,
        resumed_from=Path(checkpoint).name if checkpoint else "",
        seconds=round(time.monotonic() - started, 1),
        rows=len(found.rows),
        left_out=dict(found.left_out),
        gpu_gib=round(torch.cuda.max_memory_allocated() / 2**30, 2) if torch.cuda.is_available() else None,
        first=curve[0] if curve else {},
        last=curve[-1] if curve else {},
        weights=digest_of(folder.model),
    )
    folder.finish(result)
    return result


def _config(job: Job, recipe: Recipe, found: Examples) -> TrainingConfig:
    return TrainingConfig(
        stage=job.stage,
        model=job.model,
        data=str(job.data),
        data_digest=found.digest,
        rows=len(found.rows),
        clinic=job.clinic,
        judge=job.judge,
        recipe=recipe.model_dump(mode="json", exclude={"seconds"}),
        versions=versions(),
    )


def _dtype(recipe: Recipe) -> str:
    """The precision of the weights: 32 bits if all of them are trained, 16 if only an adapter is."""
    import torch

    half = recipe.precision == "bf16" or (recipe.precision == "auto" and torch.cuda.is_available())
    return "bf16" if half and recipe.lora_rank else "fp32"


def _lora(recipe: Recipe) -> Any:
    if not recipe.lora_rank:
        return None
    import peft

    return peft.LoraConfig(
        r=recipe.lora_rank, lora_alpha=recipe.lora_alpha, target_modules="all-linear", task_type="CAUSAL_LM"
    )


def _arguments(folder: Folder, recipe: Recipe) -> Arguments:
    """The recipe as arguments of the trainer."""
    import torch

    half = recipe.precision == "bf16" or (recipe.precision == "auto" and torch.cuda.is_available())
    return {
        "output_dir": str(folder.checkpoints),
        "learning_rate": recipe.learning_rate,
        "num_train_epochs": recipe.epochs,
        "max_steps": recipe.max_steps,
        "per_device_train_batch_size": recipe.batch,
        "gradient_accumulation_steps": recipe.accumulate,
        "lr_scheduler_type": recipe.schedule,
        "warmup_steps": recipe.warmup,
        "weight_decay": recipe.weight_decay,
        "max_grad_norm": recipe.max_grad_norm,
        "bf16": half,
        "use_cpu": not torch.cuda.is_available(),
        "gradient_checkpointing": recipe.gradient_checkpointing,
        "seed": recipe.seed,
        "data_seed": recipe.seed,
        "save_steps": recipe.save_steps,
        "save_total_limit": recipe.keep,
        "logging_steps": recipe.log_steps,
        "disable_tqdm": True,
        "report_to": ["tensorboard"] if importlib.util.find_spec("tensorboard") else [],
        "dataloader_pin_memory": torch.cuda.is_available(),
    }
