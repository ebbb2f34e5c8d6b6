"""TRL's GRPO trainer whose outputs are written by the quick sampler where that is possible."""

from __future__ import annotations

from typing import Any

from polyclinic.models.quick import QuickReplies

_WHOLE = ("NO", "MULTI_GPU", "MULTI_CPU")
"""Ways of sharing work in which each process holds all weights."""


def grpo_trainer(sampler: str) -> Any:
    """The class of the trainer."""
    import torch
    from trl import GRPOTrainer

    if sampler == "transformers" or (sampler == "auto" and not torch.cuda.is_available()):
        return GRPOTrainer

    class QuickTrainer(GRPOTrainer):  # type: ignore[misc]
        """Samples with the weights as they are at each generation."""

        _quick: QuickReplies | None = None

        def _generate_single_turn(
            self, prompt_ids: Any, images: Any, multimodal_fields: Any, num_generations: int, *more: Any, **named: Any
        ) -> Any:
            model = self.accelerator.unwrap_model(self.model_wrapped)
            if self._quick is None:
                self._quick = QuickReplies(model, len(prompt_ids))
            made = None
            if images is None and self.accelerator.distributed_type.name in _WHOLE:
                limits = [self.max_completion_length] * len(prompt_ids)
                made = self._quick.sample(
                    prompt_ids, limits, self.eos_token_ids, self.temperature, self.args.top_p, refresh=True
                )
            if made is None:
                return super()._generate_single_turn(
                    prompt_ids, images, multimodal_fields, num_generations, *more, **named
                )
            return made, None

    return QuickTrainer
