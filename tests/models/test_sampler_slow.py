"""The quick sampler compared with transformers: the same weights must say the same words."""

from __future__ import annotations

from typing import Any

import pytest

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("default")]
torch = pytest.importorskip("torch", reason="needs torch: install the extra 'train'")
transformers = pytest.importorskip("transformers", reason="needs transformers: install the extra 'train'")
peft = pytest.importorskip("peft", reason="needs peft: install the extra 'train'")

from polyclinic.models.quick import QuickReplies, agrees  # noqa: E402
from polyclinic.models.sampler import Sampler, pick  # noqa: E402

END = 5
PROMPTS = [[7, 8, 9, 10], [20] * 9, [7, 8, 9, 10], [3, 4]]
LIMITS = [20, 20, 7, 40]


def _model(kind: str) -> Any:
    torch.manual_seed(0)
    config, build = {
        "qwen2": (transformers.Qwen2Config, transformers.Qwen2ForCausalLM),
        "llama": (transformers.LlamaConfig, transformers.LlamaForCausalLM),
        "gpt2": (transformers.GPT2Config, transformers.GPT2LMHeadModel),
    }[kind]
    if kind == "gpt2":
        return build(config(vocab_size=300, n_embd=32, n_layer=1, n_head=2)).eval()
    sizes = {"hidden_size": 64, "intermediate_size": 128, "num_hidden_layers": 3, "max_position_embeddings": 1024}
    heads = {"num_attention_heads": 4, "num_key_value_heads": 2}
    model = build(config(vocab_size=300, eos_token_id=END, pad_token_id=0, **sizes, **heads)).eval()
    for weights in model.parameters():
        if weights.dim() == 2:
            weights.data.mul_(3)  # sharper, so that no two words are equally likely
    return model


def _said(model: Any, prompt: list[int], limit: int) -> list[int]:
    made = model.generate(
        input_ids=torch.tensor([prompt]), max_new_tokens=limit, do_sample=False, eos_token_id=END, pad_token_id=0
    )
    said: list[int] = made[0, len(prompt) :].tolist()
    return said


@pytest.mark.parametrize("kind", ["qwen2", "llama"])
def test_the_quick_sampler_says_the_same_as_transformers(kind: str) -> None:
    model = _model(kind)
    sampler = Sampler(model, 3, 600)
    assert agrees(sampler, model, PROMPTS[1])
    expected = [_said(model, prompt, limit) for prompt, limit in zip(PROMPTS, LIMITS, strict=True)]
    assert sampler.sample(PROMPTS, LIMITS, {END}) == expected


def test_the_quick_sampler_uses_an_adapter_in_training() -> None:
    lora = peft.LoraConfig(r=4, lora_alpha=8, target_modules="all-linear", init_lora_weights=False)
    model = peft.get_peft_model(_model("qwen2"), lora)
    quick = QuickReplies(model, 4)
    before = quick.sample(PROMPTS, LIMITS, {END})
    for weights in model.parameters():
        if weights.requires_grad:
            weights.data.add_(0.05)
    expected = [_said(model, prompt, limit) for prompt, limit in zip(PROMPTS, LIMITS, strict=True)]
    assert before != expected
    assert quick.sample(PROMPTS, LIMITS, {END}, refresh=True) == expected


def test_the_sampler_grows_with_its_prompts_and_declines_other_kinds_of_models() -> None:
    model = _model("qwen2")
    quick = QuickReplies(model, 2)
    long = [9] * 700
    assert quick.sample([[1, 2]], [4], {END}) == [_said(model, [1, 2], 4)]
    assert quick.sample([long], [4], {END}) == [_said(model, long, 4)]
    assert QuickReplies(_model("gpt2"), 2).sample([[1, 2]], [4], {END}) is None


def test_words_are_drawn_with_their_own_probability() -> None:
    torch.manual_seed(1)
    logits = torch.randn(1, 10).repeat(20_000, 1)
    shares = torch.bincount(pick(logits, 1.0, 1.0), minlength=10) / 20_000
    assert (shares - logits[0].softmax(-1)).abs().max() < 0.02
    nucleus = torch.bincount(pick(logits, 1.0, 0.3), minlength=10)
    assert int((nucleus > 0).sum()) < 4
