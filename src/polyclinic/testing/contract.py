"""The contract of a clinic, as checks that each raise `AssertionError` with what is wrong and where.

Shape, prompts, an understudy for every prompt; every variant runs clean; every declared mistake is noticed; two runs
export the same bytes; a stopped run, resumed, equals an uninterrupted one; and against an endpoint that talks sense and
nonsense by turns, every failure has an owner.
"""

from __future__ import annotations

import ast
import tempfile
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from importlib.resources.abc import Traversable
from pathlib import Path

from polyclinic.core.clinic import Clinic, Mistake
from polyclinic.core.dataset import Row
from polyclinic.core.files import package_file
from polyclinic.core.live import CLOSED
from polyclinic.core.prompt import check_prompts
from polyclinic.core.transcript import Called, Violated
from polyclinic.eval.metrics import metric_estimate
from polyclinic.eval.results import RunResults
from polyclinic.runner.registry import clinic_modules, load_clinic
from polyclinic.testing.runs import export_bytes, interrupted_then_resumed, run_once
from polyclinic.training.files import column_kinds

ROOMS = ("flow", "agents", "judges", "understudies", "prompts", "variants", "rules", "scenario")
ENTRIES = (
    ("flow", "flow"),
    ("scenario", "scenarios"),
    ("judges", "judges"),
    ("prompts", "PROMPTS"),
    ("understudies", "UNDERSTUDIES"),
    ("understudies", "MISTAKES"),
    ("variants", "VARIANTS"),
    ("report", "report"),
    ("report", "feedback"),
    ("evaluations", "evaluations"),
    ("readings", "READINGS"),
    ("service", "service"),
    ("dataset", "dataset"),
    ("documents", "documents"),
)
HEADINGS = ("## What it simulates", "## The paper", "## One command", "## What is measured", "## Known limits")
_EPSILON = 1e-9


@dataclass(frozen=True)
class Check:
    """One part of the contract. `runs` says that episodes are run for it."""

    name: str
    work: Callable[[], Awaitable[None] | None]
    runs: bool = True

    async def run(self) -> None:
        """Raises `AssertionError` with what is wrong and where."""
        done = self.work()
        if done is not None:
            await done


def checks(clinic: Clinic) -> list[Check]:
    """The whole contract for one clinic, what is quick first."""
    return [
        Check("every room and a README with the shared headings", partial(check_shape, clinic), runs=False),
        Check("entries of rooms have the names that all clinics use", partial(check_rooms, clinic), runs=False),
        Check("live sessions are described whole", partial(check_service, clinic), runs=False),
        Check("a form writes files that the clinic reads", partial(check_writings, clinic), runs=False),
        Check("training data names what there is", partial(check_dataset, clinic), runs=False),
        Check("prompts fit their templates and have understudies", partial(check_words, clinic), runs=False),
        Check("every variant runs clean and is scored", partial(check_variants, clinic)),
        *(
            Check(f"the mistake {each.name} of {each.role} is noticed", partial(check_mistake, clinic, each))
            for each in clinic.mistakes
        ),
        Check("concurrency changes no byte", partial(check_determinism, clinic)),
        Check("a stopped run resumes to the same bytes", partial(check_resume, clinic)),
        Check("nonsense from a model ends in owned failures", partial(check_nonsense, clinic)),
    ]


async def check_clinic(name: str) -> None:
    """Every check of the contract, one after the other."""
    for check in checks(load_clinic(name)):
        await check.run()


def check_shape(clinic: Clinic) -> None:
    """The folder has every room, and a README with the headings all clinics share."""
    folder = package_file(clinic_modules()[clinic.name])
    there = {entry.name for entry in folder.iterdir()}
    missing = [room for room in ROOMS if room not in there and f"{room}.py" not in there]
    assert not missing, f"{clinic.name}: no {', '.join(missing)}"
    assert "README.md" in there, f"{clinic.name}: no README.md"
    text = folder.joinpath("README.md").read_text(encoding="utf-8")
    lacking = [heading for heading in HEADINGS if heading not in text]
    assert not lacking, f"{clinic.name}/README.md lacks the headings: {'; '.join(lacking)}"
    assert clinic.variants, f"{clinic.name}: no variants"
    wrong = [name for name, variant in clinic.variants.items() if name != variant.name]
    assert not wrong, f"{clinic.name}: variants under a wrong name: {wrong}"


