"""A group's outputs as branches of one prompt: the same numbers and gradients as if computed one by one."""

from __future__ import annotations

from typing import Any

import pytest

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("default")]
for package in ("torch", "transformers", "trl"):
    pytest.importorskip(package, reason=f"training needs {package}: install the extra 'train'")

WORDS, PROMPT, OUTPUT = 300, 37, 21


def _model() -> Any:
    import torch
    from transformers import Qwen2Config, Qwen2ForCausalLM
    from trl.trainer.utils import add_fused_lm_head

    torch.manual_seed(0)
    sizes = {"hidden_size": 64, "intermediate_size": 128, "num_hidden_layers": 3}
    model = Qwen2ForCausalLM(Qwen2Config(vocab_size=WORDS, num_attention_heads=4, num_key_value_heads=2, **sizes))
    add_fused_lm_head(model, outputs=("log_probs", "entropy"))
    return model


def _batch() -> tuple[Any, Any]:
    """Two prompts of different lengths, padded on the left, with four outputs each, padded on the right."""
    import torch

    ids = torch.zeros(8, PROMPT + OUTPUT, dtype=torch.long)
    mask = torch.zeros_like(ids)
    prompts = [torch.randint(0, WORDS, (size,)) for size in (PROMPT, 30)]
    for row in range(8):
        prompt, output = prompts[row // 4], torch.randint(0, WORDS, (3 + 2 * row,))
        ids[row, PROMPT - len(prompt) : PROMPT + len(output)] = torch.cat([prompt, output])
        mask[row, PROMPT - len(prompt) : PROMPT + len(output)] = 1
    return ids, mask


def _one_by_one(model: Any, ids: Any, mask: Any) -> Any:
    labels = ids.masked_fill(mask == 0, -100)
    labels[:, :PROMPT] = -100
    said = model(input_ids=ids, attention_mask=mask, labels=labels, fused_lm_head=True)
    return said.log_probs[:, -OUTPUT:], said.entropy[:, -OUTPUT:]


def _as_branches(model: Any, ids: Any, mask: Any) -> Any:
    from polyclinic.training.shared_prompts import output_log_probs

    calls = []
    with model.register_forward_pre_hook(lambda *given: calls.append(given)):
        found = output_log_probs(model, ids, mask, OUTPUT)
    assert len(calls) == 2, "one sequence for each prompt"
    return found


def test_branches_give_the_same_numbers_and_gradients_as_separately_computed_outputs() -> None:
    import torch

    model = _model()
    ids, mask = _batch()
    weigh = torch.randn(8, OUTPUT)
    gradients = []
    values = []
    for way in (_one_by_one, _as_branches):
        logps, entropy = way(model, ids, mask)
        values.append((logps.detach(), entropy.detach()))
        (logps * weigh).sum().backward()
        gradients.append([weights.grad.clone() for weights in model.parameters()])
        model.zero_grad()
    for apart, together in zip(*values, strict=True):
        assert (apart - together).abs().max() < 1e-5
    assert values[0][0].abs().max() > 1, "the numbers are not all zero"
    assert max(float((a - b).abs().max()) for a, b in zip(*gradients, strict=True)) < 1e-4
