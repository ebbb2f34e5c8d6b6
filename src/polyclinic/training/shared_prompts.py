"""Compute the log-probabilities of a group's outputs while their prompt is read only once.

A group is several outputs for one prompt, and the prompt is most of the text. Here a group becomes one sequence: the
prompt, then a branch for each output. A branch attends to the prompt and itself, at the positions that it would have
alone. So the results are the same as for each output separately, with a fraction of the work and memory.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

_ALIGNED = 64
"""Sequences are padded to multiples of this many tokens, because masked attention is fast for such lengths."""
_NOT_LEARNED = -100


@dataclass(frozen=True)
class Branched:
    """A group as one sequence.

    `starts` are the positions of the branches. Each branch begins with the prompt's last token, so that its output
    follows that token. `sizes` are the lengths of the outputs.
    """

    ids: Any
    labels: Any
    positions: Any
    mask: Any
    starts: tuple[int, ...]
    sizes: tuple[int, ...]


def output_log_probs(model: Any, ids: Any, mask: Any, width: int, entropy: bool = True) -> tuple[Any, Any]:
    """The log-probabilities of the last `width` tokens of each row, and their entropies (None if not requested).

    Rows are a prompt padded on the left and an output padded on the right; rows of a group are neighbours.
    """
    import torch

    before = ids.shape[1] - width
    real = mask.bool()
    log_probs, entropies = [], []
    for rows in same_prompts(ids[:, :before]):
        first = rows.start
        outputs = [ids[row, before:][real[row, before:]] for row in range(first, rows.stop)]
        group = branched(ids[first, :before][real[first, :before]], outputs)
        said = model(
            input_ids=group.ids[None],
            attention_mask=group.mask[None, None],
            position_ids=group.positions[None],
            labels=group.labels[None],
            fused_lm_head=True,
        )
        log_probs.append(back_in_rows(said.log_probs[0], group, width))
        if entropy:
            entropies.append(back_in_rows(said.entropy[0], group, width))
    return torch.cat(log_probs), torch.cat(entropies) if entropy else None


def same_prompts(prompts: Any) -> list[slice]:
    """Group neighbouring rows with the same prompt."""
    import torch

    differs = (prompts[1:] != prompts[:-1]).any(1)
    cuts = [0, *(torch.nonzero(differs)[:, 0] + 1).tolist(), len(prompts)]
    return [slice(start, end) for start, end in pairwise(cuts)]


def branched(prompt: Any, outputs: Sequence[Any]) -> Branched:
    """Join one prompt and its outputs to one sequence. All of them are tokens without padding."""
    import torch

    shared, last = prompt[:-1], prompt[-1:]
    branches = [torch.cat([last, output]) for output in outputs]
    used = len(shared) + sum(map(len, branches))
    rest = prompt.new_zeros(-used % _ALIGNED)
    ids = torch.cat([shared, *branches, rest])
    ignored = torch.full_like(prompt, _NOT_LEARNED)
    labels = torch.cat([ignored[:-1], *(part for output in outputs for part in (ignored[:1], output)), rest])
    labels[used:] = _NOT_LEARNED
    device = prompt.device
    whole = torch.arange(len(ids), device=device)
    positions = torch.cat(
        [
            whole[: len(shared)],
            *(torch.arange(len(branch), device=device) + len(shared) for branch in branches),
            torch.zeros_like(rest),
        ]
    )
    sizes = torch.tensor([len(shared), *map(len, branches), len(rest)], device=device)
    branch = torch.repeat_interleave(torch.arange(len(sizes), device=device), sizes)
    of_prompt = (branch == 0)[None] & (branch <= len(outputs))[:, None]
    mask = (whole[None] <= whole[:, None]) & (of_prompt | (branch[None] == branch[:, None]))
    starts, place = [], len(shared)
    for part in branches:
        starts.append(place)
        place += len(part)
    return Branched(ids, labels, positions, mask, tuple(starts), tuple(len(output) for output in outputs))


def back_in_rows(values: Any, group: Branched, width: int) -> Any:
    """Rearrange the values of the outputs' tokens: one row for each output, with zeros after its end.

    `values` come from a causal model: the first value belongs to the second token.
    """
    import torch
    from torch.nn import functional

    parts = [values[start : start + size] for start, size in zip(group.starts, group.sizes, strict=True)]
    return torch.stack([functional.pad(part, (0, width - len(part))) for part in parts])
