from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import orjson
import pytest
from click.testing import CliRunner

from polyclinic.clinics.rounds.dataset import dataset
from polyclinic.clinics.rounds.dataset.rows import TeachingRow
from polyclinic.clinics.rounds.rewards import PENALTY, structure
from polyclinic.clinics.rounds.scenario.shipped import data_folder, shipped_cases
from polyclinic.core.seed import stream
from polyclinic.errors import ConfigError, DataError
from polyclinic.runner.registry import load_clinic
from polyclinic.store.store import Store, open_store
from polyclinic.training.dataset import DatasetRequest, build, gather
from polyclinic.training.examples import data_file
from polyclinic.training.files import MARGIN
from polyclinic.training.filters import Contamination, RowFilter, ngrams, split_faults
from polyclinic.training.grading import open_grader
from tests.clinics.rounds.cases import case_named


@pytest.fixture
async def store() -> AsyncIterator[Store]:
    async with open_store("sqlite://:memory:") as opened:
        yield opened


def _wish(out: Path, **changes: object) -> DatasetRequest:
    values = {"rows": 30, "seed": 4, "variants": ("full", "one-student"), "scenarios": "all", **changes}
    return DatasetRequest(out=out, clinic="rounds", **values)  # type: ignore[arg-type]


@pytest.fixture
async def rows(store: Store, tmp_path: Path) -> list[TeachingRow]:
    found = (await gather(store, _wish(tmp_path))).rows
    return [row for row in found if isinstance(row, TeachingRow)]


