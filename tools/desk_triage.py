"""Learn the rule of thumb of the front desk's understudy: which words point to which department.

    python tools/desk_triage.py SYMPTOMS.json

The rule must not know one table's wording better than another's. Otherwise its errors would show who wrote the patients
rather than how hard the task is. So it is learned from two tables, the packaged one and the one of the `h-adminsim`
package (its file `assets/departments/symptom.json`), and it knows only the words that both use. The words that sound
urgent are not changed.
"""

from __future__ import annotations

import json
import math
import sys
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path

from polyclinic.clinics.frontdesk.scenario.diseases import departments, packaged_diseases
from polyclinic.clinics.frontdesk.scenario.imported_hospital import THEIR_DEPARTMENTS
from polyclinic.clinics.frontdesk.understudies.triage import telling_words

TABLE = Path(__file__).parents[1] / "src/polyclinic/clinics/frontdesk/data/triage.toml"
OURS, THEIRS = 0.17, 1.0
"""The weight of one disease of each table: their lists are longer, and a patient has a smaller share of them.

With these weights, patients with the same number of symptoms get about the same share of wrong departments in both.
"""
SMOOTHING, STEPS = 0.1, 2.0
HEAD = """\
# What the understudy of the staff goes by when there is no diagnosis: stems of words, and how strongly each points to a
# department. Learned by tools/desk_triage.py from two tables of diseases; it holds only words that both use, so that it
# knows neither table's wording by heart. It errs, as rules of thumb do.
"""
Row = tuple[Sequence[str], str]


def learn(tables: Sequence[tuple[Sequence[Row], float]], names: Sequence[str]) -> dict[str, dict[str, int]]:
    """The words of each department: how much likelier each is there than elsewhere, in small whole numbers."""
    counts: dict[str, dict[str, float]] = {name: defaultdict(float) for name in names}
    shared = set.intersection(*(set().union(*(telling_words(text) for _, text in rows)) for rows, _ in tables))
    for rows, weight in tables:
        for places, text in rows:
            here = [place for place in places if place in counts]
            for place in here:
                for word in telling_words(text) & shared:
                    counts[place][word] += weight / len(here)
    logs = {
        name: {
            word: math.log((found[word] + SMOOTHING) / (sum(found.values()) + SMOOTHING * len(shared)))
            for word in shared
        }
        for name, found in counts.items()
    }
    means = {word: sum(logs[name][word] for name in names) / len(names) for word in shared}
    weights = {
        name: {word: round(STEPS * (logs[name][word] - means[word])) for word in sorted(shared)} for name in names
    }
    return {name: {word: weight for word, weight in found.items() if weight} for name, found in weights.items()}


def main(path: Path) -> None:
    """Write the packaged table from the packaged diseases and those of this file."""
    names = [department.name for department in departments()]
    ours = [(disease.departments, f"{disease.name} {' '.join(disease.symptoms)}") for disease in packaged_diseases()]
    theirs: list[Row] = []
    found: Mapping[str, list[dict[str, dict[str, list[str]]]]] = json.loads(path.read_text())
    for rows in found.values():
        for row in rows:
            for name, entry in row.items():
                places = [THEIR_DEPARTMENTS.get(place, place) for place in entry["department"]]
                theirs.append((places, f"{name} {' '.join(entry['symptom'])}"))
    text = TABLE.read_text()
    urgent = text[text.index("# What sounds as if it cannot wait") :]
    parts = [HEAD]
    for name, weights in learn([(ours, OURS), (theirs, THEIRS)], names).items():
        parts.append(f'\n["{name}"]\n' + "".join(f'"{word}" = {weight}\n' for word, weight in weights.items()))
    TABLE.write_text("".join([*parts, "\n", urgent]))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