def check_rooms(clinic: Clinic) -> None:
    """What the engine takes from a room has the same name in every clinic, and a folder's
    `__init__` only re-exports.
    """
    package = clinic_modules()[clinic.name]
    for room, entry in ENTRIES:
        given = getattr(clinic, entry.lower())
        if given is None or given == () or given == {}:
            continue
        offered = getattr(import_module(f"{package}.{room}"), entry, None)
        assert offered == given, f"{clinic.name}: {entry.lower()}= must be {entry} of the room {room}"
    if clinic.lint is not None:
        assert hasattr(import_module(f"{package}.scenario"), "lint"), f"{clinic.name}: the room scenario has no lint"
    for folder in package_file(package).iterdir():
        if folder.is_dir():
            wrong = _own_code(folder)
            assert not wrong, f"{clinic.name}/{folder.name}/__init__.py must only re-export; line {wrong} does more"


def _own_code(folder: Traversable) -> int:
    """The first line of a folder's `__init__` that is neither a docstring, an import nor a list of what is exported;
    0 when none is.
    """
    start = folder.joinpath("__init__.py")
    if not start.is_file():
        return 0
    for statement in ast.parse(start.read_text(encoding="utf-8")).body:
        named = statement.targets[0] if isinstance(statement, ast.Assign) else getattr(statement, "target", None)
        exports = isinstance(named, ast.Name) and named.id in ("__all__", "PROMPTS")
        if not (exports or isinstance(statement, ast.Import | ast.ImportFrom | ast.Expr)):
            return statement.lineno
    return 0


def check_writings(clinic: Clinic) -> None:
    """What ships, written as an author's file, is read back the same, and the linter has nothing to say about it."""
    for writing in clinic.writings:
        examples = writing.examples()
        assert examples, f"{clinic.name}: {writing.name} has no example to begin from"
        for name, value in list(examples.items())[:3]:
            text = writing.write(value)
            assert writing.read(text, f"{name}{writing.ending}") == value, f"{clinic.name}: {name} changes in its file"
            with tempfile.TemporaryDirectory() as folder:
                path = Path(folder, f"case{writing.ending}")
                path.write_text(text, encoding="utf-8")
                assert clinic.faults_in(str(path)) == [], f"{clinic.name}: the linter complains about {name}"
                assert clinic.scenarios(writing.to_play(str(path)), 0), f"{clinic.name}: {name} cannot be played"


def check_service(clinic: Clinic) -> None:
    """Live sessions: the asked role exists, actions name states that exist, and a session can be left in every open
    one.
    """
    room = clinic.service
    if room is None:
        return
    where = f"{clinic.name}/service"
    clinic.role(room.role)
    assert CLOSED in room.states[1:], f"{where}: states must begin with an open one and hold '{CLOSED}'"
    names = [action.name for action in room.actions]
    assert len(names) == len(set(names)), f"{where}: two actions have the same name"
    unknown = {state for action in room.actions for state in action.when} - set(room.states)
    assert not unknown, f"{where}: actions name unknown states: {', '.join(sorted(unknown))}"
    stuck = [state for state in room.states if state != CLOSED and not any(state in a.when for a in room.actions)]
    assert not stuck, f"{where}: nothing can be done in the states {', '.join(stuck)}"


def check_dataset(clinic: Clinic) -> None:
    """Training data: its variants and judges exist, a reward can reach its least, and its columns can be written."""
    data = clinic.dataset
    if data is None:
        return
    where = f"{clinic.name}/dataset"
    unknown = [name for name in data.variants if name not in clinic.variants]
    assert not unknown, f"{where}: unknown variants: {', '.join(unknown)}"
    judges = {judge.name for judge in clinic.judges()}
    unknown = [name for name in data.judges if name not in judges]
    assert not unknown, f"{where}: unknown judges: {', '.join(unknown)}"
    assert data.least_reward <= data.most_reward, f"{where}: least_reward is above most_reward"
    missing = [name for name in Row.COLUMNS if name not in column_kinds(data.row)]
    assert not missing, f"{where}: {data.row.__name__}.COLUMNS lacks {', '.join(missing)}"


def check_words(clinic: Clinic) -> None:
    """Templates and prompt classes fit both ways, and every prompt has an understudy that answers it."""
    faults = check_prompts(clinic.prompts)
    assert not faults, f"{clinic.name}: " + "; ".join(faults)
    answered = {prompt for understudy in clinic.understudies.values() for prompt in understudy.prompts()}
    silent = [prompt.__name__ for prompt in clinic.prompts if prompt not in answered]
    assert not silent, f"{clinic.name}: no understudy answers {', '.join(silent)}"
    unplayed = [role.name for role in clinic.roles if role.name not in clinic.understudies]
    assert not unplayed, f"{clinic.name}: no understudy plays {', '.join(unplayed)}"
    noticed = {mistake.metric for mistake in clinic.mistakes}
    idle = [
        judge.name
        for judge in clinic.judges()
        if judge.metrics and not any(metric.name in noticed for metric in judge.metrics)
    ]
    assert not idle, f"{clinic.name}: no declared mistake tests the judges {', '.join(idle)}"


