"""The contract of a clinic, as checks. Each check raises `AssertionError`, which says what is wrong and where.

What is checked:

- The clinic has the right shape (see `polyclinic.testing.shape`).
- Every variant runs without failures.
- Every declared mistake is noticed.
- Two runs export the same bytes.
- A run that is stopped and resumed exports the same bytes as an uninterrupted one.
- With an endpoint whose replies alternate between sense and nonsense, every failure has an owner.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from functools import partial

from polyclinic.core.clinic import Clinic, Mistake
from polyclinic.core.transcript import Called, Violated
from polyclinic.eval.metrics import metric_estimate
from polyclinic.eval.results import RunResults
from polyclinic.runner.registry import load_clinic
from polyclinic.testing import shape
from polyclinic.testing.runs import export_bytes, interrupted_then_resumed, run_once

_EPSILON = 1e-9


@dataclass(frozen=True)
class ContractCheck:
    """One check of the contract. `runs` means that it runs episodes."""

    name: str
    work: Callable[[], Awaitable[None] | None]
    runs: bool = True

    async def run(self) -> None:
        """Run the check. Raises `AssertionError`, which says what is wrong and where."""
        done = self.work()
        if done is not None:
            await done


def checks(clinic: Clinic) -> list[ContractCheck]:
    """The whole contract for one clinic, quick checks first."""
    return [
        ContractCheck(
            "every room and a README with the shared headings", partial(shape.check_shape, clinic), runs=False
        ),
        ContractCheck(
            "entries of rooms have the names that all clinics use", partial(shape.check_rooms, clinic), runs=False
        ),
        ContractCheck(
            "live sessions name roles and states that exist", partial(shape.check_service, clinic), runs=False
        ),
        ContractCheck("a form writes files that the clinic reads", partial(shape.check_writings, clinic), runs=False),
        ContractCheck(
            "training data names variants and judges that exist",
            partial(shape.check_dataset, clinic),
            runs=False,
        ),
        ContractCheck(
            "prompts fit their templates and have understudies", partial(shape.check_words, clinic), runs=False
        ),
        ContractCheck("every variant runs without a failure and is scored", partial(check_variants, clinic)),
        *(
            ContractCheck(f"the mistake {each.name} of {each.role} is noticed", partial(check_mistake, clinic, each))
            for each in clinic.mistakes
        ),
        ContractCheck("concurrency does not change the exported bytes", partial(check_determinism, clinic)),
        ContractCheck("a stopped run resumes to the same bytes", partial(check_resume, clinic)),
        ContractCheck("nonsense from a model ends in failures that have an owner", partial(check_nonsense, clinic)),
    ]


async def check_clinic(name: str) -> None:
    """Run every check of the contract, one after the other."""
    for check in checks(load_clinic(name)):
        await check.run()


async def check_variants(clinic: Clinic) -> None:
    """Check that every variant runs without any failure, and is scored.

    Variants of the demo run on all its scenarios, the others on one scenario or campaign.
    """
    results = await run_once(clinic, variants=tuple(clinic.variants), whole=clinic.demo_variants)
    faults = [f"{row.id}: {failure.owner}: {failure.error}" for row in results.episodes for failure in row.failures]
    assert not faults, f"{clinic.name}: clean runs failed: " + "; ".join(faults[:5])
    bare = [name for name in clinic.variants if not any(row.scores for row in results.of(variant=name))]
    assert not bare, f"{clinic.name}: no scores for the variants {', '.join(bare)}"


async def check_mistake(clinic: Clinic, mistake: Mistake) -> None:
    """Check that a mistake is noticed if it is always made, and that nothing is noticed in a run without it.

    The clinic declares what must notice the mistake: a failure's owner, a rule or a metric.
    """
    variants = (mistake.variant or clinic.first_variant,)
    cast = f"{mistake.role}=understudy:mistake={mistake.name}@1,all=understudy"
    clean = await _clean(clinic, variants, mistake.scenarios)
    wrong = await run_once(clinic, variants=variants, scenarios=mistake.scenarios, cast=cast)
    where = f"{clinic.name}: the mistake '{mistake.name}' of {mistake.role}"
    if mistake.owner is not None:
        assert wrong.failures().get(mistake.owner), f"{where} gave no failure owned by {mistake.owner}"
        assert not clean.failures().get(mistake.owner), f"{where}: a run without the mistake has such a failure too"
    if mistake.rule:
        assert _violations(wrong, mistake.rule), f"{where} caused no violation of {mistake.rule}"
        assert not _violations(clean, mistake.rule), f"{where}: a run without the mistake violates {mistake.rule} too"
    if mistake.metric:
        good, bad = _mean(clean, mistake.metric), _mean(wrong, mistake.metric)
        better = bad < good - _EPSILON if clean.metric(mistake.metric).higher_is_better else bad > good + _EPSILON
        assert better, f"{where}: {mistake.metric} was {good:g} without the mistake and {bad:g} with it"
    assert mistake.owner or mistake.rule or mistake.metric, f"{where} does not say what must notice it"


_CLEAN: dict[tuple[str, tuple[str, ...], str], RunResults] = {}


async def _clean(clinic: Clinic, variants: tuple[str, ...], scenarios: str) -> RunResults:
    """The run without any mistake; it is played once and compared with all runs that have a mistake."""
    key = (clinic.name, variants, scenarios)
    if key not in _CLEAN:
        _CLEAN[key] = await run_once(clinic, variants=variants, scenarios=scenarios)
    return _CLEAN[key]


def _violations(results: RunResults, rule: str) -> Sequence[Violated]:
    return [event for row in results.episodes for event in row.transcript.of(Violated) if event.rule == rule]


def _mean(results: RunResults, metric: str) -> float:
    found = metric_estimate(results, results.variant_names()[0], metric)
    assert found is not None, f"{results.clinic}: no score for the metric '{metric}'"
    return found.mean


_WHOLE: dict[str, bytes] = {}


async def _whole(clinic: Clinic) -> bytes:
    """The export of a run without a stop; it is played once for the two checks that compare with it."""
    if clinic.name not in _WHOLE:
        _WHOLE[clinic.name] = await export_bytes(clinic, concurrency=32)
    return _WHOLE[clinic.name]


async def check_determinism(clinic: Clinic) -> None:
    """Check that the export does not depend on the concurrency."""
    slow = await export_bytes(clinic, concurrency=1)
    quick = await _whole(clinic)
    assert slow == quick, f"{clinic.name}: the export depends on the concurrency ({_first_difference(slow, quick)})"


async def check_resume(clinic: Clinic) -> None:
    """Check that a run that is stopped in the middle and resumed exports the same bytes as without the stop."""
    whole = await _whole(clinic)
    resumed = await interrupted_then_resumed(clinic)
    assert whole == resumed, f"{clinic.name}: a resumed run differs ({_first_difference(whole, resumed)})"


async def check_nonsense(clinic: Clinic) -> None:
    """Check a run on an endpoint whose replies alternate between sense and nonsense.

    Episodes must end, and each failure must have an owner other than the engine.
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
