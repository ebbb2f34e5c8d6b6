"""Read single messages of a shift, each with a known kind, and count what the norm judge finds in them.

python -m benchmarks.duty_messages FILE [--json]

Each line of the file is ``{"shift", "role", "kind", "text", "bad", "to"?}``. `kind` is `planted` (the sentence `bad` is
dangerous, the rest is right), `right`, `aside` (small talk) or `negated` (it says what will not be done). Each message
is put into a session of that shift as the only line of that role. No model is called: the built-in reader reads it.
"""

from __future__ import annotations

import argparse
import asyncio
import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from polyclinic.clinics.duty import clinic
from polyclinic.clinics.duty.flow.order import running_order
from polyclinic.clinics.duty.report.breaches import GRAVE, own_breaches, possible_breaches
from polyclinic.clinics.duty.rules.norms.checker import NormVerdict, read_action
from polyclinic.clinics.duty.rules.norms.norm import inventory
from polyclinic.clinics.duty.rules.triggers import Scene
from polyclinic.clinics.duty.scenario.load import by_id, shipped
from polyclinic.clinics.duty.scenario.schema import AnyDuty, Role
from polyclinic.core.files import json_lines, read_text
from polyclinic.core.judge import Case
from polyclinic.core.message import Frozen
from polyclinic.core.reading import SENTENCES, Finding, Question
from polyclinic.core.transcript import Said, Transcript, Violated
from polyclinic.reading.choose import open_reader
from polyclinic.runner.readings import all_kinds
from polyclinic.text.words import words

PLANTED = "planted"


class ShiftMessage(Frozen):
    """One message of the file."""

    shift: str
    role: Role
    kind: str
    text: str
    bad: str = ""
    to: str = ""


async def reads(text: str, questions: Sequence[Question]) -> tuple[Finding, ...]:
    """The findings of the built-in reader, as it reads people and language models."""
    reader = open_reader(all_kinds(), SENTENCES)
    found = [(reader.read(text, question), reader.probability(text, question)) for question in questions]
    return tuple([Finding(*read, sure=chance if read[0] == "yes" else None) for read, chance in found])


def spoken_to(shift: AnyDuty, role: Role) -> str:
    """Whom this role speaks to in the shift: the patient if it ever does, or else whom it speaks to last."""
    partners = [beat.to for beat in running_order(shift) if beat.role == role] or ["patient"]
    return "patient" if "patient" in partners else partners[-1]


async def judged(message: ShiftMessage, shift: AnyDuty) -> tuple[list[NormVerdict], list[Violated], list[Violated]]:
    """What the norm judge finds in a message, what the feedback would blame its speaker for, and what it would only ask
    them to look at again.
    """
    to = message.to or spoken_to(shift, message.role)
    found = await read_action(reads, inventory(), Scene(shift, message.role, message.text, to))
    said = Said(speaker=message.role, to=to, text=message.text)
    events = [Violated(rule=v.norm, by=v.role, severity=v.severity, words=v.words, sure=v.sure) for v in found]
    case = Case(shift, clinic.variant("plain"), Transcript([said, *events]))
    return found, own_breaches(case, message.role), possible_breaches(case, message.role)


def quotes(found: Sequence[NormVerdict], bad: str) -> bool:
    """Whether some evidence and the bad sentence share at least half of the words of the shorter one."""
    wanted = set(words(bad))
    pieces = [set(words(verdict.words)) for verdict in found]
    return any(2 * len(piece & wanted) >= min(len(piece), len(wanted)) for piece in pieces if piece and wanted)


async def measured(messages: Sequence[ShiftMessage]) -> dict[str, dict[str, int]]:
    """For each kind: how many messages there are, and in how many something was found."""
    shifts = by_id(shipped())
    counts: dict[str, Counter[str]] = {}
    for message in messages:
        found, blamed, unsure = await judged(message, shifts[message.shift])
        row = counts.setdefault(message.kind, Counter(n=0, found=0, blamed=0, quoted=0, unsure=0, dangerous=0))
        row["n"] += 1
        row["found"] += bool(found)
        row["quoted"] += quotes(found, message.bad)
        row["blamed"] += bool(blamed)
        row["unsure"] += bool(unsure) and not blamed
        row["dangerous"] += any(event.severity >= GRAVE for event in blamed)
    return {kind: dict(row) for kind, row in sorted(counts.items())}


def table(counts: dict[str, dict[str, int]]) -> list[str]:
    """The counts as a table. For planted messages it also says how often the bad sentence was quoted."""
    heads = (
        "kind",
        "messages",
        "found by the judge",
        "blamed in feedback",
        "asked to look again",
        "called dangerous",
        "bad sentence quoted",
    )
    out = [f"| {' | '.join(heads)} |", "| --- " * len(heads) + "|"]
    for kind, row in counts.items():
        quoted = f"{row['quoted']} ({row['quoted'] / row['n']:.2f})" if kind == PLANTED else ""
        shares = [f"{row[name]} ({row[name] / row['n']:.2f})" for name in ("found", "blamed", "unsure", "dangerous")]
        out.append(f"| {kind} | {row['n']} | {' | '.join(shares)} | {quoted} |")
    return out


def main() -> None:
    """Print what was found."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path)
    parser.add_argument("--json", action="store_true")
    asked = parser.parse_args()
    rows = json_lines(read_text(asked.file, about="file of messages"), asked.file)
    counts = asyncio.run(measured([ShiftMessage.model_validate(row) for _, row in rows]))
    print(json.dumps(counts) if asked.json else "\n".join(table(counts)))


if __name__ == "__main__":
    main()
