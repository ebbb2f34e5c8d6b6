"""The paper's tables 2 to 6 and 11, from one run, by hospital level, staff and variant."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from polyclinic.clinics.frontdesk.report.rows import (
    WISHES,
    ContactRow,
    groups,
    mean_over_hospitals,
    moved_up,
    scored,
    share,
    with_deviation,
)
from polyclinic.clinics.frontdesk.rules.codes import CRITERION, INTAKE_ORDER, MEANING, SCHEDULING_ORDER
from polyclinic.clinics.frontdesk.rules.notes import BookingEnded
from polyclinic.clinics.frontdesk.variants import VARIANTS
from polyclinic.eval.papers import as_in_paper
from polyclinic.eval.sections import Cell, Table
from polyclinic.text.layout import number_of

_ENDS = (
    "taken_in",
    "booked",
    "not_booked",
    "full",
    "moved",
    "waiting",
    "cancelled",
    "nothing_done",
    "too_late",
    "no_appointment",
    "no_scheduling",
)
_MEANT = {
    "full": "no time was free",
    "not_booked": "what was offered could not be booked",
    "too_late": "the visit had begun, so the patient did not call",
    "no_appointment": "there was no appointment to call about",
    "no_scheduling": "the variant has no scheduling",
    "failed": "see Failures; in no rate",
}
BOTH = ("tool", "reasoning")
"""What the paper's tables compare: scheduling with tools, and with reasoning alone."""


def _variants(rows: Sequence[ContactRow]) -> set[str]:
    return {row.variant for row in rows}


def success(rows: Sequence[ContactRow], staff: str, patient: str) -> Table:
    """Table 2: success rates."""
    lines: list[list[Cell]] = []
    for name, variant, mine in groups(rows):
        cells: list[Cell] = [name, staff, variant]
        cells += [
            mean_over_hospitals(mine, metric) for metric in ("intake", "scheduling", "intake_staff", "scheduling_staff")
        ]
        cells.append(len({row.hospital for row in mine}))
        lines.append(cells)
    return Table(
        as_in_paper("Success rates", "table 2", BOTH, _variants(rows)),
        [
            "hospital",
            "staff",
            "variant",
            "intake",
            "scheduling",
            "intake (staff)",
            "scheduling (staff)",
            "hospitals",
        ],
        lines,
        note=f"Patients are played by {patient}. Rates from 0 to 1: mean ± standard deviation between hospitals "
        "(none for one hospital); n counts the tasks. Where hospitals differ in size, 1 minus the rate differs a "
        "little from the pooled error rates of tables 3, 5 and 11. (staff) leaves out what the patient spoilt.",
        n=number_of(sum(len(scored(rows, metric)) for metric in ("intake", "scheduling")), "task"),
    )


def intake_errors(rows: Sequence[ContactRow], staff: str) -> Table:
    """Table 3: intake errors by code."""
    caption = as_in_paper("Intake errors", "table 3", BOTH, _variants(rows))
    return _errors(caption, "intake", INTAKE_ORDER, rows, staff)


def scheduling_errors(rows: Sequence[ContactRow], staff: str, kind: str) -> Table | None:
    """Table 5 (tools) or 11 (reasoning): scheduling errors by code."""
    mine = [row for row in rows if (VARIANTS[row.variant].scheduling == "reasoning") == (kind == "reasoning")]
    if not scored(mine, "scheduling"):
        return None
    place, compares = ("table 11", BOTH[1:]) if kind == "reasoning" else ("table 5", BOTH[:1])
    caption = as_in_paper(f"Scheduling errors with {kind}", place, compares, _variants(rows))
    return _errors(caption, "scheduling", SCHEDULING_ORDER, mine, staff)


def _errors(caption: str, metric: str, codes: Sequence[str], rows: Sequence[ContactRow], staff: str) -> Table:
    lines: list[list[Cell]] = []
    for name, variant, mine in groups(rows):
        scores = scored(mine, metric)
        if not scores:
            continue
        counts = Counter(score.reason for score in scores if score.value == 0)
        errors = sum(counts.values())
        cells: list[Cell] = [name, staff, variant, share(errors, len(scores))]
        cells += [f"{counts[code]:,} ({100 * counts[code] / errors:.1f} %)" if counts[code] else "-" for code in codes]
        cells.append(sum(row.fault(metric) == "patient" for row in mine))
        lines.append(cells)
    meanings = "; ".join(f"{code} = {MEANING[code]} ({CRITERION[f'{metric}:{code}']})" for code in codes)
    return Table(
        caption,
        ["hospital", "staff", "variant", "errors", *codes, "patient's fault"],
        lines,
        note="Each task has at most one code, the first that was found. So the counts of the codes add up to "
        f"the number of errors, and each share is a share of the errors. {meanings}.",
        n=number_of(len(scored(rows, metric)), "task"),
    )


