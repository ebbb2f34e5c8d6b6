"""The encoder's network while it is trained: the same sums as in `polyclinic.reading.encoder` and
`polyclinic.reading.layers`, on tensors.

Its weights have the names that they have there. Many texts are read at once, filled up to the same length; a mask says
which pieces are real. While training, some words and some states are left out at random.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from polyclinic.reading.layers import WAVES, heads_of, layers_of
from polyclinic.reading.networks import GUARD
from tools.encoder.batches import Arrays, TextTable

Tensor = Any
"""A tensor of torch, which is not installed by default."""
FAR = -1e4
STRONGEST = 0.3


class LeftOut(NamedTuple):
    """How many of the states, words and last states are left out while training."""

    states: float = 0.1
    words: float = 0.1
    last: float = 0.3


LEFT_OUT = LeftOut()


class TextBatch(NamedTuple):
    """Some texts as the layers read them: their states, and which of these are real."""

    states: Tensor
    mask: Tensor


class RowBatch(NamedTuple):
    """Some rows: numbers of texts, seconds, kinds and columns, and whether the texts are compared with the seconds."""

    text: Tensor
    second: Tensor
    kind: Tensor
    column: Tensor
    compares: Tensor


class EncoderNetwork:
    """Weights as tensors, and what they make of texts."""

    def __init__(
        self, weights: Mapping[str, NDArray[np.float32]], table: TextTable, left_out: LeftOut = LEFT_OUT
    ) -> None:
        self.torch: Any = importlib.import_module("torch")
        self.device = "cuda" if self.torch.cuda.is_available() else "cpu"
        self.left_out, self.training = left_out, True
        self.layers, self.heads, self.waves = layers_of(weights), heads_of(weights), WAVES in weights
        self.weights: dict[str, Tensor] = {
            name: self.torch.tensor(value, device=self.device).requires_grad_(name != WAVES)
            for name, value in weights.items()
        }
        self.pieces, self.lengths = (self.torch.tensor(array, device=self.device) for array in table)

    def arrays(self) -> Arrays:
        """The weights as they are now."""
        return {name: value.detach().float().cpu().numpy() for name, value in self.weights.items()}

    def read(self, texts: Tensor, table: Sequence[Tensor] = ()) -> TextBatch:
        """The states of texts, which are named by their numbers in the network's own table, or in another."""
        pieces, all_lengths = table or (self.pieces, self.lengths)
        torch, lengths = self.torch, all_lengths[texts]
        places = torch.arange(int(lengths.max()), device=self.device)
        states = torch.nn.functional.embedding(pieces[texts, : len(places)], self.weights["E"])
        if self.training:
            heard = torch.rand(states.shape[:2], device=self.device) > self.left_out.words
            states = states * heard[..., None]
        if self.waves:
            angles = places[:, None].float() * self.weights[WAVES]
            states = 2 * states + torch.cat([angles.sin(), angles.cos()], 1)
        else:
            states = self._even(states + self.weights["places"][: len(places)], "first", 1e-12)
        mask = places[None] < lengths[:, None]
        layer = self._evened_before if self.waves else self._evened_after
        for number in range(self.layers):
            states = layer(states, mask, f"l.{number}.")
        return TextBatch(states, mask)

    def labels(self, texts: Tensor, table: Sequence[Tensor] = ()) -> Tensor:
        """The logits of each text's labels."""
        return self._linear(self._pooled(self.read(texts, table)), GUARD).float()

    def scores(self, rows: RowBatch) -> Tensor:
        """The score of each row: above 0 means yes."""
        torch, weights = self.torch, self.weights
        mine = self.read(rows.text)
        met = self._match(mine, self.read(rows.second), rows.kind)
        compared = (met * weights["kind"][rows.kind]).sum(1) + weights["kb"][rows.kind]
        at = rows.column[:, None]
        said = (rows.second != len(self.lengths) - 1).float()
        alone = self._linear(self._pooled(mine), "heads").gather(1, at)[:, 0]
        alone = alone + said * self._linear(met, "ctx").gather(1, at)[:, 0]
        return torch.where(rows.compares, compared, alone).float()

    def _linear(self, states: Tensor, name: str) -> Tensor:
        return self.torch.nn.functional.linear(states, self.weights[f"{name}.weight"], self.weights[f"{name}.bias"])

    def _drop(self, states: Tensor, share: float) -> Tensor:
        return self.torch.nn.functional.dropout(states, share, self.training)

    def _even(self, states: Tensor, name: str, least: float) -> Tensor:
        scale, offset = self.weights[f"{name}.weight"], self.weights[f"{name}.bias"]
        return self.torch.nn.functional.layer_norm(states, scale.shape, scale, offset, least)

    def _step(self, states: Tensor, name: str) -> Tensor:
        return states @ self.weights[name] + self.weights[f"{name}b"]

    def _evened_before(self, states: Tensor, mask: Tensor, name: str) -> Tensor:
        wide = states @ self.weights["l.0.resw"] + self.weights["l.0.resb"] if name == "l.0." else states
        states = wide + self._heard(self._even(states, f"{name}ln1", 1e-6), mask, name)
        inner = self.torch.relu(self._step(self._even(states, f"{name}ln2", 1e-6), f"{name}f1"))
        return states + self._drop(self._step(inner, f"{name}f2"), self.left_out.states)

    def _evened_after(self, states: Tensor, mask: Tensor, name: str) -> Tensor:
        states = self._even(states + self._heard(states, mask, name), f"{name}ln1", 1e-12)
        inner = self.torch.nn.functional.gelu(self._step(states, f"{name}f1"), approximate="tanh")
        found = self._drop(self._step(inner, f"{name}f2"), self.left_out.states)
        return self._even(states + found, f"{name}ln2", 1e-12)

    def _heard(self, states: Tensor, mask: Tensor, name: str) -> Tensor:
        """What each piece takes over from all pieces."""
        mixed = self._step(states, f"{name}qkv")
        count, size, _ = mixed.shape
        asks, keys, values = (part.view(count, size, self.heads, -1).transpose(1, 2) for part in mixed.chunk(3, -1))
        attention = self.torch.nn.functional.scaled_dot_product_attention
        heard = attention(asks, keys, values, attn_mask=mask[:, None, None, :]).transpose(1, 2)
        return self._drop(self._step(heard.reshape(count, size, -1), f"{name}o"), self.left_out.states)

    def _pooled(self, batch: TextBatch) -> Tensor:
        """The mean and the strongest state of each text."""
        states, mask = batch.states.float(), batch.mask[..., None]
        strongest = states.masked_fill(~mask, FAR).amax(1) * STRONGEST
        return self._drop(self.torch.cat([_mean(states, mask), strongest], 1), self.left_out.last)

    def _match(self, mine: TextBatch, theirs: TextBatch, kind: Tensor) -> Tensor:
        """What the pieces of two texts say about each other."""
        torch = self.torch
        one, other = self._linear(mine.states, "P"), self._linear(theirs.states, "P")
        likeness = (one @ other.transpose(1, 2)).float() * one.shape[-1] ** -0.5
        pooled = []
        for rows, others, mask, hidden, near in (
            (one, other, mine.mask, theirs.mask, likeness),
            (other, one, theirs.mask, mine.mask, likeness.transpose(1, 2)),
        ):
            met = torch.softmax(near.masked_fill(~hidden[:, None, :], FAR), -1).to(others.dtype) @ others
            beside = self._drop(torch.cat([rows, met, (rows - met).abs(), rows * met], -1), self.left_out.states)
            found = torch.relu(self._linear(beside, "cmp")) * mask[..., None]
            pooled += [_mean(found, mask[..., None]), found.amax(1)]
        first, last = _mean(one, mine.mask[..., None]), _mean(other, theirs.mask[..., None])
        pooled += [first, last, (first - last).abs(), first * last]
        hidden_row = self._drop(torch.cat(pooled, -1), self.left_out.last)
        return (torch.relu(self._linear(hidden_row, "trunk")) * self.weights["kmod.weight"][kind]).float()


def _mean(states: Tensor, mask: Tensor) -> Tensor:
    """The mean of the real states of each text."""
    return (states * mask).sum(1) / mask.sum(1)
