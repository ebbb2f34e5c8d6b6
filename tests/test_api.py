from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import polyclinic

PUBLIC = [
    "Clinic",
    "Entry",
    "Library",
    "PolyclinicError",
    "Prompt",
    "RunConfig",
    "RunResults",
    "Scenario",
    "Transcript",
    "Understudy",
    "UserError",
    "Variant",
    "clinics",
    "compare",
    "load_clinic",
    "load_results",
    "open_store",
    "render_html",
    "run",
    "summarise",
]


def test_the_public_names_are_exactly_these_and_each_can_be_imported() -> None:
    assert polyclinic.__all__ == ["__version__", *PUBLIC]
    for name in polyclinic.__all__:
        assert getattr(polyclinic, name) is not None
    with pytest.raises(AttributeError, match="has no attribute 'nonsense'"):
        polyclinic.__getattr__("nonsense")


def test_a_notebook_can_run_and_report(tmp_path: Path) -> None:
    results = polyclinic.run("demo", store=str(tmp_path / "s.db"), scenarios="3", variants=["tool"])
    assert len(results.episodes) == 3
    assert polyclinic.load_results(store=str(tmp_path / "s.db")).run == results.run
    page = polyclinic.render_html(results, str(tmp_path / "r.html"))
    assert "Medicine helpline" in page.read_text()


async def test_the_api_works_inside_a_running_event_loop_too() -> None:
    assert len(polyclinic.run("demo", store="sqlite://:memory:", scenarios="2").episodes) == 2


DESK = "import polyclinic.clinics.frontdesk"
HELP = "import sys; from polyclinic.cli.main import invoke; invoke(['--help'])"


@pytest.mark.parametrize(("code", "seconds"), [("import polyclinic", 0.5), (HELP, 0.7)])
def test_starting_takes_little_cpu_time(code: str, seconds: float) -> None:
    timed = f"{code}\nimport time; print(time.process_time(), file=__import__('sys').stderr)"
    best = min(
        float(
            subprocess.run([sys.executable, "-c", timed], capture_output=True, text=True, check=True).stderr.split()[-1]
        )
        for _ in range(3)
    )
    assert best <= seconds


def test_importing_a_clinic_does_not_load_heavy_packages() -> None:
    heavy = "numpy", "yaml", "wordllama", "faiss", "aiohttp"
    code = f"{DESK}; import sys; print([name for name in {heavy} if name in sys.modules])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"