async def test_rows_are_chat_turns_whose_target_has_the_form_that_the_reward_requires(rows: list[TeachingRow]) -> None:
    assert {row.kind for row in rows} == {"single", "multi"}
    for row in rows:
        roles = [turn["role"] for turn in row.messages]
        assert roles[0] == "system" and roles[1:] == ["user", "assistant"] * (len(roles) // 2)
        assert row.completion[0]["role"] == "assistant" and row.prompt + row.completion == row.messages
        form, _ = structure(row.answer, row.students, row.with_images)
        assert row.kind == "multi" or row.scores["is_1"] == form
        pictures = [part for turn in row.messages for part in turn["content"] if part["type"] == "image"]
        assert len(pictures) == len(row.images) and bool(row.images) == row.with_images


async def test_the_prompt_of_a_row_is_the_prompt_that_the_model_got(store: Store, tmp_path: Path) -> None:
    found = await gather(store, _wish(tmp_path, rows=12, variants=("full",)))
    calls = await store.database.read(lambda tx: tx.execute("SELECT request FROM calls WHERE role = 'tutor'", ()))
    asked = {message["content"] for (text,) in calls for message in orjson.loads(text)["messages"]}
    singles = [row for row in found.rows if row.kind == "single"]
    assert singles
    for row in singles:
        for turn in row.messages[:2]:
            assert turn["content"][-1]["text"] in asked


async def test_no_case_is_in_both_training_and_test_rows(rows: list[TeachingRow]) -> None:
    assert {row.split for row in rows} == {"train", "test"}
    assert split_faults(rows) == []
    assert split_faults(
        [*rows, rows[0].__class__(**{**rows[0].__dict__, "split": "test" if rows[0].split == "train" else "train"})]
    )


@pytest.mark.slow
async def test_hugging_face_datasets_reads_the_files_with_pictures(store: Store, tmp_path: Path) -> None:
    datasets = pytest.importorskip("datasets")
    card = await build(store, _wish(tmp_path / "out", scenarios="images"))
    files = {split: str(tmp_path / "out" / f"{split}.parquet") for split in card.rows}
    loaded = datasets.load_dataset("parquet", data_files=files, cache_dir=str(tmp_path / "cache"))
    assert sum(len(part) for part in loaded.values()) == card.total
    row = loaded["train"][0]
    assert row["images"][0].size[0] > 300
    assert [turn["role"] for turn in row["prompt"]][:2] == ["system", "user"]
    lines = datasets.load_dataset(
        "json", data_files=str(tmp_path / "out" / "train.jsonl"), cache_dir=str(tmp_path / "cache")
    )["train"]
    assert lines[0]["prompt"][1]["content"][-1]["text"] == row["prompt"][1]["content"][-1]["text"]
    named = tmp_path / "out" / lines[0]["images"][0]
    assert named.read_bytes() == data_folder().joinpath("images", named.name).read_bytes()


@pytest.mark.slow
async def test_the_same_request_gives_the_same_bytes(tmp_path: Path) -> None:
    for name in ("one", "two"):
        async with open_store("sqlite://:memory:") as opened:
            await build(opened, _wish(tmp_path / name, rows=15, concurrency=1 if name == "one" else 16))
    for file in ("train.jsonl", "train.parquet", "README.md", "card.json"):
        assert (tmp_path / "one" / file).read_bytes() == (tmp_path / "two" / file).read_bytes(), file


def test_more_of_our_cases_can_be_held_out_and_those_marked_test_always_are() -> None:
    data, cases = load_clinic("rounds").dataset, shipped_cases()
    assert data is not None
    held = {share: {case.id for case in cases if data.split(case, share) == "test"} for share in (0.1, 0.45, 1.0)}
    assert held[0.1] == {case.id for case in cases if case.split == "test"}
    assert held[0.1] < held[0.45] < held[1.0] and len(held[1.0]) == len(cases)
    assert 0.3 < len(held[0.45]) / len(cases) < 0.6


async def test_the_card_describes_the_contents(store: Store, tmp_path: Path) -> None:
    card = await build(store, _wish(tmp_path, rows=20))
    text = (tmp_path / "README.md").read_text()
    assert card.total == 20 and card.cases_on_both_sides == ()
    assert card.test_questions_checked == sum(case.split == "test" for case in shipped_cases())
    for heading in ("## Counts", "## Sources", "## Casts", "## Filters", "## Contamination"):
        assert heading in text
    assert "understudy" in text
    assert not card.with_images and "\ntask_categories: [text-generation]\n" in text
    assert "\ntask_categories: [image-text-to-text]\n" in card.model_copy(update={"with_images": 3}).text()


FALSE = "tutor=understudy:mistake=false_fact@1,all=understudy"


async def test_the_reward_of_a_row_belongs_to_its_own_target(store: Store, tmp_path: Path) -> None:
    """A refused draft and the one that replaced it are two rows, each with the reward of its own text."""
    found = await gather(store, _wish(tmp_path, rows=24, variants=("full",), casts=(FALSE,)))
    rows = [row for row in found.rows if isinstance(row, TeachingRow) and row.kind == "single"]
    later = [row for row in rows if row.draft > 1]
    assert later, "a planted mistake still yields rows"
    async with open_grader(load_clinic("rounds")) as grader:
        for row in rows:
            again = await grader.grade(row.context, row.answer)
            assert again is not None and (again.value, again.vetoed) == (row.reward, row.vetoed)
    first = {_moment(row): row for row in rows if row.draft == 1}
    replaced = [(first[_moment(row)], row) for row in later]
    assert all(old.answer != new.answer and old.prompt == new.prompt for old, new in replaced)
    assert any(old.reward != new.reward for old, new in replaced)


def _moment(row: TeachingRow) -> str:
    return row.id.split("-draft")[0]


@pytest.mark.slow
async def test_the_export_keeps_a_spread_of_rewards_and_pairs(store: Store, tmp_path: Path) -> None:
    card = await build(store, _wish(tmp_path, rows=60, variants=("full",)))
    lines = [orjson.loads(line) for line in (tmp_path / "train.jsonl").read_bytes().splitlines()]
    rewards = [line["reward"] for line in lines]
    assert min(rewards) == PENALTY and max(rewards) >= 12 and len(set(rewards)) >= 4
    assert len({line["tutor"] for line in lines}) == len(dataset.casts)
    pairs = [orjson.loads(line) for line in (tmp_path / "pairs-train.jsonl").read_bytes().splitlines()]
    assert card.pairs["train"] == len(pairs) > 0
    for pair in pairs:
        assert pair["chosen_reward"] - pair["rejected_reward"] >= MARGIN and pair["chosen"] != pair["rejected"]


async def test_a_row_contains_what_its_reward_needs(rows: list[TeachingRow]) -> None:
    for row in rows:
        context = orjson.loads(row.context)
        assert tuple(context["names"]) == row.students and bool(context["captions"]) == row.with_images
        assert context["steps"] and context["answer"] and set(context["said"]) == set(row.students)


@pytest.mark.slow
async def test_a_conversation_contains_the_reports_of_all_earlier_rounds(store: Store, tmp_path: Path) -> None:
    found = await gather(store, _wish(tmp_path, rows=40, variants=("full",), casts=("all=understudy",)))
    whole = [row for row in found.rows if row.kind == "multi"]
    assert whole
    for row in whole:
        asked = "\n".join(turn["content"][-1]["text"] for turn in row.messages if turn["role"] == "user")
        for single in found.rows:
            if single.kind == "single" and single.episode == row.episode:
                assert all(text[:60] in asked for text in orjson.loads(single.context)["said"].values())


def _row(text: str, split: str = "train", reward_value: float | None = 14.0) -> TeachingRow:
    messages = ({"role": "user", "content": [{"type": "text", "text": text}]},)
    return TeachingRow(
        id="r",
        kind="single",
        case="c",
        source="s",
        specialty="x",
        split=split,
        episode="e",
        variant="full",
        tutor="u",
        rounds=1,
        students=("Ann",),
        with_images=False,
        messages=messages,
        reward=reward_value,
    )


def test_training_rows_that_contain_a_test_question_are_dropped() -> None:
    taken = case_named("card-07")
    assert taken.split == "test"
    sieve = RowFilter(8.0, Contamination([(taken.id, taken.public_text())]))
    clean, dirty = (
        _row("Nothing of the kind stands here at all, only other words, many of them, in a row."),
        _row(f"x {taken.vignette} y"),
    )
    assert list(sieve.keep([clean, dirty, clean])) == [clean]
    assert sieve.touched == {"card-07": 1}
    assert sieve.dropped == {"contains words of a test question": 1, "a copy of another row": 1}
    assert list(sieve.keep([_row(taken.vignette, split="test")]))


def test_test_rows_that_contain_a_training_question_are_dropped_even_if_it_comes_later() -> None:
    given = next(case for case in shipped_cases() if case.split == "train")
    sieve = RowFilter(8.0, Contamination())
    kept = list(sieve.keep([_row(given.vignette, split="test")]))
    assert kept, "nothing is known of the training case yet"
    sieve.training.add(given.id, given.public_text())
    assert sieve.again(kept) == [] and sieve.dropped == {"contains words of a training question": 1}


def test_low_and_unjudged_rows_are_dropped_by_reason() -> None:
    sieve = RowFilter(8.0, Contamination())
    rows = [
        _row("a", reward_value=7.0),
        _row("b", reward_value=-15.0),
        _row("c", reward_value=None),
        _row("d", reward_value=8.0),
    ]
    assert [row.text() for row in sieve.keep(rows)] == ["d"]
    assert sieve.dropped == {"reward too low": 2, "the judge gave no reward": 1}


def test_ngrams_are_all_sequences_of_that_many_words() -> None:
    assert list(ngrams("a b c d", 3)) == ["a b c", "b c d"]
    words = [str(stream("w", n).random()) for n in range(5)]
    assert list(ngrams(" ".join(words[:2]), 30)) == []


async def test_cases_of_other_collections_are_split_by_id_and_include_their_pictures(
    store: Store, tmp_path: Path
) -> None:
    (tmp_path / "images").mkdir()
    picture = data_folder().joinpath("images", "card-01-ecg.png").read_bytes()
    (tmp_path / "images" / "own.png").write_bytes(picture)
    lines = [
        {
            "id": f"MM-{n}",
            "question": f"A {40 + n}-year-old woman has complaint number {n}. She feels unwell today. What is "
            f"the likely cause?",
            "options": {"A": f"Cause {n} of the first kind", "B": "Another"},
            "label": "A",
            "images": ["own.png"],
        }
        for n in range(6)
    ]
    path = tmp_path / "mm.jsonl"
    path.write_bytes(b"\n".join(map(orjson.dumps, lines)))
    wish = _wish(tmp_path / "out", rows=60, variants=("one-student",), scenarios=str(path), test_share=0.5, least=-20.0)
    card = await build(store, wish)
    assert (await build(store, replace(wish, out=tmp_path / "again"))).rows == card.rows, "other runs, the same rows"
    assert set(card.rows) == {"train", "test"} and card.cases_on_both_sides == ()
    assert card.counts["sources"] == {"MedXpertQA": card.total}
    assert (tmp_path / "out" / "images" / "own.png").read_bytes() == picture
    assert str(tmp_path) not in (tmp_path / "out" / "README.md").read_text()


async def test_runs_of_other_clinics_are_refused(store: Store, tmp_path: Path) -> None:
    from polyclinic.runner.api import run
    from polyclinic.runner.plan.config import make_config

    outcome = await run(store, make_config({"clinic": "demo", "scenarios": "1"}))
    with pytest.raises(ConfigError, match="demo"):
        await gather(store, _wish(tmp_path, runs=(outcome.run,)))


def test_the_command_writes_a_dataset(tmp_path: Path) -> None:
    from polyclinic.cli.dataset import command

    out = tmp_path / "made"
    arguments = [
        "rounds",
        "--out",
        str(out),
        "--rows",
        "8",
        "--variant",
        "full",
        "--store",
        f"sqlite:///{tmp_path}/x.db",
    ]
    result = CliRunner().invoke(command, arguments, standalone_mode=False)
    assert result.exception is None, result.output
    assert "8 rows in" in result.output
    assert (out / "train.jsonl").read_text().count("\n") >= 1


def test_a_side_of_the_split_without_rows_is_told_with_a_way_to_get_it(tmp_path: Path) -> None:
    from polyclinic.cli.dataset import command

    def made(folder: str, scenarios: str) -> tuple[str, set[str]]:
        out = tmp_path / folder
        arguments = ["rounds", "--rows", "2", "--scenarios", scenarios, "--variant", "one-student", "--out", str(out)]
        result = CliRunner().invoke(
            command, [*arguments, "--store", str(tmp_path / "s.db"), "--cast", "all=understudy"], standalone_mode=False
        )
        assert result.exception is None, result.output
        return result.stderr, {path.name for path in out.glob("t*.jsonl")}

    told, files = made("small", "all:1")
    assert files == {"train.jsonl"}
    assert "There is no test.jsonl: the rows come from 1 case, " in told and "with --scenarios" in told
    told, files = made("tests", "test:1")
    assert files == {"test.jsonl"} and "There is no train.jsonl" in told and "smaller --test-share" in told
    with pytest.raises(DataError, match="--rows N, with more rows than now"):
        data_file(tmp_path / "small", "test.jsonl")


async def test_after_a_batch_of_repeats_only_a_few_episodes_are_run_to_see_whether_more_rows_come(
    store: Store, tmp_path: Path
) -> None:
    with pytest.raises(ConfigError, match="added no new row to the 24"):
        await gather(store, DatasetRequest(out=tmp_path / "out", clinic="demo", rows=1000))
    runs = [len(await store.runs.episodes(row.id, row.config["seed"], row.clinic)) for row in await store.runs.all()]
    assert sorted(runs) == [40, 400]
