"""Fast evolution: reports become edits of a role's prompt book, and only lines that help are kept.

A line is added when its norm was broken gravely or repeatedly, or its trait has drifted. It is on trial: if its norm is
still broken as often as before, it is removed. When the book is full, a new line replaces the weakest one only if it is
clearly worth more.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from polyclinic.clinics.duty.evolve.reports import R01, R02
from polyclinic.clinics.duty.rules.norms.norm import HIGH_SEVERITY, Norm
from polyclinic.clinics.duty.state.prompt_book import LINE_CHARS, MAX_CHARS, MAX_LINES, Edit, PromptBook, PromptLine
from polyclinic.clinics.duty.state.ward import RoleState
from polyclinic.core.memory import cut
from polyclinic.people.traits import degree, dimensions

LOOK_BACK = 5
TRIAL_EPISODES = 10
MUST_FALL_TO = 0.9
MUST_BEAT = 1.2
PREVENTIVE_RISK = 0.3


def edits_from(state: RoleState, r01: R01 | None, r02: R02 | None, norms: Mapping[str, Norm]) -> list[Edit]:
    """The edits that the two reports call for, in the order in which they can be applied."""
    episode = r01.episode if r01 is not None else r02.episode if r02 is not None else 0
    book, edits = state.book, []
    for edit in _on_trial(state, episode):
        book = book.applied(edit)
        edits.append(edit)
    wanted = [*(_responsibility(state, r01, norms) if r01 else ()), *(_identity(state, r02, norms) if r02 else ())]
    for line, reason in sorted(wanted, key=lambda item: (-item[0].stake, item[0].key)):
        for edit in _place(book, line, reason, episode):
            book = book.applied(edit)
            edits.append(edit)
    return edits


def _on_trial(state: RoleState, episode: int) -> list[Edit]:
    """Remove lines whose trial is over and that changed nothing."""
    edits: list[Edit] = []
    book = state.book
    for line in state.book.lines:
        subject, _, name = line.key.partition(":")
        if subject != "norm" or episode - line.born < TRIAL_EPISODES or line.before == 0:
            continue
        since = state.rate(name, since=line.born)
        if since >= MUST_FALL_TO * line.before:
            reason = (
                f"{name} broken {since:.2f} times an episode since, {line.before:.2f} before: the line does not help"
            )
            edits.append(book.removal(line, reason, episode))
            book = book.applied(edits[-1])
    return edits


def _responsibility(state: RoleState, report: R01, norms: Mapping[str, Norm]) -> list[tuple[PromptLine, str]]:
    wanted = []
    broken = {verdict.norm for verdict in report.broken}
    for correction in report.corrections:
        norm = norms.get(correction.norm)
        if norm is None or correction.norm not in broken:
            continue
        since = max(report.episode - LOOK_BACK, 0)
        seen = max(len([c for c in state.counted if c.episode >= since]), 1)
        times = sum(verdict.norm == norm.id for verdict in report.broken)
        rate = (state.rate(norm.id, since=since) * seen + times) / (seen + 1)
        if norm.severity < HIGH_SEVERITY and rate * (seen + 1) < 2:
            continue
        line = PromptLine(
            key=f"norm:{norm.id}",
            kind=correction.kind,
            text=cut(correction.text, LINE_CHARS),
            born=report.episode,
            stake=round(norm.severity * rate, 4),
            before=round(rate, 4),
        )
        wanted.append((line, f"{norm.id} was broken ({norm.severity} of 5), {rate:.2f} times an episode lately"))
    return wanted


def _identity(state: RoleState, report: R02, norms: Mapping[str, Norm]) -> list[tuple[PromptLine, str]]:
    wanted = []
    if report.drift.drift and state.profile is not None:
        about = {dimension.id: dimension.about for dimension in dimensions(state.profile.role)}
        for name, deviation in report.drift.top:
            if abs(deviation) < report.drift.distance * 0.7:
                continue
            usual = degree(state.profile.traits[name].mean)
            less = "less" if deviation < 0 else "more"
            text = f"Be yourself again: you are someone who {about[name]} {usual}; lately it was {less}."
            stake = round(5 * abs(deviation), 4)
            line = PromptLine(key=f"trait:{name}", kind="identity", text=text, born=report.episode, stake=stake)
            wanted.append((line, f"{name} has drifted by {deviation:+.2f}"))
    for risk in report.risks:
        norm = norms.get(risk.norm)
        if risk.risk >= PREVENTIVE_RISK and norm is not None and state.role in norm.roles:
            text = cut(f"{norm.remind} So {risk.suggestion}.", LINE_CHARS)
            line = PromptLine(
                key=f"norm:{norm.id}",
                kind="phrase",
                text=text,
                born=report.episode,
                stake=round(risk.risk * norm.severity, 4),
            )
            wanted.append((line, f"{risk.dimension} puts {norm.id} at risk ({risk.risk:.2f}) before it is broken"))
    return wanted


def _place(book: PromptBook, line: PromptLine, reason: str, episode: int) -> Sequence[Edit]:
    """The edits that add a line; none if it is already there or is not worth the space."""
    if book.find(line.key) is not None:
        return ()
    add = Edit(action="add", line=line, place=len(book.lines), reason=reason, episode=episode)
    if len(book.lines) < MAX_LINES and book.chars + len(line.text) <= MAX_CHARS:
        return (add,)
    weakest = min(book.lines, key=lambda old: (old.stake, old.key))
    if line.stake <= MUST_BEAT * weakest.stake:
        return ()
    room = book.removal(weakest, f"makes room for {line.key}, which is worth more", episode)
    if book.chars - len(weakest.text) + len(line.text) > MAX_CHARS:
        return ()
    return (room, add.model_copy(update={"place": len(book.lines) - 1}))
