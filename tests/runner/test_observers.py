"""Logs and traces: what they show, and that they neither change a run nor contain anybody's words."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from polyclinic.cli.main import invoke
from polyclinic.errors import ConfigError
from polyclinic.runner import api
from polyclinic.runner.api import run
from polyclinic.runner.build.observers import OTEL, LogObserver, active_observers
from polyclinic.runner.plan.config import make_config
from polyclinic.store.store import open_store
from polyclinic.testing.fault_server import FaultServer
from polyclinic.testing.runs import MEMORY, exported

CONFIG = {"clinic": "demo", "variants": ("tool",), "scenarios": "3"}


@pytest.fixture
def _log_as_before() -> Iterator[None]:
    root = logging.getLogger("polyclinic")
    before = root.handlers, root.propagate, root.level
    yield
    root.handlers, root.propagate = before[:2]
    root.setLevel(before[2])


@pytest.mark.usefixtures("_log_as_before")
def test_a_log_has_one_json_object_per_line_and_nobodys_words(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert invoke(["--log", "json", "--log-level", "debug", "run", "demo", "--scenarios", "2"]) == 0
    lines = [json.loads(line) for line in capsys.readouterr().err.splitlines() if line.startswith("{")]
    episodes = [line for line in lines if line.get("event") == "episode"]
    calls = [line for line in lines if line.get("event") == "call"]
    assert [(line["level"], line["status"], line["logger"]) for line in episodes] == [
        ("info", "done", "polyclinic.run")
    ] * 2
    assert {line["model"] for line in calls} == {"understudy"}
    assert sum(line["calls"] for line in episodes) == len(calls)
    assert all(set(line) <= KNOWN for line in lines)


KNOWN = {"time", "level", "logger", "event", "run", "clinic", "episode", "variant", "status", "outcome", "calls"} | {
    "input_tokens",
    "output_tokens",
    "cost_nano_usd",
    "elapsed_ms",
    "role",
    "prompt",
    "model",
}


def test_there_are_no_observers_unless_requested(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(OTEL, raising=False)
    assert active_observers() == ()


def test_the_error_for_missing_tracing_packages_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(OTEL, "1")
    monkeypatch.setitem(__import__("sys").modules, "polyclinic.runner.build.telemetry", None)
    with pytest.raises(ConfigError, match=r"otel"):
        active_observers()


async def _traced(monkeypatch: pytest.MonkeyPatch, **values: Any) -> tuple[list[Any], dict[str, list[Any]], bytes]:
    """A run's spans and metrics, collected with OpenTelemetry's own test tools, and its export."""
    pytest.importorskip("opentelemetry.sdk")
    from opentelemetry.sdk.metrics import MeterProvider
    from opentelemetry.sdk.metrics.export import InMemoryMetricReader
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import SimpleSpanProcessor
    from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

    from polyclinic.runner.build.telemetry import Telemetry

    spans, reader, provider = InMemorySpanExporter(), InMemoryMetricReader(), TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(spans))
    meters = MeterProvider(metric_readers=[reader])
    telemetry = Telemetry(provider.get_tracer("test"), meters.get_meter("test"))
    monkeypatch.setattr(api, "active_observers", lambda: (telemetry, LogObserver()))
    async with open_store(MEMORY) as store:
        name = (await run(store, make_config({**CONFIG, **values}))).run
        export = await exported(store, name)
    data = reader.get_metrics_data()
    assert data is not None
    points = {
        metric.name: list(metric.data.data_points)
        for scope in data.resource_metrics
        for inner in scope.scope_metrics
        for metric in inner.metrics
    }
    meters.shutdown()
    provider.shutdown()
    return list(spans.get_finished_spans()), points, export


async def test_traces_follow_the_conventions_and_do_not_change_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    async with open_store(MEMORY) as store:
        plain = await exported(store, (await run(store, make_config(CONFIG))).run)
    spans, points, export = await _traced(monkeypatch)
    assert export == plain
    episodes = {span.context.span_id: span for span in spans if span.name == "polyclinic.episode"}
    calls = [span for span in spans if span.name == "chat understudy"]
    assert len(episodes) == 3 and len(calls) + 3 == len(spans)
    for call in calls:
        parent = episodes[call.parent.span_id]
        assert call.attributes["gen_ai.conversation.id"] == parent.attributes["gen_ai.conversation.id"]
        assert call.attributes["gen_ai.operation.name"] == "chat"
        assert call.attributes["gen_ai.provider.name"] == "polyclinic"
        assert call.attributes["gen_ai.usage.output_tokens"] >= 0
        assert call.attributes["gen_ai.agent.name"] in ("nurse", "caller", "judge", "reader")
    assert sum(point.count for point in points["gen_ai.client.operation.duration"]) == len(calls)
    kinds = {point.attributes["gen_ai.token.type"] for point in points["gen_ai.client.token.usage"]}
    assert kinds == {"input", "output"}


async def test_a_failed_call_is_traced_with_its_kind_of_error(monkeypatch: pytest.MonkeyPatch) -> None:
    async with FaultServer(faults=1.0, kinds=["server_error"]) as server:
        cast = f"all=understudy,nurse={server.url}:qwen?tries=1"
        spans, points, _ = await _traced(monkeypatch, cast=cast, scenarios="1")
    failed = [span for span in spans if span.name == "chat qwen"]
    assert failed[0].status.is_ok is False
    assert server.url not in str([dict(span.attributes) for span in spans])
    kinds = {point.attributes.get("error.type") for point in points["gen_ai.client.operation.duration"]}
    assert any(kind and kind.endswith("Failed") for kind in kinds)