async def check_variants(clinic: Clinic) -> None:
    """Every variant runs on the demo scenarios without any failure, and is scored."""
    results = await run_once(clinic, variants=tuple(clinic.variants))
    faults = [f"{row.id}: {failure.owner}: {failure.error}" for row in results.episodes for failure in row.failures]
    assert not faults, f"{clinic.name}: clean runs failed: " + "; ".join(faults[:5])
    bare = [name for name in clinic.variants if not any(row.scores for row in results.of(variant=name))]
    assert not bare, f"{clinic.name}: nothing scored {', '.join(bare)}"


async def check_mistake(clinic: Clinic, mistake: Mistake) -> None:
    """A mistake made every time is noticed by what exists to notice it, and a clean run is not blamed for it."""
    variants = (mistake.variant or clinic.first_variant,)
    cast = f"{mistake.role}=understudy:mistake={mistake.name}@1,all=understudy"
    clean = await _clean(clinic, variants, mistake.scenarios)
    wrong = await run_once(clinic, variants=variants, scenarios=mistake.scenarios, cast=cast)
    where = f"{clinic.name}: the mistake '{mistake.name}' of {mistake.role}"
    if mistake.owner is not None:
        assert wrong.failures().get(mistake.owner), f"{where} gave no failure owned by {mistake.owner}"
        assert not clean.failures().get(mistake.owner), f"{where}: a clean run has such a failure too"
    if mistake.rule:
        assert _violations(wrong, mistake.rule), f"{where} left no violation of {mistake.rule}"
        assert not _violations(clean, mistake.rule), f"{where}: a clean run violates {mistake.rule} too"
    if mistake.metric:
        good, bad = _mean(clean, mistake.metric), _mean(wrong, mistake.metric)
        better = bad < good - _EPSILON if clean.metric(mistake.metric).higher_is_better else bad > good + _EPSILON
        assert better, f"{where}: {mistake.metric} was {good:g} clean and {bad:g} with the mistake"
    assert mistake.owner or mistake.rule or mistake.metric, f"{where} does not say what must notice it"


_CLEAN: dict[tuple[str, tuple[str, ...], str], RunResults] = {}


async def _clean(clinic: Clinic, variants: tuple[str, ...], scenarios: str) -> RunResults:
    """The run without any mistake, played once for all the mistakes that are held against it."""
    key = (clinic.name, variants, scenarios)
    if key not in _CLEAN:
        _CLEAN[key] = await run_once(clinic, variants=variants, scenarios=scenarios)
    return _CLEAN[key]


def _violations(results: RunResults, rule: str) -> Sequence[Violated]:
    return [event for row in results.episodes for event in row.transcript.of(Violated) if event.rule == rule]


def _mean(results: RunResults, metric: str) -> float:
    found = metric_estimate(results, results.variant_names()[0], metric)
    assert found is not None, f"{results.clinic}: nothing scored '{metric}'"
    return found.mean


async def check_determinism(clinic: Clinic) -> None:
    """One at a time or many at once: the same bytes."""
    slow = await export_bytes(clinic, concurrency=1)
    quick = await export_bytes(clinic, concurrency=32)
    assert slow == quick, f"{clinic.name}: the export depends on the concurrency ({_first_difference(slow, quick)})"


async def check_resume(clinic: Clinic) -> None:
    """Stopped in the middle and resumed: the same bytes as without the stop."""
    whole = await export_bytes(clinic)
    resumed = await interrupted_then_resumed(clinic)
    assert whole == resumed, f"{clinic.name}: a resumed run differs ({_first_difference(whole, resumed)})"


async def check_nonsense(clinic: Clinic) -> None:
    """Against an endpoint that talks sense and nonsense by turns, episodes end, and each failure has an owner other
    than us.
    """
    from polyclinic.testing.fault_server import talking_nonsense

    async with talking_nonsense(seed=7) as cast:
        results = await run_once(clinic, variants=(clinic.first_variant,), cast=f"all={cast}", most=3)
    asked = sum(len(row.transcript.of(Called)) for row in results.episodes)
    assert asked, f"{clinic.name}: the nonsense endpoint was never asked"
    ours = [failure.error for row in results.episodes for failure in row.failures if failure.owner == "engine"]
    assert not ours, f"{clinic.name}: nonsense broke the engine: {ours[0]}"


def _first_difference(left: bytes, right: bytes) -> str:
    for number, (mine, theirs) in enumerate(zip(left.splitlines(), right.splitlines(), strict=False), 1):
        if mine != theirs:
            at = next((i for i, (a, b) in enumerate(zip(mine, theirs, strict=False)) if a != b), 0)
            return f"line {number}: …{mine[max(0, at - 60) : at + 60]!r} / …{theirs[max(0, at - 60) : at + 60]!r}"
    return f"{len(left.splitlines())} / {len(right.splitlines())} lines"
