"""OpenTelemetry spans for episodes and calls, and two metrics, named by the GenAI conventions.

A call is ``chat MODEL`` with `gen_ai.*` attributes; an episode is ``polyclinic.episode``. Traces never contain
prompts and replies, because these may be private. OpenTelemetry's own environment variables
(`OTEL_EXPORTER_OTLP_ENDPOINT`, …) say where traces go. A provider that the program has already set is used as it is.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from typing import Any

from opentelemetry import metrics, trace

from polyclinic import __version__
from polyclinic.core.episode import EpisodeSpec
from polyclinic.core.execute import EpisodeResult
from polyclinic.core.model import Completion, Model, Request
from polyclinic.core.observing import Seen
from polyclinic.models.spec import parse_model


@lru_cache(maxsize=1)
def open_telemetry() -> Telemetry:
    """Traces and metrics of this process; exporters are set up unless the program has done so."""
    if isinstance(trace.get_tracer_provider(), trace.ProxyTracerProvider):
        _export()
    return Telemetry(trace.get_tracer("polyclinic", __version__), metrics.get_meter("polyclinic", __version__))


def _export() -> None:
    from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    from opentelemetry.sdk.metrics import MeterProvider
    from opentelemetry.sdk.metrics.export import PeriodicExportingMetricReader
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor

    resource = Resource.create({"service.name": "polyclinic", "service.version": __version__})
    provider = TracerProvider(resource=resource)
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    trace.set_tracer_provider(provider)
    reader = PeriodicExportingMetricReader(OTLPMetricExporter())
    metrics.set_meter_provider(MeterProvider(resource=resource, metric_readers=[reader]))


class _Span:
    """Writes the result of a call or an episode to its span."""

    def __init__(self, span: Any, telemetry: Telemetry, about: dict[str, str]) -> None:
        self._span, self._telemetry, self._about = span, telemetry, about

    def call_answered(self, completion: Completion) -> None:
        """Write the token counts, named by the conventions."""
        used = completion.usage
        self._span.set_attribute("gen_ai.usage.input_tokens", used.input_tokens)
        self._span.set_attribute("gen_ai.usage.output_tokens", used.output_tokens)
        for kind, tokens in (("input", used.input_tokens), ("output", used.output_tokens)):
            self._telemetry.tokens.record(tokens, {**self._about, "gen_ai.token.type": kind})

    def episode_ended(self, result: EpisodeResult) -> None:
        """Write how the episode ended."""
        self._span.set_attribute("polyclinic.status", result.status)
        self._span.set_attribute("polyclinic.outcome", result.outcome)
        if result.status == "failed":
            self._span.set_status(trace.Status(trace.StatusCode.ERROR, result.outcome))


class Telemetry:
    """An observer that makes spans and records metrics."""

    def __init__(self, tracer: Any, meter: Any) -> None:
        self._tracer = tracer
        self.duration = meter.create_histogram(
            "gen_ai.client.operation.duration", unit="s", description="How long a call took, retries included."
        )
        self.tokens = meter.create_histogram(
            "gen_ai.client.token.usage", unit="{token}", description="Tokens of a call, by kind."
        )

    @contextmanager
    def episode(self, run: str, spec: EpisodeSpec) -> Iterator[Seen]:
        """A span around one episode."""
        attributes = {
            "polyclinic.run": run,
            "polyclinic.clinic": spec.clinic,
            "polyclinic.variant": spec.variant,
            "gen_ai.conversation.id": spec.id,
        }
        with self._tracer.start_as_current_span("polyclinic.episode", attributes=attributes) as span:
            yield _Span(span, self, {})

    @contextmanager
    def call(self, request: Request, model: Model) -> Iterator[Seen]:
        """A span around one call."""
        about = {"gen_ai.operation.name": "chat", **_named(model.name)}
        attributes = {
            **about,
            "gen_ai.agent.name": request.role,
            "gen_ai.conversation.id": request.episode,
            "gen_ai.request.max_tokens": request.token_limit,
            "polyclinic.prompt": request.prompt.prompt_name(),
            "polyclinic.model.kind": model.kind,
        }
        kind = trace.SpanKind.CLIENT if model.kind == "llm" else trace.SpanKind.INTERNAL
        name = f"chat {about['gen_ai.request.model']}"
        began = time.monotonic()
        try:
            with self._tracer.start_as_current_span(name, kind=kind, attributes=attributes) as span:
                yield _Span(span, self, about)
        except BaseException as error:
            about = {**about, "error.type": type(error).__name__}
            raise
        finally:
            self.duration.record(time.monotonic() - began, about)


@lru_cache(maxsize=256)
def _named(text: str) -> dict[str, str]:
    """A model of the cast in the terms of the conventions: its provider and its name. Never an address or a key."""
    spec = parse_model(text)
    provider = spec.provider or ("openai" if spec.kind == "endpoint" else "polyclinic")
    return {"gen_ai.provider.name": provider, "gen_ai.request.model": spec.model or spec.kind}
