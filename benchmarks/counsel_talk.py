"""Messages and what the offline counsellor answers them, printed for a reader who rates the answers.

python -m benchmarks.counsel_talk FILE

FILE has one message a line: {"lang": "en" or "ko", "text": ...}; other fields are ignored. Each message is put to the
real service twice: as the first message of a session, and as the third, after a greeting and a yes. An answer is
followed by its sources and by the people who were told, in brackets.
"""

from __future__ import annotations

import argparse
import asyncio
from pathlib import Path

from benchmarks.counsel_first_words import all_answers
from polyclinic.core.files import json_lines


def main() -> None:
    """Print every message with its two answers."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    options.add_argument("file", type=Path)
    given = options.parse_args()
    lines = json_lines(given.file.read_text("utf-8"), str(given.file))
    rows = [{"kind": "", "language": row["lang"], "text": row["text"]} for _, row in lines]
    found = asyncio.run(all_answers(rows))
    for number, (first, third) in enumerate(zip(found[: len(rows)], found[len(rows) :], strict=True), 1):
        print(f"{number} [{first.language}] {first.text}")
        for one in (first, third):
            notes = "".join(f" [{each}]" for each in (*one.sources, *one.people))
            print(f"    {one.place}: {one.answer}{notes}")


if __name__ == "__main__":
    main()
