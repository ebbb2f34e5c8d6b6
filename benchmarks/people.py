"""Do the offline people understand ordinary language? Questions to every patient, and what students say in rounds.

    python benchmarks/people.py [questions] [contributions] [--half 1|2] [--misses] [--author e]

It uses `data/doctor_questions.jsonl` (`fit`: the numbers of the record's facts that would be a fitting answer) and
`data/student_contributions.jsonl` (`right` and `wrong`: the steps that a text shows or gets wrong). Their author saw
the records and cases, but no rule, prompt or sentence of ours. `strictly`: the answer tells one of the fitting facts,
alone or among others, or tells nothing if there is no such fact. `fittingly`: as strictly, and if there is no such fact
the patient may also tell something near and say that this is all they know. A denial is an answer that tells no fact of
the record and denies a fitting one, as the reader finds. Denials are printed without the question.

Lines were added to the records after the authors had written (`data/lines_added.json`: how many at the end of each
topic). So the answers are measured twice: with the records as the authors saw them, and as they ship. Nobody marked the
added lines, so with the second only questions with a marked fact count.

`--misses` prints misses of the first half of the records for the first author, all for others. By now misses of both
halves, of E, of G and of H have been read, so their figures flatter. Of I, J and K (`--author i` and so on) nobody has
read a question. They wrote after the lines were added, about the records as they ship.
"""

from __future__ import annotations

import argparse
import asyncio
import json
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
ADDED: dict[str, dict[str, int]] = json.loads((DATA / "lines_added.json").read_text(encoding="utf-8"))
WROTE_AFTER = ("_i", "_j", "_k")
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
    any_told = any(fact.text in said for fact in case.spoken)
    denied = [facts[number - 1] for number in row["fit"] if not any_told]
    if any(READER.read(said, DENIED.ask(fact=fact))[0] == "yes" for fact in denied):
        words, _, _ = said.partition(' "')
        print(f"denied: {case.id}: {' / '.join(denied)}: by “{words}”")
        return "denied"
    unsure = said.startswith((own.nothing, own.puzzled, own.not_done)) or said.endswith(own.nearest)
    if told:
        return NEAREST if unsure and not row["fit"] else "something else told"
    return "not understood" if row["fit"] else NOTHING


def as_seen(case: Record, author: str) -> Record:
    """The record without the lines that were added at the end of its topics after the author had written."""
    if author in WROTE_AFTER:
        return case
    left = {topic: sum(fact.topic == topic for fact in case.facts) - n for topic, n in ADDED[case.id].items()}
    place: Counter[str] = Counter()
    kept = []
    for fact in case.facts:
        place[fact.topic] += 1
        if place[fact.topic] <= left.get(fact.topic, len(case.facts)):
            kept.append(fact)
    return case.model_copy(update={"facts": tuple(kept)})


def numbered(case: Record, author: str) -> list[str]:
    """The record's facts in the order in which the author saw them: volunteered first, then by topic as written."""
    return [fact.text for fact in as_seen(case, author).facts if not fact.test]


def half(row: dict[str, Any]) -> int:
    """Half 1 or 2 of a record; records alternate in the order of their names."""
    return 1 + RECORDS.index(row["c"]) % 2


async def questions(misses: bool, of: int, author: str) -> None:
    """Measure the patient's answers, with the records as the author saw them and as they ship."""
    seen: Counter[str] = Counter()
    ships: Counter[str] = Counter()
    for row in rows(f"doctor_questions{author}.jsonl"):
        if of not in (0, half(row)):
            continue
        case = record(row["c"])
        facts = numbered(case, author)
        for counts, shown in ((seen, as_seen(case, author)), (ships, case)):
            if counts is ships and not row["fit"]:
                continue
            said = await answer(shown, row["t"])
            found = outcome(shown, said, row, facts)
            counts[found] += 1
            if misses and found not in (FITTING, NOTHING, NEAREST) and (author or half(row) == 1):
                print(f"{found}: {row['c']}: {row['t']} -> {said}")
    total = sum(seen.values())
    strictly = seen[FITTING] + seen[NOTHING]
    print(f"questions {total}, records as the author saw them: strictly {strictly / total:.3f},", end=" ")
    print(f"fittingly {(strictly + seen[NEAREST]) / total:.3f}, true facts denied {seen['denied']}", dict(seen))
    marked = sum(ships.values())
    print(f"questions with a marked fact {marked}, records as they ship: a marked fact told", end=" ")
    print(f"{ships[FITTING] / marked:.3f}, true facts denied {ships['denied']}", dict(ships))


async def contributions(misses: bool, of: int, author: str) -> None:
    """Measure which steps are found in students' words: steps that they show, and steps that they do not."""
    if not (DATA / f"student_contributions{author}.jsonl").exists():
        print("contributions: this author wrote questions only")
        return
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
    parser.add_argument(
        "--author", choices=("e", "g", "h", "i", "j", "k"), help="measure with this author's files instead"
    )
    args = parser.parse_args()
    for name, run in (("questions", questions), ("contributions", contributions)):
        if not args.what or name in args.what:
            asyncio.run(run(args.misses, args.half, f"_{args.author}" if args.author else ""))


if __name__ == "__main__":
    main()
