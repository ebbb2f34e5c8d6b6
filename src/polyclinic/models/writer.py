"""Replies written with a folder of weights, batch by batch: for a cast (`local_weights`) and for measuring."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from polyclinic.core.model import Completion, Usage
from polyclinic.models.quick import QuickReplies
from polyclinic.models.weights import ModelWeights, seen_chat

SLOTS = 64
CONTEXT = 8192


@dataclass(frozen=True)
class Prompted:
    """A chat to be answered. `template` are the variables of the model's chat template, such as the amount of
    reasoning. `pictures` fill the placeholders for pictures in the messages.
    """

    messages: list[dict[str, Any]]
    limit: int
    temperature: float
    seed: int
    template: dict[str, Any] = field(default_factory=dict, kw_only=True)
    pictures: Sequence[Any] = field(default=(), kw_only=True)


P = TypeVar("P", bound=Prompted)


def by_temperature(batch: Sequence[P]) -> list[list[P]]:
    """Split into batches, each with one temperature."""
    groups: dict[float, list[P]] = {}
    for asked in batch:
        groups.setdefault(asked.temperature, []).append(asked)
    return list(groups.values())


class Writer:
    """Writes the replies of a batch: with the quick sampler on a GPU, else with transformers' own `generate`."""

    def __init__(self, weights: ModelWeights, slots: int, context: int) -> None:
        self._weights, self._context = weights, context
        quick = weights.model.device.type == "cuda" and not weights.sees
        self._quick = QuickReplies(weights.model, slots) if quick else None
        ends = {weights.tokenizer.eos_token_id, *_ids(weights.model.generation_config.eos_token_id)}
        self._ends = {end for end in ends if end is not None}

    def write(self, batch: Sequence[Prompted]) -> list[Completion]:
        """The replies of a batch, greedy at temperature 0. A reply that reached its limit is marked."""
        import torch

        if self._weights.sees:
            return [self._seen(asked) for asked in batch]
        tokenizer = self._weights.tokenizer
        texts = [
            tokenizer.apply_chat_template(asked.messages, tokenize=False, add_generation_prompt=True, **asked.template)
            for asked in batch
        ]
        prompts: list[list[int]] = tokenizer(texts, add_special_tokens=False)["input_ids"]
        longest = max(1, min(max(asked.limit for asked in batch), self._context - max(map(len, prompts))))
        torch.manual_seed(batch[0].seed)
        warmth = batch[0].temperature
        made = None
        if self._quick is not None:
            limits = [min(asked.limit, longest) for asked in batch]
            made = self._quick.sample(prompts, limits, self._ends, warmth)
        if made is None:
            made = _generated(self._weights, _padded(self._weights, texts), longest, warmth, self._ends)
        return [
            _completion(tokenizer, row, self._ends, asked.limit, len(prompt))
            for row, prompt, asked in zip(made, prompts, batch, strict=True)
        ]

    def _seen(self, asked: Prompted) -> Completion:
        """The reply of a vision-language model, to one chat at a time, because pictures differ in size."""
        import torch

        processor, model = self._weights.processor, self._weights.model
        chat, pictures = seen_chat(asked.messages)
        text = processor.apply_chat_template(chat, tokenize=False, add_generation_prompt=True, **asked.template)
        shown = [*pictures, *asked.pictures] or None
        inputs = processor(text=[text], images=shown, return_tensors="pt", add_special_tokens=False)
        read = inputs["input_ids"].shape[1]
        longest = max(1, min(asked.limit, self._context - read))
        torch.manual_seed(asked.seed)
        inputs = inputs.to(model.device, model.dtype)
        (row,) = _generated(self._weights, inputs, longest, asked.temperature, self._ends)
        return _completion(self._weights.tokenizer, row, self._ends, asked.limit, read)


def _padded(weights: ModelWeights, texts: list[str]) -> Any:
    weights.tokenizer.padding_side = "left"
    inputs = weights.tokenizer(texts, return_tensors="pt", padding=True, add_special_tokens=False)
    return inputs.to(weights.model.device)


def _generated(weights: ModelWeights, inputs: Any, longest: int, warmth: float, ends: set[int]) -> list[list[int]]:
    import torch

    tokenizer, model = weights.tokenizer, weights.model
    sampling = {"do_sample": True, "temperature": warmth, "top_p": 1.0, "top_k": 0} if warmth else {"do_sample": False}
    if not warmth:
        model.generation_config.update(temperature=None, top_p=None, top_k=None)
    with torch.inference_mode():
        made = model.generate(
            **inputs,
            max_new_tokens=longest,
            pad_token_id=tokenizer.pad_token_id,
            eos_token_id=sorted(ends),
            **sampling,
        )
    rows: list[list[int]] = made[:, inputs["input_ids"].shape[1] :].tolist()
    return rows


def _ids(given: Any) -> list[int]:
    if given is None:
        return []
    return [given] if isinstance(given, int) else list(given)


def _completion(tokenizer: Any, tokens: list[int], ends: set[int], limit: int, read: int) -> Completion:
    stop = next((place for place, token in enumerate(tokens) if token in ends), None)
    said = tokens[: limit if stop is None else min(stop, limit)]
    whole = stop is not None and stop <= limit
    text = tokenizer.decode(said, skip_special_tokens=True).strip()
    usage = Usage(input_tokens=read, output_tokens=len(said))
    return Completion(text=text, usage=usage, finish="stop" if whole else "length")


def answer_chats(
    weights: ModelWeights,
    chats: Sequence[list[dict[str, Any]]],
    limit: int,
    temperature: float = 0.0,
    seed: int = 0,
    pictures: Sequence[Sequence[Any]] = (),
) -> list[Completion]:
    """Replies to many chats, in batches of similar length, for measuring. `pictures` of each chat, if any, are shown to
    a vision-language model.
    """
    shown = pictures or [()] * len(chats)
    order = sorted(range(len(chats)), key=lambda number: sum(len(turn["content"]) for turn in chats[number]))
    made: dict[int, Completion] = {}
    slots = min(4 * SLOTS, len(chats))
    writer = Writer(weights, slots, CONTEXT)
    for start in range(0, len(order), slots):
        part = order[start : start + slots]
        prompts = [Prompted(chats[number], limit, temperature, seed + start, pictures=shown[number]) for number in part]
        made.update(zip(part, writer.write(prompts), strict=True))
    return [made[number] for number in range(len(chats))]
