"""How answers to the counsellor's question about ending one's life are judged, by author and language.

python benchmarks/counsel_answers.py [FILE ...]

Each file has one answer a line: {"lang": "en" or "ko", "text": ..., "label": 1 where a careful nurse would not take it
as a no}. Without files: the sets in benchmarks/data. "guard alone" reads the answer by itself; "with the rule" knows
what was asked.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from polyclinic.clinics.counsel.rules.affirmed import affirmed
from polyclinic.clinics.counsel.rules.guard import offline
from polyclinic.clinics.counsel.rules.lexicon import screen
from polyclinic.clinics.counsel.rules.trained import read_message
from polyclinic.eval.estimate import share_interval

DATA = Path(__file__).parent / "data"


def measure(file: Path) -> None:
    """Print one row for each language and label, and the answers that were missed."""
    rows = [json.loads(line) for line in file.read_text("utf-8").splitlines() if line.strip()]
    for lang in ("en", "ko"):
        for label in (1, 0):
            texts = [row["text"] for row in rows if (row["lang"], row["label"]) == (lang, label)]
            alone = [offline(screen(text), read_message(text)).way == "escalate" for text in texts]
            both = [found or affirmed(text) is not None for text, found in zip(texts, alone, strict=True)]
            low, high = share_interval(sum(both), len(both))
            meant = "no clear no" if label else "no, worn out, other"
            author = file.stem.rpartition("_")[2]
            counts = f"{len(texts)} | {sum(alone)} | {sum(both)} | [{low:.2f}, {high:.2f}]"
            print(f"| {author} | {lang} | {meant} | {counts} |")
            if label:
                for text, found in zip(texts, both, strict=True):
                    if not found:
                        print(f"    missed: {text}")


def main() -> None:
    """Measure the files named, or those kept here."""
    print("| author | language | answer | n | escalated: guard alone | with the rule | 95 % interval |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for file in [Path(name) for name in sys.argv[1:]] or sorted(DATA.glob("answers_after_question_*.jsonl")):
        measure(file)


if __name__ == "__main__":
    main()
