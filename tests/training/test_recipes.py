from __future__ import annotations

from pathlib import Path
from typing import Any

import orjson
import pytest

from polyclinic.errors import ConfigError, DataError
from polyclinic.training.examples import as_seen, as_text, contexts, data_file, pair_examples, sft_examples, tokenized
from polyclinic.training.folder import CONFIG, Folder
from polyclinic.training.model_card import write_card
from polyclinic.training.progress import read_progress
from polyclinic.training.recipe import DpoRecipe, GrpoRecipe, SftRecipe, load_recipe
from polyclinic.training.record import TrainingConfig


def test_the_default_file_has_the_papers_numbers() -> None:
    sft = load_recipe("sft", SftRecipe, "paper")
    assert (sft.lora_rank, sft.epochs, sft.learning_rate, sft.warmup, sft.max_length) == (8, 3, 1e-4, 0.1, 8000)
    assert sft.batch * sft.accumulate * 2 == 16 and sft.schedule == "cosine"
    grpo = load_recipe("grpo", GrpoRecipe, "paper")
    assert (grpo.learning_rate, grpo.weight_decay, grpo.beta, grpo.max_steps) == (1e-6, 1e-2, 1e-2, 150)
    assert (grpo.max_prompt, grpo.max_completion, grpo.batch * grpo.accumulate * 4) == (4096, 2048, 64)


def test_a_setting_can_be_overridden_and_the_error_names_a_wrong_setting() -> None:
    assert load_recipe("dpo", DpoRecipe, "small", ["beta=0.3"]).beta == 0.3
    assert load_recipe("sft", SftRecipe, "small", ["kinds=multi"]).kinds == ("multi",)
    with pytest.raises(ConfigError, match="learning_rat"):
        load_recipe("sft", SftRecipe, "small", ["learning_rat=1"])
    with pytest.raises(DataError, match="recipe small: sft: batch: please write a number"):
        load_recipe("sft", SftRecipe, "small", ["batch=0"])
    with pytest.raises(DataError, match=r"smal: there is no such recipe file; .*did you mean.*small"):
        load_recipe("sft", SftRecipe, "smal")


def test_a_users_own_recipe_is_read_from_a_file(tmp_path: Path) -> None:
    own = tmp_path / "own.toml"
    own.write_text("[sft]\nlearning_rate = 0.5\n")
    assert load_recipe("sft", SftRecipe, str(own)).learning_rate == 0.5
    with pytest.raises(DataError, match=r"own\.toml: there is no table \[grpo\]"):
        load_recipe("grpo", GrpoRecipe, str(own))
    own.write_text("[sft]\nlearning_rate = 0.5\nbatch = 0\n")
    with pytest.raises(DataError, match=r"own\.toml: sft: batch: please write"):
        load_recipe("sft", SftRecipe, str(own))
    own.write_text("[sft]\nbatch = \n")
    with pytest.raises(DataError, match=r"own\.toml:2: this is not TOML \(Invalid value"):
        load_recipe("sft", SftRecipe, str(own))


class Letters:
    """A tokenizer with one token for each letter."""

    chat_template = "letters"

    def apply_chat_template(self, turns: list[dict[str, str]], tokenize: bool, add_generation_prompt: bool) -> str:
        assert not tokenize
        said = "".join(f"{turn['role'][0]}:{turn['content']};" for turn in turns)
        return said + ("a:" if add_generation_prompt else "")

    def __call__(self, text: str | list[str], add_special_tokens: bool) -> dict[str, Any]:
        assert not add_special_tokens
        ids = [[ord(letter) for letter in one] for one in ([text] if isinstance(text, str) else text)]
        return {"input_ids": ids[0] if isinstance(text, str) else ids}


def _turn(role: str, text: str, *captions: str) -> dict[str, Any]:
    shown = [{"type": "image", "text": caption} for caption in captions]
    return {"role": role, "content": [*shown, {"type": "text", "text": text}]}


def test_only_what_the_assistant_says_is_learned() -> None:
    turns = as_text([_turn("user", "hi"), _turn("assistant", "yes"), _turn("user", "so"), _turn("assistant", "no")])
    [(ids, labels)] = tokenized(Letters(), [turns])
    assert "".join(map(chr, ids)) == "u:hi;a:yes;u:so;a:no;"
    assert "".join(chr(label) if label >= 0 else "." for label in labels) == ".......yes;.......no;"


def test_a_template_that_rewrites_earlier_turns_is_refused() -> None:
    class Forgetful(Letters):
        def apply_chat_template(self, turns: list[dict[str, str]], tokenize: bool, add_generation_prompt: bool) -> str:
            return super().apply_chat_template(turns[-2:], tokenize, add_generation_prompt)

    turns = as_text([_turn("user", "hi"), _turn("assistant", "yes"), _turn("user", "so"), _turn("assistant", "no")])
    with pytest.raises(ConfigError, match="chat template"):
        tokenized(Forgetful(), [turns])


def test_pictures_are_described_in_words_for_models_without_vision() -> None:
    shown = [_turn("user", "Look.", "an ECG")]
    assert "an ECG" in as_text(shown)[0]["content"] and as_text(shown)[0]["content"].startswith("Look.")
    assert as_seen(shown)[0]["content"] == [{"type": "image"}, {"type": "text", "text": "Look."}]


