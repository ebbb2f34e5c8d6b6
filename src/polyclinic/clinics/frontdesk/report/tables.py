"""The paper's tables 2 to 6 and 11, from one run, by hospital level, staff and variant."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from statistics import fmean, pstdev

from polyclinic.clinics.frontdesk.report.rows import Row, fault_of, groups, mean_over_hospitals, scored, share
from polyclinic.clinics.frontdesk.rules.codes import CRITERION, INTAKE_ORDER, MEANING, SCHEDULING_ORDER
from polyclinic.eval.sections import Cell, Table

_BOOKINGS = ("booked", "not_booked", "full")
_NAMES = "; ".join(f"{code} = {meaning}" for code, meaning in MEANING.items())


def success(rows: Sequence[Row], staff: str) -> Table:
    """Table 2: success rates."""
    lines: list[list[Cell]] = []
    for level, variant, mine in groups(rows):
        cells: list[Cell] = [level, staff, variant]
        for metric in ("intake", "scheduling", "intake_staff", "scheduling_staff"):
            found = mean_over_hospitals(mine, metric)
            cells.append("-" if found is None else f"{found[0]:.3f} ± {found[1]:.3f}")
        cells.append(len({row.hospital for row in mine}))
        lines.append(cells)
    return Table(
        "Success rates (table 2)",
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
        note="Mean ± standard deviation between hospitals. (staff) leaves out what the simulated patient spoilt.",
    )


def intake_errors(rows: Sequence[Row], staff: str) -> Table:
    """Table 3: intake errors by code."""
    return _errors("Intake errors (table 3)", "intake", INTAKE_ORDER, rows, staff)


def scheduling_errors(rows: Sequence[Row], staff: str, kind: str) -> Table | None:
    """Table 5 (tools) or 11 (reasoning): scheduling errors by code."""
    mine = [row for row in rows if (row.variant.startswith("reasoning")) == (kind == "reasoning")]
    if not scored(mine, "scheduling"):
        return None
    number = 11 if kind == "reasoning" else 5
    return _errors(f"Scheduling errors with {kind} (table {number})", "scheduling", SCHEDULING_ORDER, mine, staff)


def _errors(caption: str, metric: str, codes: Sequence[str], rows: Sequence[Row], staff: str) -> Table:
    lines: list[list[Cell]] = []
    for level, variant, mine in groups(rows):
        scores = scored(mine, metric)
        if not scores:
            continue
        counts = Counter(score.reason for score in scores if score.value == 0)
        errors = sum(counts.values())
        cells: list[Cell] = [level, staff, variant, share(errors, len(scores))]
        cells += [f"{counts[code]} ({100 * counts[code] / errors:.1f} %)" if counts[code] else "-" for code in codes]
        cells.append(sum(fault_of(score) == "patient" for score in scores))
        lines.append(cells)
    columns = [f"{CRITERION[f'{metric}:{code}']} {code}" for code in codes]
    return Table(caption, ["hospital", "staff", "variant", "errors", *columns, "patient's fault"], lines, note=_NAMES)


def departments(rows: Sequence[Row], staff: str) -> Table:
    """Table 4: department errors and rounds, apart from the rubric."""
    lines: list[list[Cell]] = []
    for level, variant, mine in groups(rows):
        right, rounds = scored(mine, "department"), scored(mine, "rounds")
        if not right:
            continue
        wrong = sum(score.value == 0 for score in right)
        values = [score.value for score in rounds]
        spread = f"{fmean(values):.2f} ± {pstdev(values):.2f}"
        lines.append([level, staff, variant, spread, share(wrong, len(right))])
    return Table(
        "Departments and rounds (table 4)", ["hospital", "staff", "variant", "rounds", "department errors"], lines
    )


def tools(rows: Sequence[Row], staff: str) -> Table | None:
    """Table 6: wrong tools and fallbacks among new appointments."""
    lines: list[list[Cell]] = []
    for level, variant, mine in groups(rows):
        new = [row for row in mine if row.score("right_tool") is not None]
        if not new:
            continue
        wrong = sum(score.value == 0 for score in scored(new, "right_tool"))
        fallen = [row for row in new if (score := row.score("tool_used")) is not None and score.value == 0]
        failed = sum(score.value == 0 for score in scored(fallen, "scheduling"))
        cells: list[Cell] = [level, staff, variant, share(wrong, len(new)), share(len(fallen), len(new))]
        lines.append([*cells, share(failed, len(fallen))])
    if not lines:
        return None
    columns = ["hospital", "staff", "variant", "wrong tool", "fallback", "of these failed"]
    return Table("Tools among new appointments (table 6)", columns, lines)


def outcomes(rows: Sequence[Row]) -> Table:
    """How contacts ended."""
    ends = (
        "booked",
        "not_booked",
        "full",
        "moved",
        "waiting",
        "cancelled",
        "nothing_done",
        "too_late",
        "no_appointment",
    )
    lines: list[list[Cell]] = []
    for level, variant, mine in groups(rows):
        counts = Counter(row.episode.outcome for row in mine)
        listed = sum(int(row.episode.data.get("waiting_moved", 0)) for row in mine)
        lines.append([level, variant, *(counts[end] for end in ends), listed])
    columns = ["hospital", "variant", *(end.replace("_", " ") for end in ends), "moved from the waiting list"]
    return Table("How contacts ended", columns, lines, note="full: no time was free; too late: the visit had begun.")


def dialogue_types(rows: Sequence[Row]) -> Table | None:
    """The nine kinds of booking dialogues."""
    found = Counter(str(row.episode.data["dialogue"]) for row in rows if "dialogue" in row.episode.data)
    if not found:
        return None
    kinds = ("asap", "physician", "date")
    order = [*kinds, *(f"{one}>{two}" for one in kinds for two in kinds if one != two)]
    return Table(
        "Kinds of booking dialogues", ["wish > second wish", "dialogues"], [[kind, found[kind]] for kind in order]
    )
