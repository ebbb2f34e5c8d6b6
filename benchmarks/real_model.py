"""The results of a real model in every clinic, read from reports: one table for ``results/real-model.md``.

    polyclinic report RUN --json > FOLDER/CLINIC.report.json      # for each clinic's run
    python benchmarks/real_model.py FOLDER [FOLDER …]

Each folder is a pass (a mode of the server, a cast) and gives its own table. Three columns are shares of the model's
replies: read at the first try, read in the end (also after asking again or in words), and cut. One is the share of
simulated people's lines that stayed out of the part. The last column holds the clinic's own main figures.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from pathlib import Path
from typing import Any

Report = dict[str, Any]
COLUMNS = ("clinic", "ended", "first try", "read", "in words", "cut or run on", "out of the part", "held to")
HELD_TO = {
    "patient": ("rounds", "right_diagnosis"),
    "frontdesk": ("intake", "intake_staff", "right_tool", "scheduling_staff", "invented"),
    "counsel": ("fallbacks", "drafts", "false_alarm"),
    "rounds": ("withheld_share", "first_right", "final_right"),
    "duty": ("nvr", "tsr"),
}


def row(report: Report) -> tuple[str, ...]:
    """One clinic's row of the table."""
    episodes, parts = report["episodes"], report.get("parts", {})
    counts: Counter[str] = Counter()
    faults: Counter[str] = Counter()
    for entry in report.get("replies", ()):
        if entry["prompt"] != "AsksField":
            counts.update({name: entry[name] for name in ("asked", "first", "again", "in_words", "never")})
        faults.update(entry["faults"])
    stayed = sum(parts.get("stayed", {}).values())
    replies = counts["asked"] + faults.total()
    return (
        report["clinic"],
        f"{episodes['total'] - episodes['failed']} of {episodes['total']}",
        _share(counts["first"], counts["asked"]),
        _share(counts["asked"] - counts["never"], counts["asked"]),
        str(counts["in_words"]),
        _share(faults["cut"] + faults["run-on"], replies),
        _share(stayed, parts.get("lines", 0)),
        _held_to(report),
    )


def _share(part: int, whole: int) -> str:
    return f"{part / whole:.1%} ({part} of {whole:,})" if whole else "–"


def _held_to(report: Report) -> str:
    metrics: dict[str, dict[str, float]] = next(iter(report["variants"].values()), {})
    means = {name: metrics.get(name, {}).get("mean") for name in HELD_TO.get(report["clinic"], ())}
    return ", ".join(f"{name} {mean:.2f}" for name, mean in means.items() if mean is not None) or "–"


def worst(reports: list[Report], least: float = 0.95) -> list[str]:
    """The prompts whose replies were read at the first try less often than they should be."""
    lines: list[str] = []
    for report in reports:
        for entry in report.get("replies", ()):
            if entry["asked"] >= 5 and entry["first"] < least * entry["asked"]:
                faults = ", ".join(f"{kind} {number}" for kind, number in entry["faults"].items())
                share = _share(entry["first"], entry["asked"])
                lines.append(f"- {report['clinic']}, {entry['role']}, {entry['prompt']}: {share}; {faults}")
    return lines


def table(folder: Path) -> str:
    """One pass as Markdown."""
    written = [file.read_text(encoding="utf-8") for file in sorted(folder.glob("*.report.json"))]
    reports = [json.loads(text) for text in written if text.strip()]  # a run without a finished episode has no report
    lines = [f"### {folder.name}", "", f"| {' | '.join(COLUMNS)} |", f"|{' --- |' * len(COLUMNS)}"]
    lines += [f"| {' | '.join(row(report))} |" for report in reports]
    low = worst(reports)
    return "\n".join([*lines, *(["", "Read at the first try below 95 %:", *low] if low else [])])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", type=Path)
    print("\n\n".join(table(folder) for folder in parser.parse_args().folders))


if __name__ == "__main__":
    main()
