"""TRL's GRPO trainer, made faster where the model and the machine allow it.

In training, the prompt of a group is read once for all its outputs. On a GPU, the quick sampler writes the outputs.
"""

from __future__ import annotations

import time
from typing import Any

from polyclinic.models.decoder import is_known, plain_model
from polyclinic.models.quick import QuickReplies
from polyclinic.training.attention import cudnn_attention
from polyclinic.training.shared_prompts import output_log_probs

_WHOLE = ("NO", "MULTI_GPU", "MULTI_CPU")
"""Modes of distributed training in which each process holds all weights."""


def grpo_trainer(sampler: str, share: bool) -> Any:
    """The trainer class for these settings."""
    import torch
    from trl import GRPOTrainer

    made = _sharing(_ordered(GRPOTrainer)) if share else _ordered(GRPOTrainer)
    if sampler == "transformers" or (sampler == "auto" and not torch.cuda.is_available()):
        return made
    return _sampling(made)


def _ordered(base: Any) -> Any:
    import torch
    from trl.trainer.utils import RepeatSampler

    class OrderedTrainer(base):  # type: ignore[misc]
        """Takes the prompts of an epoch in an order that depends only on the seed and the epoch's number.

        If it depended on how many epochs this process has seen, a resumed run would take them in another order.
        """

        def _get_train_sampler(self, dataset: Any = None) -> Any:
            found, trainer = super()._get_train_sampler(dataset), self

            class EpochSampler(RepeatSampler):  # type: ignore[misc]
                def __iter__(self) -> Any:
                    begun = int((trainer.state.epoch or 0) + 1e-6)
                    self.generator = torch.Generator().manual_seed(self.seed * 100_003 + begun)
                    return super().__iter__()

            found.__class__ = EpochSampler
            return found

    return OrderedTrainer


def _sharing(base: Any) -> Any:
    from trl.trainer.utils import split_tensor_dict

    class SharingTrainer(base):  # type: ignore[misc]
        """Learns from the outputs of a group as branches of one prompt, if the model supports it."""

        _buffered_inputs: list[Any] | None

        def _shares(self) -> bool:
            model = plain_model(self.accelerator.unwrap_model(self.model))
            return (
                is_known(model)
                and model.config._attn_implementation == "sdpa"
                and self.accelerator.distributed_type.name in _WHOLE
            )

        def _prepare_inputs(self, generation_batch: Any) -> Any:
            """As in the base class, but outputs are not shuffled, so that those of a group stay together.

            The prompts already come in a random order.
            """
            if not self.model.training or not self._shares():
                return super()._prepare_inputs(generation_batch)
            every, parts = self.args.steps_per_generation * self.num_iterations, self.args.steps_per_generation
            if self._step % every == 0 or self._buffered_inputs is None:
                made = self._generate_and_score_completions(generation_batch)
                self._buffered_inputs = split_tensor_dict(made, parts)
            return self._buffered_inputs[self._step % parts]

        def _get_per_token_logps_and_entropies(
            self,
            model: Any,
            input_ids: Any,
            attention_mask: Any,
            logits_to_keep: int,
            batch_size: int | None = None,
            compute_entropy: bool = False,
            compute_aux_loss: bool = False,
            **more: Any,
        ) -> Any:
            if compute_aux_loss or any(value is not None for value in more.values()) or not self._shares():
                return super()._get_per_token_logps_and_entropies(
                    model,
                    input_ids,
                    attention_mask,
                    logits_to_keep,
                    batch_size=batch_size,
                    compute_entropy=compute_entropy,
                    compute_aux_loss=compute_aux_loss,
                    **more,
                )
            with self.accelerator.autocast():
                log_probs, entropy = output_log_probs(model, input_ids, attention_mask, logits_to_keep, compute_entropy)
            return log_probs, entropy, None

    return SharingTrainer


def _sampling(base: Any) -> Any:
    class QuickTrainer(base):  # type: ignore[misc]
        """Samples with the quick sampler, with the current weights at each generation."""

        _quick: QuickReplies | None = None

        def _generate_single_turn(
            self, prompt_ids: Any, images: Any, multimodal_fields: Any, num_generations: int, *more: Any, **named: Any
        ) -> Any:
            model = self.accelerator.unwrap_model(self.model_wrapped)
            if self._quick is None:
                self._quick = QuickReplies(model, len(prompt_ids))
            made = None
            if images is None and self.accelerator.distributed_type.name in _WHOLE:
                limits, started = [self.max_completion_length] * len(prompt_ids), time.monotonic()
                with cudnn_attention(True):
                    made = self._quick.sample(
                        prompt_ids, limits, self.eos_token_ids, self.temperature, self.args.top_p, refresh=True
                    )
                self._log_metric("seconds/sampling", time.monotonic() - started)
            if made is None:
                return super()._generate_single_turn(
                    prompt_ids, images, multimodal_fields, num_generations, *more, **named
                )
            return made, None

    return QuickTrainer
