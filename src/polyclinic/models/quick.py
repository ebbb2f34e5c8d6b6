"""The quick sampler, used only for kinds of model that it supports, and only after its results agreed with
transformers. Any other model is sampled by transformers' own `generate`.
"""

from __future__ import annotations

import logging
from collections.abc import Collection, Sequence
from typing import Any

from polyclinic.models.decoder import is_known, plain_model
from polyclinic.models.sampler import Sampler

_log = logging.getLogger(__name__)
_CLOSE = 1.0
"""With 16-bit numbers, a token whose logit is this near the best one counts as equally good."""


class QuickReplies:
    """A sampler that is made at its first use, and made larger when a prompt needs it. If there is none for this model,
    or it does not agree with transformers, `sample` returns None from then on.
    """

    def __init__(self, model: Any, slots: int) -> None:
        self._model, self._slots = model, slots
        self._sampler: Sampler | None = None
        self._usable = is_known(model)

    def sample(
        self,
        prompts: Sequence[Sequence[int]],
        limits: Sequence[int],
        ends: Collection[int],
        temperature: float = 0.0,
        top_p: float = 1.0,
        refresh: bool = False,
    ) -> list[list[int]] | None:
        """The replies. `refresh` reads the weights again, for a model in training."""
        if not self._usable:
            return None
        needed = max(map(len, prompts)) + max(limits) + 1
        try:
            sampler = self._sampler
            if sampler is None or sampler.positions < needed:
                self._sampler = sampler = None
                sampler = self._opened(needed, prompts[0])
            elif refresh:
                sampler.net.refresh()
            if sampler is not None:
                return sampler.sample(prompts, limits, ends, temperature, top_p)
        except RuntimeError as error:
            _log.warning("no quick sampler: %s", str(error)[:200])
        self._usable, self._sampler = False, None
        return None

    def _opened(self, needed: int, prompt: Sequence[int]) -> Sampler | None:
        sampler = Sampler(self._model, self._slots, needed)
        if not agrees(sampler, self._model, prompt):
            _log.warning("the quick sampler's answers differ from those of transformers, so it is not used")
            return None
        self._sampler = sampler
        return sampler


def agrees(sampler: Sampler, model: Any, prompt: Sequence[int], tokens: int = 8) -> bool:
    """Whether transformers rates each token of the sampler as the best or as equally good."""
    import torch

    tokens = min(tokens, sampler.positions - len(prompt) - 1)
    said = sampler.sample([prompt], [tokens], ())[0]
    whole = torch.tensor([[*prompt, *said]], device=sampler.net.device)
    was_training = model.training
    model.eval()
    with torch.no_grad():
        logits = plain_model(model)(input_ids=whole).logits[0, len(prompt) - 1 : -1].float()
    model.train(was_training)
    taken = logits.gather(1, torch.tensor(said, device=logits.device)[:, None])[:, 0]
    return bool((logits.max(-1).values - taken < _CLOSE).all())
