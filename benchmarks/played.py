"""Do the offline patients understand ordinary language in a whole talk, as a person meets them in `polyclinic play`?

    python benchmarks/played.py --author k [--variant evolved]

`people.py` asks each question alone. Here the questions of an author (`data/doctor_questions_*.jsonl`) are typed into
`polyclinic play patient --role doctor`, nine in a talk and in the author's order. So the patient has its rules, its
memory and the reader that strangers get. An answer is judged as in `people.py`.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

from benchmarks.people import FITTING, NEAREST, NOTHING, numbered, outcome, rows
from polyclinic.clinics.patient.scenario.shipped import record

QUESTIONS_IN_A_TALK = 9
PROGRAM = (sys.executable, "-m", "polyclinic")


def answers(case: str, variant: str, questions: Sequence[str], store: Path) -> list[str]:
    """What the patient says to each question of one talk."""
    where = ("--store", str(store))
    asked = (*PROGRAM, "play", "patient", "--role", "doctor", "--scenarios", case, "--variant", variant, *where)
    typed = "\n".join([*(" ".join(question.split()) for question in questions), "/conclude", "migraine", ""])
    subprocess.run(asked, input=typed, capture_output=True, text=True, check=True)
    shown = (*PROGRAM, "show", "last", f"{case}:{variant}:0", "--json", *where)
    events = json.loads(subprocess.run(shown, capture_output=True, text=True, check=True).stdout)
    said = [event for event in events if event["kind"] == "said"]
    return [event["text"] for event in said if event["speaker"] == "patient" and event["to"] == "doctor"]


def measure(author: str, variant: str) -> Counter[str]:
    """How the answers fit, for all questions of an author."""
    found: Counter[str] = Counter()
    lines: list[dict[str, Any]] = rows(f"doctor_questions{author}.jsonl")
    with tempfile.TemporaryDirectory() as folder:
        for name, group in groupby(lines, key=lambda row: row["c"]):
            of_case = list(group)
            case, facts = record(name), numbered(record(name), author)
            for at in range(0, len(of_case), QUESTIONS_IN_A_TALK):
                part = of_case[at : at + QUESTIONS_IN_A_TALK]
                said = answers(name, variant, [row["t"] for row in part], Path(folder) / "store.db")
                for row, answer in zip(part, said, strict=True):
                    found[outcome(case, answer, row, facts)] += 1
    return found


def main() -> None:
    """Print the totals of one author."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--author", choices=("i", "j", "k"), required=True, help="who wrote about records as they ship")
    parser.add_argument("--variant", default="evolved")
    given = parser.parse_args()
    found = measure(f"_{given.author}", given.variant)
    total = found.total()
    fitting = found[FITTING] + found[NOTHING] + found[NEAREST]
    print(f"questions {total}: fittingly {fitting / total:.3f}, true facts denied {found['denied']}", dict(found))


if __name__ == "__main__":
    main()
