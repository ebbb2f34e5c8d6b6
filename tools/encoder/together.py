"""The second network while it is trained: it reads a text together with what the text is compared with, or with what
was said before it. The same sums as in `polyclinic.reading.together`.

Both are one row of word pieces: the second text first, then the text. What is pooled are the states of the text's own
pieces, and the state of the sign at the beginning.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from polyclinic.reading.networks import GUARD
from polyclinic.reading.together import TURN
from tools.encoder.batches import INFERS
from tools.encoder.network import FAR, STRONGEST, EncoderNetwork, RowBatch, Tensor


class JoinedBatch(NamedTuple):
    """Some rows of pieces: their states, and which pieces are the text's own."""

    states: Tensor
    own: Tensor


class TogetherNetwork(EncoderNetwork):
    """Weights as tensors, and what they make of texts that are read together."""

    def joined(self, texts: Tensor, seconds: Tensor, pieces: Tensor, lengths: Tensor) -> JoinedBatch:
        """The states of texts with their seconds. The last line of the table stands for no text."""
        torch = self.torch
        before = torch.where(seconds == len(lengths) - 1, 1, lengths[seconds])
        whole = before + lengths[texts] - 1
        places = torch.arange(int(whole.max()), device=self.device)[None]
        mask, own = places < whole[:, None], places >= before[:, None]
        mine = pieces[texts].gather(1, (places - before[:, None] + 1).clamp(0, pieces.shape[1] - 1))
        theirs = pieces[seconds].gather(1, places.clamp(max=pieces.shape[1] - 1).expand(len(texts), -1))
        numbers = torch.where(own, mine, theirs)
        states = torch.nn.functional.embedding(numbers, self.weights["E"])
        if self.training:
            heard = torch.rand(states.shape[:2], device=self.device) > self.left_out.words
            states = states * heard[..., None]
        states = states + self.weights["places"][: places.shape[1]]
        states = states + (own & (before > 1)[:, None])[..., None] * self.weights[TURN]
        states = self._even(states, "first", 1e-12)
        for number in range(self.layers):
            states = self._evened_after(states, mask, f"l.{number}.")
        return JoinedBatch(states, own & mask)

    def pooled(self, batch: JoinedBatch) -> Tensor:
        """The mean and the strongest own state of each text, and the first state."""
        states, own = batch.states.float(), batch.own[..., None]
        strongest = states.masked_fill(~own, FAR).amax(1) * STRONGEST
        mean = (states * own).sum(1) / own.sum(1)
        return self._drop(self.torch.cat([mean, strongest, states[:, 0]], 1), self.left_out.last)

    def scores(self, rows: RowBatch) -> Tensor:
        """The score of each row: above 0 means yes."""
        found = self.pooled(self.joined(rows.text, rows.second, self.pieces, self.lengths))
        return self._linear(found, "heads").gather(1, rows.column[:, None])[:, 0].float()

    def labels(self, texts: Tensor, table: Sequence[Tensor] = ()) -> Tensor:
        """The logits of each text's labels."""
        pieces, lengths = table or (self.pieces, self.lengths)
        none = self.torch.full_like(texts, len(lengths) - 1)
        return self._linear(self.pooled(self.joined(texts, none, pieces, lengths)), GUARD).float()

    def columns(self, texts: Tensor, seconds: Tensor, columns: Tensor, table: Sequence[Tensor]) -> Tensor:
        """The score of one column for each text with its second, lines of a table of their own."""
        found = self.pooled(self.joined(texts, seconds, *table))
        return self._linear(found, "heads").gather(1, columns[:, None])[:, 0].float()

    def infers(self, texts: Tensor, seconds: Tensor, pieces: Tensor, lengths: Tensor) -> Tensor:
        """The logits of whether texts follow from the second texts. They are lines of a table of their own."""
        return self._linear(self.pooled(self.joined(texts, seconds, pieces, lengths)), INFERS).float()
