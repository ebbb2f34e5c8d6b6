"""Many replies at once from a model on this machine: one static cache of keys and values, one captured step on a GPU.

With a small model, transformers' own `generate` spends most of its time between kernels, and copies its cache in every
step. Here the prompts of a group are read once, and a step of all replies is one call of a captured graph.
"""

from __future__ import annotations

import logging
from collections.abc import Collection, Sequence
from typing import Any

from polyclinic.models.decoder import Decoder

_log = logging.getLogger(__name__)
_BUCKET = 512
"""Steps are captured for caches of this many positions and of its multiples."""
_LOOK_EVERY = 16
"""After how many steps to check whether all replies have ended."""
_PREFILL_TOKENS = 32768


class Sampler:
    """Replies of one model, `slots` at a time."""

    def __init__(self, model: Any, slots: int, positions: int) -> None:
        import torch

        self.slots, self.positions = slots, -(-positions // _BUCKET) * _BUCKET
        self.net = Decoder(model, self.positions)
        net = self.net
        shape = (net.depth, slots, net.kv_heads, self.positions, net.head_width)
        self._keys = torch.zeros(shape, dtype=net.dtype, device=net.device)
        self._values = torch.zeros_like(self._keys)
        self._current = torch.zeros(slots, dtype=torch.long, device=net.device)
        self._length = torch.zeros(slots, dtype=torch.long, device=net.device)
        self._range = torch.arange(self.positions, device=net.device)
        self._rows = torch.arange(slots, device=net.device)
        self._graphs: dict[int, tuple[Any, Any]] = {}
        self._captures = net.device.type == "cuda"

    def sample(
        self,
        prompts: Sequence[Sequence[int]],
        limits: Sequence[int],
        ends: Collection[int],
        temperature: float = 0.0,
        top_p: float = 1.0,
    ) -> list[list[int]]:
        """One reply for each prompt, with its end-of-turn token if it got that far."""
        import torch

        made: list[list[int]] = []
        with torch.no_grad():
            for start in range(0, len(prompts), self.slots):
                part = slice(start, start + self.slots)
                made += self._batch(prompts[part], limits[part], ends, temperature, top_p)
        return made

    def _batch(
        self,
        prompts: Sequence[Sequence[int]],
        limits: Sequence[int],
        ends: Collection[int],
        temperature: float,
        top_p: float,
    ) -> list[list[int]]:
        import torch

        count, device = len(prompts), self.net.device
        longest = max(len(prompt) for prompt in prompts)
        stop = torch.tensor(sorted(ends), device=device)
        most = torch.zeros(self.slots, dtype=torch.long, device=device)
        most[:count] = torch.tensor(list(limits), device=device)
        self._length.zero_()
        self._length[:count] = torch.tensor([len(prompt) for prompt in prompts], device=device)
        logits = self._prefill(prompts)
        ended = self._rows >= count
        said: list[Any] = []
        for step in range(max(limits)):
            token = pick(logits, temperature, top_p)
            said.append(token)
            ended = ended | torch.isin(token, stop) | (most <= step + 1)
            if (step % _LOOK_EVERY == _LOOK_EVERY - 1 and bool(ended.all())) or step + 1 == max(limits):
                break
            self._current.copy_(token)
            logits = self._step(longest + step + 1)
            self._length += (~ended).long()
        rows = torch.stack(said, 1)[:count].tolist()
        return [_until(row[:limit], ends) for row, limit in zip(rows, limits, strict=True)]

    def _prefill(self, prompts: Sequence[Sequence[int]]) -> Any:
        """Read the prompts into their slots, each different prompt only once. Returns the logits after each."""
        import torch

        places: dict[tuple[int, ...], list[int]] = {}
        for slot, prompt in enumerate(prompts):
            places.setdefault(tuple(prompt), []).append(slot)
        order = sorted(places, key=len)
        logits = torch.zeros(self.slots, self.net.output.shape[0], device=self.net.device)
        while order:
            part = [order.pop()]
            while order and len(part[0]) * (len(part) + 1) <= _PREFILL_TOKENS:
                part.append(order.pop())
            found, keys, values = self._read(part)
            for number, prompt in enumerate(part):
                slots = torch.tensor(places[prompt], device=self.net.device)
                logits[slots] = found[number]
                for depth in range(self.net.depth):
                    self._keys[depth][slots, :, : keys[depth].shape[2]] = keys[depth][number]
                    self._values[depth][slots, :, : keys[depth].shape[2]] = values[depth][number]
        return logits

    def _read(self, prompts: Sequence[Sequence[int]]) -> tuple[Any, list[Any], list[Any]]:
        import torch
        from torch.nn import functional

        net, count, size = self.net, len(prompts), max(len(prompt) for prompt in prompts)
        ids = torch.zeros(count, size, dtype=torch.long)
        for row, prompt in enumerate(prompts):
            ids[row, : len(prompt)] = torch.tensor(prompt)
        x, cos, sin = net.embedding[ids.to(net.device)], net.cos[:size], net.sin[:size]
        keys, values = [], []
        for layer in net.layers:
            q, k, v = net.qkv(x, layer)
            q = net.rotate(q.view(count, size, net.heads, net.head_width).transpose(1, 2), cos, sin)
            k = net.rotate(k.view(count, size, net.kv_heads, net.head_width).transpose(1, 2), cos, sin)
            v = v.view(count, size, net.kv_heads, net.head_width).transpose(1, 2)
            keys.append(k)
            values.append(v)
            k, v = k.repeat_interleave(net.group, 1), v.repeat_interleave(net.group, 1)
            seen = functional.scaled_dot_product_attention(q, k, v, is_causal=True)
            x = net.after(x, seen.transpose(1, 2).reshape(count, size, -1), layer)
        last = torch.tensor([len(prompt) - 1 for prompt in prompts], device=net.device)
        return net.logits(x[torch.arange(count, device=net.device), last]), keys, values

    def _step(self, bound: int) -> Any:
        """The logits after one more token in every slot; no slot may have more than `bound` tokens."""
        positions = min(self.positions, -(-bound // _BUCKET) * _BUCKET)
        if not self._captures:
            return self._forward(positions)
        try:
            if positions not in self._graphs:
                self._graphs[positions] = self._captured(positions)
            graph, logits = self._graphs[positions]
            graph.replay()
            return logits
        except RuntimeError as error:
            _log.warning("the step could not be captured for the GPU and runs uncaptured: %s", str(error)[:200])
            self._captures = False
            return self._forward(positions)

    def _captured(self, positions: int) -> tuple[Any, Any]:
        import torch

        stream = torch.cuda.Stream()
        stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(stream):
            for _ in range(2):
                self._forward(positions)
        torch.cuda.current_stream().wait_stream(stream)
        torch.cuda.synchronize()
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph, capture_error_mode="thread_local"):
            logits = self._forward(positions)
        return graph, logits

    def _forward(self, positions: int) -> Any:
        from torch.nn import functional

        net, count = self.net, self.slots
        x = net.embedding[self._current]
        cos, sin = net.cos[self._length][:, None], net.sin[self._length][:, None]
        mask = (self._range[:positions][None] <= self._length[:, None])[:, None, None]
        mask = mask.expand(count, net.kv_heads, net.group, positions)
        for depth, layer in enumerate(net.layers):
            q, k, v = net.qkv(x, layer)
            q = net.rotate(q.view(count, net.heads, net.head_width), cos, sin)
            k = net.rotate(k.view(count, net.kv_heads, net.head_width), cos, sin)
            self._keys[depth][self._rows, :, self._length] = k
            self._values[depth][self._rows, :, self._length] = v.view(count, net.kv_heads, net.head_width)
            seen = functional.scaled_dot_product_attention(
                q.view(count, net.kv_heads, net.group, net.head_width),
                self._keys[depth][:, :, :positions],
                self._values[depth][:, :, :positions],
                attn_mask=mask,
            )
            x = net.after(x, seen.reshape(count, -1), layer)
        return net.logits(x)


def pick(logits: Any, temperature: float, top_p: float) -> Any:
    """One token for each row: the likeliest at temperature 0, else a random one.

    With `top_p` below 1, it is drawn from the nucleus.
    """
    import torch

    if not temperature:
        return logits.argmax(-1)
    shares = torch.softmax(logits / temperature, -1)
    if top_p < 1:
        ordered, places = shares.sort(-1, descending=True)
        ordered[ordered.cumsum(-1) - ordered > top_p] = 0
        shares = torch.zeros_like(shares).scatter_(-1, places, ordered)
    return (shares / torch.empty_like(shares).exponential_()).argmax(-1)


def _until(tokens: list[int], ends: Collection[int]) -> list[int]:
    stop = next((place for place, token in enumerate(tokens) if token in ends), None)
    return tokens if stop is None else tokens[: stop + 1]
