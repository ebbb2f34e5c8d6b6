"""A run's page: headline, metrics with intervals, and the report's sections."""

from __future__ import annotations

from dataclasses import asdict

import orjson

from polyclinic.eval.found import FOUND
from polyclinic.eval.overview import TRANSCRIPTS
from polyclinic.eval.report import RunReport
from polyclinic.eval.results import RunResults
from polyclinic.eval.sections import sections_to_plain
from polyclinic.eval.validity import grounds
from polyclinic.runner.reports import report_of


def report_to_json(results: RunResults, whole: bool) -> bytes:
    """Headline, metrics, and the report's sections. The clinic's own sections need transcripts."""
    made: RunReport = report_of(results, transcripts=0, own_sections=whole)
    ground = grounds(results)
    sections = [section for section in made.all_sections if section.title != TRANSCRIPTS]
    first = next((section for section in sections if section.title == FOUND), None)
    metrics = []
    for name in results.metric_names():
        metric = results.metric(name)
        finite = metric.high - metric.low < 100
        metrics.append(
            {
                "name": name,
                "about": metric.about,
                "up": metric.higher_is_better,
                "low": metric.low if finite else None,
                "high": metric.high if finite else None,
                "rests_on": ground[name].about,
                "valid": ground[name].valid,
                "values": {
                    variant: found[name].to_plain() for variant, found in made.summary.variants.items() if name in found
                },
            }
        )
    body = {
        "headline": sections_to_plain([first])[0]["body"] if first else [],
        "variants": [{"name": n, "about": results.variant_about.get(n, "")} for n in results.variant_names()],
        "metrics": metrics,
        "cast": [asdict(member) for member in results.cast],
        "failures": made.summary.failures,
        "usage": made.summary.to_plain()["usage"],
        "sections": sections_to_plain([section for section in sections if section.title not in (FOUND, "Results")]),
        "config": {
            name: value
            for name, value in results.config.items()
            if name != "store" and value not in ("", None, [], {}, ())  # earlier versions stored the address in a run
        },
    }
    return orjson.dumps(body, option=orjson.OPT_SERIALIZE_NUMPY | orjson.OPT_NON_STR_KEYS)
