"""Do the offline people understand ordinary language? Questions to every patient, and what students say in rounds.

    python benchmarks/people.py [questions] [contributions] [--half 1|2] [--misses] [--author e]

It uses `data/doctor_questions.jsonl` (`fit`: the numbers of the record's facts that would be a fitting answer) and
`data/student_contributions.jsonl` (`right` and `wrong`: the steps that a text shows or gets wrong). Their author saw
the records and cases, but no rule, prompt or sentence of ours. An answer is fitting if it tells one of the fitting
facts, alone or among others. If there is no such fact, the patient must say that they do not know, or tell something
near and say that this is all they know; `strictly` counts this only if nothing is told. A denial is an answer that
denies a fitting fact, as the reader finds.

The patient was improved by looking at misses in the first half of the records. So the figure of the second half is the
one to trust, and `--misses` prints the first half only. `--author e` uses a second author's files, which nobody looked
at.
"""

from __future__ import annotations

import argparse
import asyncio
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from polyclinic.clinics.patient.prompts.patient.answers import AnswersOverall
from polyclinic.clinics.patient.prompts.patient.facts import KnownFact, Player, TalkSoFar
from polyclinic.clinics.patient.readings import DENIED
from polyclinic.clinics.patient.rules.disclosure import brief, nearest
from polyclinic.clinics.patient.rules.meaning import read_question
from polyclinic.clinics.patient.scenario.record import Record
from polyclinic.clinics.patient.scenario.shipped import record, shipped_records
from polyclinic.clinics.patient.understudies.patient import PatientUnderstudy
from polyclinic.clinics.patient.understudies.voice import voice
from polyclinic.clinics.rounds.rules.heard import hear_student
from polyclinic.clinics.rounds.scenario import scenarios
from polyclinic.core.files import json_lines
from polyclinic.core.model import Request, Settings
from polyclinic.core.reading import Finding, Question
from polyclinic.core.understudy import Ask
from polyclinic.reading.reader import BuiltInReader
from polyclinic.runner.readings import all_kinds

DATA = Path(__file__).parent / "data"
READER = BuiltInReader(all_kinds())
RECORDS = sorted(each.id for each in shipped_records())
FITTING, NOTHING, NEAREST = "fitting", "nothing, rightly", "the nearest told, and that this is all"


def rows(name: str) -> list[dict[str, Any]]:
    """The lines of a data file."""
    return [row for _, row in json_lines((DATA / name).read_text(encoding="utf-8"), name)]


async def reads(text: str, questions: Sequence[Question]) -> tuple[Finding, ...]:
    """Read a text with the built-in reader, as in an episode."""
    return tuple(Finding(*READER.read(text, question)) for question in questions)


async def answer(case: Record, question: str) -> str:
    """What the offline patient says when it gets the same input as from the flow."""
    near = nearest(case, question, lambda text, others: [READER.likeness(text, other) for other in others])
    given = brief(case, question, await read_question(reads, case, question, near), near)
    known = tuple(KnownFact(text=fact.text, topic=fact.topic.value) for fact in given.facts)
    prompt = AnswersOverall(
        person="a calm person",
        earlier="",
        information=known,
        heard="",
        question=question,
        memory=TalkSoFar(),
        player=Player(),
        requirements=(),
        demonstrations=(),
        plan="",
    )
    request = Request("patient", prompt, tuple(prompt.render()), (), Settings(seed=1), "e")
    return str(PatientUnderstudy().play(Ask(prompt, request, {}, READER)))


def outcome(case: Record, said: str, row: dict[str, Any], facts: list[str]) -> str:
    """How an answer fits its question."""
    told = {number for number, fact in enumerate(facts, start=1) if fact in said}
    own = voice("first")
    if told & set(row["fit"]):
        return FITTING
    if any(READER.read(said, DENIED.ask(fact=facts[number - 1]))[0] == "yes" for number in row["fit"] if not told):
        return "denied"
    unsure = said.startswith((own.nothing, own.puzzled, own.not_done)) or said.endswith(own.nearest)
    if told:
        return NEAREST if unsure and not row["fit"] else "something else told"
    return "not understood" if row["fit"] else NOTHING


def numbered(case: Record) -> list[str]:
    """The record's facts in the order in which the author saw them: volunteered first, then by topic as written."""
    return [fact.text for fact in case.facts if not fact.test]


def half(row: dict[str, Any]) -> int:
    """Half 1 or 2 of a record; records alternate in the order of their names."""
    return 1 + RECORDS.index(row["c"]) % 2


async def questions(misses: bool, of: int, author: str) -> None:
    """Measure the patient's answers."""
    counts: Counter[str] = Counter()
    for row in rows(f"doctor_questions{author}.jsonl"):
        if of not in (0, half(row)):
            continue
        case = record(row["c"])
        said = await answer(case, row["t"])
        found = outcome(case, said, row, numbered(case))
        counts[found] += 1
        if misses and found not in (FITTING, NOTHING, NEAREST) and (author or half(row) == 1):
            print(f"{found}: {row['c']}: {row['t']} -> {said}")
    total = sum(counts.values())
    strictly = counts[FITTING] + counts[NOTHING]
    print(f"questions {total}: answered fittingly {(strictly + counts[NEAREST]) / total:.3f},", end=" ")
    print(f"strictly {strictly / total:.3f}", dict(counts))


async def contributions(misses: bool, of: int, author: str) -> None:
    """Measure which steps are found in students' words: steps that they show, and steps that they do not."""
    cases = {case.id: case for case in scenarios("", 0)}
    hit: Counter[tuple[bool, bool]] = Counter()
    whole = 0
    lines = rows(f"student_contributions{author}.jsonl")
    for row in lines:
        case = cases[row["c"]]
        found = {number + 1 for number in (await hear_student(reads, case, row["t"])).held}
        for n in row["right"]:
            hit[True, n in found] += 1
        for n in row.get("wrong", ()):
            hit[False, n in found] += 1
        whole += set(row["right"]) <= found
    right = hit[True, True] / max(1, hit[True, True] + hit[True, False])
    wrong = hit[False, False] / max(1, hit[False, True] + hit[False, False])
    print(f"contributions {len(lines)}: steps shown that are seen {right:.3f}; wrong ones not taken so {wrong:.3f};")
    print(f"all steps of a text seen {whole / len(lines):.3f}")


def main() -> None:
    """Run both parts, or one of them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", nargs="*", default=[], metavar="questions|contributions")
    parser.add_argument("--half", type=int, choices=(1, 2), default=0)
    parser.add_argument("--misses", action="store_true")
    parser.add_argument("--author", choices=("e", "g", "h"), help="measure with this author's files instead")
    args = parser.parse_args()
    for name, run in (("questions", questions), ("contributions", contributions)):
        if not args.what or name in args.what:
            asyncio.run(run(args.misses, args.half, f"_{args.author}" if args.author else ""))


if __name__ == "__main__":
    main()
