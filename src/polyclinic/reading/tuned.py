"""A language model that was fine-tuned as a reader: `--cast reader=local:FOLDER`.

`polyclinic train reader --base MODEL --out FOLDER` makes it: a model in the form of `transformers`, and `reader.json`.
The model is asked one question about one text and answers with one word; the probability of yes comes from its scores,
so that nothing has to be parsed. Waiting questions are answered together.
"""

from __future__ import annotations

import asyncio
import importlib
import importlib.util
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import orjson

from polyclinic.core.extras import install_hint
from polyclinic.core.files import bad_file
from polyclinic.core.model import Completion, ModelKind, Request, estimate_usage
from polyclinic.core.read_text import ReadsText
from polyclinic.core.reading import READER_CARD, Question, Says
from polyclinic.errors import ConfigError, ReaderError
from polyclinic.reading.vectors import nearness
from polyclinic.text.sentences import clauses

ASKED = (
    "You read one text and answer one question about what it means. Judge the meaning, not the wording. "
    "Answer yes or no."
)
UNCLEAR = 0.05
_CONTEXT = 1_300
_TOKENS_AT_ONCE = 16_384
_MOST_AT_ONCE = 256


def need_torch() -> None:
    """Raise an error that says how to install what a fine-tuned reader needs, if it is missing."""
    if importlib.util.find_spec("torch") is None or importlib.util.find_spec("transformers") is None:
        raise ConfigError(f"a fine-tuned reader needs torch and transformers: {install_hint('train')}")


def question_text(text: str, question: Question) -> str:
    """The text that the model gets after the instruction."""
    context = f"Context: {question.context[:_CONTEXT]}\n" if question.context else ""
    return f'{context}Text: "{text}"\nQuestion: {question.words}'


class AnswerScores:
    """A model and its tokenizer: for each text and question, how likely the answer is yes."""

    def __init__(self, folder: str, device: str = "") -> None:
        need_torch()
        torch, hub = importlib.import_module("torch"), importlib.import_module("transformers")
        self.device = device or ("cuda" if torch.cuda.is_available() else "cpu")
        dtype = torch.bfloat16 if self.device == "cuda" else torch.float32
        self.tokenizer: Any = hub.AutoTokenizer.from_pretrained(folder)
        self.model: Any = hub.AutoModelForCausalLM.from_pretrained(folder, dtype=dtype).to(self.device)
        self._torch = torch
        self.yes, self.no = (self.tokenizer.encode(word, add_special_tokens=False)[0] for word in ("yes", "no"))

    def ids(self, text: str, question: Question) -> list[int]:
        """One text and question as tokens."""
        asked = question_text(text, question)
        if self.tokenizer.chat_template:
            said = [{"role": "system", "content": ASKED}, {"role": "user", "content": asked}]
            written = self.tokenizer.apply_chat_template(said, tokenize=False, add_generation_prompt=True)
        else:
            written = f"{ASKED}\n{asked}\nAnswer: "
        found: list[int] = self.tokenizer.encode(written, add_special_tokens=False)
        return found

    def scores(self, rows: Sequence[Sequence[int]]) -> Any:
        """The scores of no and yes for each row. Rows are padded on the right, so no row is masked completely."""
        torch = self._torch
        longest = max(map(len, rows))
        ids = torch.zeros(len(rows), longest, dtype=torch.long)
        mask = torch.zeros(len(rows), longest, dtype=torch.long)
        for place, row in enumerate(rows):
            ids[place, : len(row)], mask[place, : len(row)] = torch.tensor(row), 1
        last = torch.tensor([len(row) - 1 for row in rows], device=self.device)
        ids, mask = ids.to(self.device), mask.to(self.device)
        hidden = self.model.base_model(input_ids=ids, attention_mask=mask, use_cache=False).last_hidden_state
        head = self.model.get_output_embeddings().weight[[self.no, self.yes]]
        return hidden[torch.arange(len(rows), device=self.device), last].float() @ head.float().T

    def chances(self, asked: Sequence[tuple[str, Question]]) -> list[float]:
        """How likely each answer is yes."""
        torch = self._torch
        rows = [self.ids(text, question) for text, question in asked]
        found = [0.0] * len(rows)
        self.model.eval()
        with torch.inference_mode():
            for batch in batches([len(row) for row in rows]):
                chance = torch.softmax(self.scores([rows[place] for place in batch]), -1)[:, 1].tolist()
                for place, value in zip(batch, chance, strict=True):
                    found[place] = value
        return found


