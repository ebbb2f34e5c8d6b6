from __future__ import annotations

import importlib.util
import sys
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from polyclinic.core.model import Completion, Usage
from polyclinic.errors import ConfigError
from polyclinic.models import local_weights, weights, writer
from polyclinic.models.cast import build_cast
from polyclinic.models.failure import AttemptFailed
from polyclinic.models.guard import Deadline
from polyclinic.models.local_weights import WeightsCaller
from polyclinic.models.spec import parse_cast, parse_model
from polyclinic.models.weights import ModelWeights, base_of, seen_chat, weights_folder
from polyclinic.models.writer import Prompted, by_temperature
from polyclinic.runner.api import run
from polyclinic.runner.plan.config import make_config
from polyclinic.runner.results import load_results
from polyclinic.store.store import open_store

from .conftest import Ask


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "model").mkdir()
    (tmp_path / "model" / "config.json").write_text('{"model_type": "qwen2"}')
    return tmp_path


def test_the_folder_of_a_training_run_gives_its_model_and_an_adapter_gives_its_base(folder: Path) -> None:
    assert weights_folder(str(folder)) == folder / "model"
    adapter = folder / "adapter"
    adapter.mkdir()
    (adapter / "adapter_config.json").write_text(f'{{"base_model_name_or_path": "{folder}"}}')
    assert base_of(weights_folder(str(adapter))) == folder / "model"


def test_a_folder_without_weights_is_named(tmp_path: Path) -> None:
    cast = build_cast(parse_cast(f"tutor=local:{tmp_path}"), ["tutor"], {})
    with pytest.raises(ConfigError, match=r"no config\.json"):
        cast.check()