def departments(rows: Sequence[ContactRow], staff: str) -> Table:
    """Table 4: department errors and rounds, counted separately from the rubric."""
    lines: list[list[Cell]] = []
    for name, variant, mine in groups(rows):
        right, rounds = scored(mine, "department"), scored(mine, "rounds")
        if not right:
            continue
        wrong = sum(score.value == 0 for score in right)
        spread = with_deviation([score.value for score in rounds])
        lines.append([name, staff, variant, spread, share(wrong, len(right))])
    return Table(
        as_in_paper("Departments and rounds", "table 4", BOTH, _variants(rows)),
        ["hospital", "staff", "variant", "rounds", "department errors"],
        lines,
        note="Rounds of the intake dialogue: mean ± standard deviation between patients. Department errors are counted "
        "whatever else went wrong, so they may be more than ID and IDPI in table 3.",
        n=number_of(len(scored(rows, "department")), "intake"),
    )


def tools(rows: Sequence[ContactRow], staff: str) -> Table | None:
    """Table 6: wrong tools and fallbacks among new appointments, and how many of each failed."""
    lines: list[list[Cell]] = []
    for name, variant, mine in groups(rows):
        new = [row for row in mine if row.score("right_tool") is not None]
        if not new:
            continue
        cells: list[Cell] = [name, staff, variant]
        for metric in ("right_tool", "tool_used"):
            found = [row for row in new if (score := row.score(metric)) is not None and score.value == 0]
            failed = sum(score.value == 0 for score in scored(found, "scheduling"))
            cells += [share(len(found), len(new)), share(failed, len(found))]
        lines.append(cells)
    if not lines:
        return None
    columns = ["hospital", "staff", "variant", "wrong tool", "of these failed", "fallback", "of fallbacks failed"]
    note = (
        "Wrong tool: another tool than the patient's wish asks for, in either offer; the paper counts those "
        "that failed."
    )
    appointments = number_of(len(scored(rows, "right_tool")), "new appointment")
    caption = as_in_paper("Tools among new appointments", "table 6", BOTH[:1], _variants(rows))
    return Table(caption, columns, lines, note=note, n=appointments)


_OF_THE_LIST = (
    "moved up: patients of the waiting list whom a cancellation moved, in no other column; not reached: those whom it "
    "could have moved, but whose phone number was not written down correctly"
)


def outcomes(rows: Sequence[ContactRow]) -> Table:
    """How contacts ended, failed ones too; every contact is in one column."""
    counted: list[tuple[str, str, Counter[str], int, int]] = []
    for name, variant, mine in groups(row for row in rows if row.contact.kind not in ("opening", "closing")):
        counts = Counter(row.episode.outcome if row.episode.status == "done" else "failed" for row in mine)
        counted.append((name, variant, counts, *moved_up(mine)))
    seen = {end for _, _, counts, _, _ in counted for end in counts}
    ends = [end for end in _ENDS if end in seen] + sorted(seen - {*_ENDS, "failed"}) + ["failed"] * ("failed" in seen)
    lines: list[list[Cell]] = [
        [name, variant, counts.total(), *(counts[end] for end in ends), listed, missed]
        for name, variant, counts, listed, missed in counted
    ]
    columns = ["hospital", "variant", "contacts", *(end.replace("_", " ") for end in ends), "moved up", "not reached"]
    told = [f"{end.replace('_', ' ')}: {_MEANT[end]}" for end in ends if end in _MEANT]
    note = "; ".join([*told, _OF_THE_LIST])
    contacts = number_of(sum(counts.total() for _, _, counts, _, _ in counted), "contact")
    return Table("How contacts ended", columns, lines, note=f"{note}.", n=contacts)


def imposters(rows: Sequence[ContactRow]) -> Table | None:
    """Calls about other people's appointments, and how many of the calls reached an appointment. This must be zero."""
    lines: list[list[Cell]] = []
    for name, variant, mine in groups(rows):
        scores = scored(mine, "protected")
        if scores:
            lines.append([name, variant, len(scores), sum(score.value == 0 for score in scores)])
    columns = ["hospital", "variant", "calls", "reached an appointment"]
    calls = number_of(len(scored(rows, "protected")), "call")
    return Table("Calls of imposters", columns, lines, n=calls) if lines else None


def dialogue_types(rows: Sequence[ContactRow]) -> Table | None:
    """The nine kinds of booking dialogues."""
    found: dict[str, Counter[tuple[str, ...]]] = {}
    for name, _variant, mine in groups(rows):
        kinds = [talk.wishes for row in mine if (talk := row.episode.ended_with(BookingEnded)) is not None]
        if kinds:
            found.setdefault(name, Counter()).update(kinds)
    if not found:
        return None
    order: dict[tuple[str, ...], str] = {(kind,): words for kind, words in WISHES.items()}
    order |= {(one, two): f"{WISHES[one]}, then {WISHES[two]}" for one in WISHES for two in WISHES if one != two}
    lines: list[list[Cell]] = [[words, *(counts[kind] for counts in found.values())] for kind, words in order.items()]
    lines.append(["all", *(counts.total() for counts in found.values())])
    return Table(
        "Kinds of booking dialogues",
        ["wish, then second wish", *found],
        lines,
        note="All variants together. The second wish is stated after the first offer was turned down, or when "
        "the first wish has no free time.",
        n=number_of(sum(counts.total() for counts in found.values()), "dialogue"),
    )