def batches(lengths: Sequence[int], tokens: int = _TOKENS_AT_ONCE, most: int = _MOST_AT_ONCE) -> list[list[int]]:
    """Batches of rows of similar length, as many as fit."""
    found: list[list[int]] = []
    for place in sorted(range(len(lengths)), key=lengths.__getitem__):
        fits = found and len(found[-1]) < most and lengths[place] * (len(found[-1]) + 1) <= tokens
        if fits:
            found[-1].append(place)
        else:
            found.append([place])
    return found


class TunedReader:
    """Answers `ReadsText` with a fine-tuned model; loaded at its first question."""

    kind: ModelKind = "reader"

    def __init__(self, path: str) -> None:
        need_torch()
        card = Path(path) / READER_CARD
        if not card.is_file():
            fix = "make one with 'polyclinic train reader --base MODEL --out FOLDER'"
            raise bad_file(path, f"this folder holds no reader: {READER_CARD} is missing", fix=fix)
        self._path = path
        self._model: AnswerScores | None = None
        self._waiting: list[tuple[str, Question, asyncio.Future[float]]] = []
        self._busy = False
        self._known: dict[tuple[str, Question], float] = {}

    @property
    def name(self) -> str:
        """The name as in the cast."""
        return f"local:{self._path}"

    async def answer(self, request: Request) -> Completion:
        """The findings as the JSON that a language model would have sent."""
        prompt = request.prompt
        if not isinstance(prompt, ReadsText):
            raise ReaderError(f"a fine-tuned reader cannot answer {type(prompt).__name__}; it only answers ReadsText")
        reply: dict[str, str] = {}
        chances = await asyncio.gather(*(self._chance(prompt.text, question) for question in prompt.questions))
        for number, (question, chance) in enumerate(zip(prompt.questions, chances, strict=True), start=1):
            reply[f"q{number}"], reply[f"q{number}_words"] = _finding(prompt.text, question, chance)
        text = orjson.dumps(reply).decode()
        return Completion(text=text, usage=estimate_usage(request, text))

    def read(self, text: str, question: Question) -> tuple[Says, str]:
        """One finding."""
        return _finding(text, question, self.probability(text, question))

    def probability(self, text: str, question: Question) -> float:
        """How likely the answer is yes."""
        return self._read([(text, question)])[0]

    def likeness(self, text: str, other: str) -> float:
        """How near two texts are in meaning: by token vectors, as in the built-in reader."""
        return nearness(text, other).cosine

    async def _chance(self, text: str, question: Question) -> float:
        known = self._known.get((text, question))
        if known is not None:
            return known
        future: asyncio.Future[float] = asyncio.get_running_loop().create_future()
        self._waiting.append((text, question, future))
        if not self._busy:
            self._busy = True
            asyncio.get_running_loop().call_soon(asyncio.ensure_future, self._work())
        return await future

    async def _work(self) -> None:
        """Answer waiting questions in one thread beside the event loop, until none are left."""
        try:
            while self._waiting:
                taken, self._waiting = self._waiting, []
                try:
                    found = await asyncio.to_thread(self._read, [(text, question) for text, question, _ in taken])
                except Exception as error:
                    for _, _, future in taken:
                        if not future.done():
                            future.set_exception(ReaderError(f"the reader {self.name} failed: {error}"))
                    continue
                for (text, question, future), chance in zip(taken, found, strict=True):
                    self._known[text, question] = chance
                    if not future.done():
                        future.set_result(chance)
        finally:
            self._busy = False

    def _read(self, asked: Sequence[tuple[str, Question]]) -> list[float]:
        if self._model is None:
            self._model = AnswerScores(self._path)
        return self._model.chances(asked)


def says_of(chance: float) -> Says:
    """The answer, from how likely it is yes."""
    if abs(chance - 0.5) < UNCLEAR:
        return "unclear"
    return "yes" if chance > 0.5 else "no"


def _finding(text: str, question: Question, chance: float) -> tuple[Says, str]:
    """The finding. For a yes, also the sentence of the text that is nearest to the question."""
    says = says_of(chance)
    if says != "yes":
        return says, ""
    return says, max(clauses(text), key=lambda part: nearness(part, question.words).covered)