def test_a_missing_package_is_named_with_the_command_that_installs_it(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(ConfigError, match=r"needs torch, transformers.*pip install.*train"):
        build_cast(parse_cast(f"tutor=local:{folder}"), ["tutor"], {}).check()


def test_a_batch_has_one_temperature() -> None:
    asked = [Prompted([], 1, warmth, 0) for warmth in (0.0, 0.7, 0.0)]
    assert [len(group) for group in by_temperature(asked)] == [2, 1]


async def test_requests_of_many_episodes_are_answered_in_batches(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sizes: list[int] = []

    class Nurse:
        def __init__(self, opened: ModelWeights, slots: int, context: int) -> None:
            assert slots > 1

        def write(self, batch: Sequence[Prompted]) -> list[Completion]:
            sizes.append(len(batch))
            return [Completion(text="Take one tablet.", usage=Usage(input_tokens=3, output_tokens=4)) for _ in batch]

    monkeypatch.setattr(local_weights, "Writer", Nurse)
    monkeypatch.setattr(local_weights, "open_weights", lambda path: ModelWeights(None, None))
    monkeypatch.setattr(local_weights, "need", lambda packages, what: None)
    async with open_store("sqlite://:memory:") as store:
        config = make_config(
            {"clinic": "demo", "scenarios": "6", "cast": f"nurse=local:{folder},all=understudy", "concurrency": 6}
        )
        outcome = await run(store, config)
        results = await load_results(store, outcome.run)
    assert max(sizes) > 1, "several episodes share a batch"
    assert all("local:" in member.model for member in results.cast if member.role == "nurse")


@pytest.mark.parametrize("sees", [True, False])
async def test_only_a_model_that_sees_gets_pictures(folder: Path, monkeypatch: pytest.MonkeyPatch, sees: bool) -> None:
    if sees:
        (folder / "model" / "config.json").write_text('{"model_type": "llava", "vision_config": {}}')
    shown: list[str] = []

    class Tutor:
        def __init__(self, opened: ModelWeights, slots: int, context: int) -> None: ...

        def write(self, batch: Sequence[Prompted]) -> list[Completion]:
            parts = [part for asked in batch for turn in asked.messages for part in seen_chat([turn])[0][0]["content"]]
            shown.extend(part["type"] for part in parts)
            return [Completion(text="Look.", usage=Usage(input_tokens=3, output_tokens=4)) for _ in batch]

    monkeypatch.setattr(local_weights, "Writer", Tutor)
    monkeypatch.setattr(local_weights, "open_weights", lambda path: ModelWeights(None, None))
    monkeypatch.setattr(local_weights, "need", lambda packages, what: None)
    cast = f"tutor=local:{folder},all=understudy"
    async with open_store("sqlite://:memory:") as store:
        await run(store, make_config({"clinic": "rounds", "scenarios": "card-01", "cast": cast, "variants": ["full"]}))
    assert ("image" in shown) is sees and "text" in shown


async def test_weights_that_cannot_be_loaded_fail_the_call_and_not_the_process(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(path: str) -> ModelWeights:
        raise ConfigError("the file is cut off")

    monkeypatch.setattr(local_weights, "open_weights", broken)
    monkeypatch.setattr(weights, "need", lambda packages, what: None)
    async with open_store("sqlite://:memory:") as store:
        monkeypatch.setattr(local_weights, "need", lambda packages, what: None)
        outcome = await run(
            store, make_config({"clinic": "demo", "scenarios": "1", "cast": f"nurse=local:{folder},all=understudy"})
        )
        episode = (await load_results(store, outcome.run)).episodes[0]
    assert episode.status == "failed" and "cut off" in str(episode.failures)


class Thinker:
    """A tokenizer whose template has a setting for thinking, and whose model always says the same."""

    eos_token_id = 0

    def __init__(self, says: str) -> None:
        self.says, self.variables = says, list[dict[str, Any]]()

    def apply_chat_template(
        self, messages: list[Any], tokenize: bool, add_generation_prompt: bool, **given: Any
    ) -> str:
        self.variables.append(given)
        return "asked"

    def __call__(self, texts: list[str], add_special_tokens: bool) -> dict[str, list[list[int]]]:
        return {"input_ids": [[1] for _ in texts]}

    def decode(self, tokens: list[int], **_given: Any) -> str:
        return self.says


Thinking = Callable[[Thinker, str], Awaitable[Completion]]


@pytest.fixture
def thinking(folder: Path, monkeypatch: pytest.MonkeyPatch, ask: Ask) -> Thinking:
    """Ask a model that thinks, without computing anything."""
    model = SimpleNamespace(device=SimpleNamespace(type="cpu"), generation_config=SimpleNamespace(eos_token_id=0))
    monkeypatch.setitem(sys.modules, "torch", SimpleNamespace(manual_seed=lambda seed: None))

    async def answer(thinker: Thinker, options: str) -> Completion:
        whole = thinker.says.endswith(".")
        monkeypatch.setattr(local_weights, "open_weights", lambda path: ModelWeights(model, thinker))
        monkeypatch.setattr(writer, "_padded", lambda *given: None)
        monkeypatch.setattr(writer, "_generated", lambda *given: [[7, 0 if whole else 7]])
        caller = WeightsCaller(str(folder), parse_model(f"local:{folder}{options}").options, "local")
        try:
            return await caller.attempt(ask(), 0, Deadline(60, 60))
        finally:
            await caller.close()

    return answer


@pytest.mark.parametrize(
    ("options", "variables"),
    [("", {}), ("?effort=none", {"enable_thinking": False}), ("?effort=low", {"reasoning_effort": "low"})],
)
async def test_the_switch_for_thinking_reaches_the_models_own_template(
    thinking: Thinking, options: str, variables: dict[str, Any]
) -> None:
    thinker = Thinker("<think>he is scared</think>\n\nPlease sit down.")
    assert (await thinking(thinker, options)).text == "Please sit down."
    assert thinker.variables == [variables]


async def test_thinking_that_uses_up_the_limit_is_no_reply(thinking: Thinking) -> None:
    with pytest.raises(AttemptFailed, match="thinking_tokens"):
        await thinking(Thinker("<think>he is scared and"), "?max_tokens=2")
