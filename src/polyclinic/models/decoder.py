"""The forward pass of a common kind of language model, written for quick sampling: weights joined, adapters merged.

It reads the current weights of a transformers model, so that a model in training can be sampled between two steps.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

KINDS = ("qwen2", "llama")
"""Model types whose layers this module computes: RMS norm, rotary positions, grouped heads, gated SiLU."""
_ROPES = ("default", "llama3", "linear")


def plain_model(model: Any) -> Any:
    """The model itself, without the wrapper that holds its adapters."""
    return model.get_base_model() if hasattr(model, "get_base_model") else model


def is_known(model: Any) -> bool:
    """Whether this module can compute the model."""
    config = plain_model(model).config
    rope = getattr(config, "rope_parameters", None) or {}
    return (
        config.model_type in KINDS
        and getattr(config, "hidden_act", "") == "silu"
        and not getattr(config, "use_sliding_window", False)
        and rope.get("rope_type", "default") in _ROPES
    )


class Decoder:
    """Joined weights of a model. `refresh` copies them again, into the same memory, after a step of training."""

    def __init__(self, model: Any, positions: int) -> None:
        import torch

        self._model = plain_model(model)
        inner, config = self._model.model, self._model.config
        self.heads, self.kv_heads = config.num_attention_heads, config.num_key_value_heads
        self.width = config.hidden_size
        self.head_width = getattr(config, "head_dim", None) or self.width // self.heads
        self.group, self.eps = self.heads // self.kv_heads, config.rms_norm_eps
        self.embedding, self.norm = inner.embed_tokens.weight, inner.norm.weight
        self.output = self._model.lm_head.weight
        self.device, self.dtype = self.embedding.device, self.embedding.dtype
        rotary = inner.rotary_emb
        angles = torch.outer(torch.arange(positions, device=self.device).float(), rotary.inv_freq.float())
        angles = torch.cat([angles, angles], -1)
        self.cos = (angles.cos() * rotary.attention_scaling).to(self.dtype)
        self.sin = (angles.sin() * rotary.attention_scaling).to(self.dtype)
        self.layers: list[dict[str, Any]] = []
        self.refresh()

    @property
    def depth(self) -> int:
        """How many layers there are."""
        return len(self._model.model.layers)

    def refresh(self) -> None:
        """Copy the weights as they are now."""
        import torch

        with torch.no_grad():
            for number, layer in enumerate(self._model.model.layers):
                found = _joined(layer, self.dtype)
                if number == len(self.layers):
                    self.layers.append(found)
                    continue
                for name, tensor in self.layers[number].items():
                    if tensor is not None:
                        tensor.copy_(found[name])

    def rotate(self, x: Any, cos: Any, sin: Any) -> Any:
        """Apply rotary positions."""
        import torch

        first, second = x.chunk(2, -1)
        return x * cos + torch.cat([-second, first], -1) * sin

    def qkv(self, x: Any, layer: dict[str, Any]) -> Any:
        """Compute queries, keys and values."""
        from torch.nn import functional

        normed = functional.rms_norm(x, (self.width,), layer["before"], self.eps)
        made = functional.linear(normed, layer["qkv"], layer["qkv_bias"])
        kv = self.kv_heads * self.head_width
        return made.split([self.heads * self.head_width, kv, kv], -1)

    def after(self, x: Any, seen: Any, layer: dict[str, Any]) -> Any:
        """The rest of a layer after its attention."""
        from torch.nn import functional

        x = x + functional.linear(seen, layer["out"])
        normed = functional.rms_norm(x, (self.width,), layer["between"], self.eps)
        gate, up = functional.linear(normed, layer["gate_up"]).chunk(2, -1)
        return x + functional.linear(functional.silu(gate) * up, layer["down"])

    def logits(self, x: Any) -> Any:
        """The logits of the next token from the last hidden state."""
        from torch.nn import functional

        return functional.linear(functional.rms_norm(x, (self.width,), self.norm, self.eps), self.output).float()


def _joined(layer: Any, dtype: Any) -> dict[str, Any]:
    import torch

    attention, dense = layer.self_attn, layer.mlp
    three = (attention.q_proj, attention.k_proj, attention.v_proj)
    biases = [_inner(linear).bias for linear in three]
    return {
        "before": layer.input_layernorm.weight.detach().to(dtype).clone(),
        "between": layer.post_attention_layernorm.weight.detach().to(dtype).clone(),
        "qkv": torch.cat([_whole(linear, dtype) for linear in three]),
        "qkv_bias": None if biases[0] is None else torch.cat([bias.detach().to(dtype) for bias in biases]),
        "out": _whole(attention.o_proj, dtype).clone(),
        "gate_up": torch.cat([_whole(linear, dtype) for linear in (dense.gate_proj, dense.up_proj)]),
        "down": _whole(dense.down_proj, dtype).clone(),
    }


def _inner(linear: Any) -> Any:
    return getattr(linear, "base_layer", linear)


def _whole(linear: Any, dtype: Any) -> Any:
    """The weights of a layer with its adapters merged."""
    weight = _inner(linear).weight.detach()
    adapters: Iterable[str] = () if getattr(linear, "merged", False) else getattr(linear, "active_adapters", ())
    for name in adapters:
        weight = weight + linear.get_delta_weight(name).to(weight.dtype)
    return weight.to(dtype)