def _rows(path: Path) -> Path:
    def row(name: str, reward: float | None, kind: str = "single", context: str = "{}") -> dict[str, Any]:
        said = {"prompt": [_turn("user", name)], "completion": [_turn("assistant", "answer")]}
        return {"kind": kind, "reward": reward, "context": context, "images": [], **said}

    rows = [row("a", 14), row("a", 9), row("b", -15), row("c", None), row("d", 12, "multi"), row("e" * 50, 12)]
    path.write_bytes(b"".join(orjson.dumps(one) + b"\n" for one in rows))
    return path


def test_rows_that_are_poor_or_too_long_are_left_out_and_counted(tmp_path: Path) -> None:
    path = _rows(tmp_path / "train.jsonl")
    assert data_file(tmp_path, "train.jsonl") == path
    found = sft_examples(path, Letters(), 8.0, ("single",), 40)
    assert len(found.rows) == 2 and found.digest
    assert found.left_out == {"reward too low": 2, "another kind": 1, "too long": 1}
    with pytest.raises(DataError, match=r"\.jsonl: no row is left"):
        sft_examples(path, Letters(), 15.0, ("single",), 40)


def test_rows_with_the_same_prompt_give_one_context(tmp_path: Path) -> None:
    found = contexts(_rows(tmp_path / "train.jsonl"), Letters(), 40)
    assert [row["prompt"][0]["content"] for row in found.rows] == ["a", "b", "c"]
    assert len(contexts(tmp_path / "train.jsonl", Letters(), 40, most=1).rows) == 1


def test_pairs_become_chats_of_role_and_content(tmp_path: Path) -> None:
    pair = {
        "prompt": [_turn("user", "q")],
        "chosen": [_turn("assistant", "good")],
        "rejected": [_turn("assistant", "bad")],
    }
    (tmp_path / "pairs.jsonl").write_bytes(orjson.dumps(pair))
    found = pair_examples(tmp_path / "pairs.jsonl", Letters(), 100)
    assert found.rows == [
        {
            "prompt": [{"role": "user", "content": "q"}],
            "chosen": [{"role": "assistant", "content": "good"}],
            "rejected": [{"role": "assistant", "content": "bad"}],
        }
    ]


def test_the_error_for_a_missing_dataset_says_how_to_make_one(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="there is no such file of rows; make one with: polyclinic dataset"):
        data_file(tmp_path, "train.jsonl")


def _config(seed: int) -> TrainingConfig:
    return TrainingConfig(
        stage="sft", model="m", data="d", data_digest="x", rows=1, clinic="rounds", judge="", recipe={"seed": seed},
        versions={},
    )  # fmt: skip


def test_a_run_continues_from_its_newest_complete_checkpoint_and_another_run_is_refused(tmp_path: Path) -> None:
    folder = Folder(tmp_path / "run")
    assert folder.open(_config(seed=1)) == ""
    for step, whole in ((5, True), (10, True), (15, False)):
        made = folder.checkpoints / f"checkpoint-{step}"
        made.mkdir(parents=True)
        (made / "trainer_state.json").write_text("{}" if whole else '{"half')
    assert folder.open(_config(seed=1)).endswith("checkpoint-10")
    assert not (folder.checkpoints / "checkpoint-15").exists(), "an incomplete checkpoint is removed"
    with pytest.raises(ConfigError, match="another run \\(different recipe\\)"):
        folder.open(_config(seed=2))


def test_the_model_card_says_what_it_was_trained_on_and_how_it_scored(tmp_path: Path) -> None:
    run = tmp_path / "grpo"
    (run / "model").mkdir(parents=True)
    config = {
        "stage": "grpo", "model": "some-base", "data": "clinteach", "data_digest": "abc", "rows": 9, "clinic": "rounds",
        "judge": "", "recipe": {"beta": 0.01}, "versions": {"trl": "1"},
    }  # fmt: skip
    (run / CONFIG).write_bytes(orjson.dumps(config))
    with pytest.raises(DataError, match=r"result\.json: there is no such file; is .* the folder of a finished"):
        write_card(run)
    (run / "result.json").write_bytes(orjson.dumps({"steps": 3, "seconds": 1.5, "weights": "ff"}))
    (run / "progress.jsonl").write_bytes(b'{"step": 1, "reward": -15.0}\n{"step": 2, "reward": 3.0}\n')
    path, facts = write_card(run)
    text = path.read_text()
    assert facts.lineage == ("some-base", "grpo") and "9 rows of `clinteach`" in text
    assert "| reward | -15 | 3 |" in text and "Not for clinical use" in text and "## Limits" in text
    assert "Not evaluated yet" in text
    measured = {"moments": {"veto rate": {"mean": 0.02, "low": 0.0, "high": 0.05, "n": 256}}}
    (run / "evaluation.json").write_bytes(orjson.dumps(measured))
    assert "| veto rate | moments | 0.02 | 0.00 to 0.05 | 256 |" in write_card(run)[0].read_text()
    assert len(read_progress(run / "progress.jsonl")) == 2
