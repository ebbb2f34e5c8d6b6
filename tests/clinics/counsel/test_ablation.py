"""Each agent has a purpose: removing it worsens its own metrics and no others; more drafts cost more."""

from __future__ import annotations

import asyncio

import pytest

from polyclinic.clinics.counsel.judges import LIKERT
from polyclinic.clinics.counsel.report import report
from polyclinic.core.transcript import Called, Posted, Reviewed
from polyclinic.eval.results import RunResults
from polyclinic.eval.sections import Figure
from polyclinic.testing.runs import played

CRITICS = {"accuracy", "user_centeredness", "empathy"}
GUARDS = {"ethicality"}
TALK = {"appropriateness"}
"""Metrics that may also worsen, because a conversation that should have stopped goes on."""
FAULTY = "counsellor=understudy:mistake=r1@0.3+r2@0.2+r3@0.3,all=understudy"
SETTLED = 0.45


async def results_of(variants: list[str], scenarios: str, cast: str) -> RunResults:
    return await played(clinic="counsel", variants=variants, scenarios=scenarios, seed=3, cast=cast)


def mean(results: RunResults, variant: str, metric: str) -> float:
    values = [value for row in results.of(variant) if (value := row.value(metric)) is not None]
    return sum(values) / len(values)


@pytest.fixture(scope="module")
def ablated() -> RunResults:
    return asyncio.run(results_of(["full", "nocritic", "noescalation", "neither", "single"], "6", "all=understudy"))


@pytest.fixture(scope="module")
def limited() -> RunResults:
    return asyncio.run(results_of(["n1", "n3", "n5", "n7", "n10"], "quiet:3", FAULTY))


def worse(results: RunResults, variant: str) -> set[str]:
    return {metric for metric in LIKERT if mean(results, variant, metric) < mean(results, "full", metric) - SETTLED}


def test_without_the_critic_slips_are_said_and_no_other_metric_worsens(ablated: RunResults) -> None:
    assert {"user_centeredness"} <= worse(ablated, "nocritic") <= CRITICS
    assert mean(ablated, "nocritic", "slips_said") > 0.05 > mean(ablated, "full", "slips_said")


def test_without_the_guard_only_its_own_metric_worsens(ablated: RunResults) -> None:
    assert GUARDS <= worse(ablated, "noescalation") <= GUARDS | TALK
    assert mean(ablated, "full", "escalated") == 1 and mean(ablated, "noescalation", "escalated") == 0


def test_without_critic_and_guard_the_metrics_of_both_worsen_and_a_single_model_is_worst(ablated: RunResults) -> None:
    assert GUARDS < worse(ablated, "neither") <= CRITICS | GUARDS | TALK
    assert mean(ablated, "single", "overall") < mean(ablated, "neither", "overall") < mean(ablated, "full", "overall")


def test_only_the_fixed_message_follows_an_escalation_and_there_is_no_false_alarm(ablated: RunResults) -> None:
    assert mean(ablated, "full", "quiet_after") == 1
    assert mean(ablated, "full", "false_alarm") == 0


def test_the_stage_order_is_kept_by_every_staged_variant(ablated: RunResults) -> None:
    assert all(mean(ablated, name, "stage_order") == 1 for name in ("full", "nocritic", "noescalation", "neither"))


def test_drafts_stay_below_the_limit_and_cost_rises_with_it(limited: RunResults) -> None:
    tokens, drafts = [], []
    for name, limit in (("n1", 1), ("n3", 3), ("n5", 5), ("n10", 10)):
        rows = list(limited.of(name))
        answers = sum(len(row.transcript.said("counsellor")) for row in rows)
        calls = [
            call
            for row in rows
            for call in row.transcript.of(Called)
            if call.role in ("planner", "counsellor", "critic")
        ]
        tokens.append(sum(call.usage.input_tokens + call.usage.output_tokens for call in calls) / answers)
        drafts.append(mean(limited, name, "drafts"))
        assert drafts[-1] < limit or limit == 1
    assert 1 == drafts[0] < min(drafts[1:])
    assert tokens[0] < min(tokens[1:])
    once, *oftener = [mean(limited, name, "fallbacks") for name in ("n1", "n3", "n5", "n10")]
    assert sum(oftener) / len(oftener) < 0.8 * once


def test_every_verdict_is_recorded_with_its_type_and_its_feedback(limited: RunResults) -> None:
    verdicts = [event for row in limited.of("n3") for event in row.transcript.of(Reviewed)]
    assert {"r0", "r1", "r2"} <= {event.code for event in verdicts} <= {"r0", "r1", "r2", "r3"}
    assert all(bool(event.feedback) == (event.code != "r0") for event in verdicts)


def test_objections_that_no_draft_could_settle_go_to_the_review_queue_by_type(limited: RunResults) -> None:
    for row in limited.of("n1"):
        posts = [post for post in row.transcript.of(Posted) if post.queue == "counsel-review"]
        said = [event for event in row.transcript.said("counsellor") if "fallback" in event.data]
        assert [post.body["risk"] for post in posts] == [event.data["fallback"] for event in said]
        assert all(post.body["words"] not in event.text for post, event in zip(posts, said, strict=True))


def test_the_report_has_both_tables_and_the_figure(ablated: RunResults, limited: RunResults) -> None:
    sections = [section for results in (ablated, limited) for section in report(results)]
    titles = [section.title for section in sections]
    assert any(title.startswith("Table 1") for title in titles)
    assert any(title.startswith("Table 2") for title in titles)
    drafts = [section.body[0] for section in sections if section.title.startswith("Figure 3")][-1]
    answers = sum(len(list(row.transcript.said("counsellor"))) for row in limited.of("n1"))
    assert isinstance(drafts, Figure)
    assert f"n1 {answers}" in drafts.n
