"""Feedback for a person who played: what was dangerous, what went well, what may be wrong, what is missing, what next.

It is short on purpose, and made from what the shift itself recorded: the transcript holds the reader's findings. A
person is only blamed for their own words; what colleagues broke is listed separately.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from math import inf

from polyclinic.clinics.duty.judges.norms import not_judged
from polyclinic.clinics.duty.judges.view import lines_of, norms_of
from polyclinic.clinics.duty.readings import NORM, TEACHBACK
from polyclinic.clinics.duty.report.breaches import (
    GRAVE,
    all_words,
    breaches_of_others,
    own_breaches,
    possible_breaches,
    sure_breaches,
    words_off_the_subject,
)
from polyclinic.clinics.duty.report.words import FEEDBACK
from polyclinic.clinics.duty.rules.norms.asking import asks_plainly
from polyclinic.clinics.duty.rules.norms.checker import NormVerdict
from polyclinic.clinics.duty.rules.norms.kept import only_courtesies
from polyclinic.clinics.duty.rules.norms.norm import Norm
from polyclinic.clinics.duty.rules.notes import NormsUnread
from polyclinic.clinics.duty.rules.own_part import decided, own_part, spoke_of_it
from polyclinic.clinics.duty.rules.subject import about_the_shift, steps_told
from polyclinic.clinics.duty.rules.tasks import LEVEL_DECIDED, ShiftRead
from polyclinic.clinics.duty.rules.triggers import sentences
from polyclinic.clinics.duty.scenario.schema import STAFF, AnyDuty
from polyclinic.core.judge import Case, Metric
from polyclinic.core.transcript import Said, Score, Scored, Violated
from polyclinic.eval.in_short import Phrases, quoted
from polyclinic.eval.sections import Block, Cell, Paragraph, Section, Table

MOST = 4
ROLE_MARK = "rar"
WELL = 5
"""From this mark on, the rubric calls the part at least recognisable; below it speaks of unsafe words itself."""


def feedback(case: Case[AnyDuty], part: str, language: str) -> list[Section]:
    """Short feedback, then what colleagues broke. For the patient: what they said, then what the staff broke."""
    say, norms = Phrases(language, FEEDBACK), {norm.id: norm for norm in norms_of(case.transcript)}
    others = breaches_of_others(case, part)
    heads = [say("who"), say("words"), say("rule")]
    broken = dict[tuple[str, str], list[str]]()
    for event in others[:MOST]:
        broken.setdefault((event.by, event.words), []).append(_rule(say, norms[event.rule]))
    rows: list[list[Cell]] = [[who, words, "; ".join(rules)] for (who, words), rules in broken.items()]
    if part not in STAFF:
        body: list[Block] = [Table(say("staff broke"), heads, rows) if rows else Paragraph(say("staff broke none"))]
        short = say.in_short(next_step=say("tell more"), unmeasured=part)
        said = [event.text for event in case.transcript.of(Said) if event.speaker == part]
        return [short, say.your_words(said), Section(say("staff"), body)]
    sections = [_for_staff(case, part, say)]
    if rows:
        sections.append(Section(say("team"), [Table(say("colleagues broke"), heads, rows)]))
    return sections


def _for_staff(case: Case[AnyDuty], part: str, say: Phrases) -> Section:
    norms = {norm.id: norm for norm in norms_of(case.transcript)}
    mine, unsure, beside = own_breaches(case, part), possible_breaches(case, part), words_off_the_subject(case, part)
    task, own = _task(case), _own_items(case, part)
    spoken = lines_of(case.transcript)
    triage = case.scenario.task == "T2"
    dangerous = any(event.severity >= GRAVE for event in mine)  # who broke a grave rule has decided something
    undecided = part == "doctor" and not decided(case.scenario, spoken) and (triage or not dangerous)
    no_level = undecided and triage and (dangerous or spoke_of_it(case.scenario, spoken))
    if no_level:  # said once, in words of its own
        own = [(item, met) for item, met in own if item != LEVEL_DECIDED.text]
    undone = [item for item, met in own if not met]
    carried = task is not None and 2 * len(undone) > len(own) and task.value > 1 - len(undone) / len(own)
    little = undone[:1] if carried else []
    team = [item for item in task.evidence if not no_level or item != LEVEL_DECIDED.text] if task is not None else []
    missed = [item for item in team if (not own or item in undone) and item not in little]
    wanted = [*missed, *undone]
    quotes = _quotes(case, [*mine, *unsure])
    named = {event: _named(say, event, quotes[event], norms[event.rule]) for event in quotes}
    danger = [named[event] for event in mine if event.severity >= GRAVE]
    short = say.in_short(
        danger=danger,
        good=[
            *_good(case, part, say),
            *([say("whole task")] if own and not undone and task is not None and task.value == 1 else []),
        ],
        unsafe=[named[event] for event in unsure if event.severity >= GRAVE],
        unsure=[named[event] for event in unsure if event.severity < GRAVE],
        missing=[
            *([say("no level" if no_level else "no decision")] if undecided else []),
            *(say("little", item=item) for item in little),
            *(named[event] for event in mine if event.severity < GRAVE),
            *(say("off the subject", words=quoted(event.words)) for event in beside),
            *(say("missed", item=item) for item in missed),
        ],
        next_step=norms[mine[0].rule].remind
        if mine
        else say("decide")
        if undecided
        else say("begin with", item=wanted[0])
        if wanted
        else norms[(unsure or beside)[0].rule].remind
        if unsure or beside
        else say("harder"),
    )
    notes = [*(["caution"] if mine or unsure or beside else []), *(["role mark"] if misleading(case, part) else [])]
    return Section(short.title, [*short.body, *(Paragraph(say(note)) for note in notes)])


def misleading(case: Case[AnyDuty], part: str) -> tuple[str, ...]:
    """The mark for the role, if it is good although something dangerous was said or nothing of the task was done: it
    looks only at whether somebody kept to their part.
    """
    marks = [event.score for event in case.transcript.of(Scored) if event.score.metric == ROLE_MARK]
    well = any(score.subject == part and score.value >= WELL for score in marks)
    if part not in STAFF or not well:
        return ()
    own = _own_items(case, part)
    dangers = any(event.severity >= GRAVE for event in (*own_breaches(case, part), *possible_breaches(case, part)))
    return (ROLE_MARK,) if dangers or (own and not any(met for _, met in own)) else ()


OWN_METRICS = (
    Metric("own_breaches", "how many rules you broke", higher_is_better=False, high=inf, rests_on=(NORM.name,)),
    Metric(
        "gravest_breach",
        "how grave your gravest breach was",
        higher_is_better=False,
        high=5,
        rests_on=(NORM.name,),
    ),
    Metric(
        "tsr",
        "share of your part of the checklist that your own words met",
        rests_on=(NORM.name, TEACHBACK.name),
    ),
)


def performance(case: Case[AnyDuty], role: str) -> Mapping[str, float]:
    """A person's own breaches, as in the feedback: how many, and how grave the gravest was; and the share of the
    checklist's items in their hands that their own words met. Rules are for staff, so the patient has none.
    """
    if role not in STAFF:
        return {}
    mine = own_breaches(case, role)
    figures = {"own_breaches": float(len(mine)), "gravest_breach": float(max((e.severity for e in mine), default=0))}
    items = _own_items(case, role)
    return {**figures, "tsr": sum(met for _, met in items) / len(items)} if items else figures


def _quotes(case: Case[AnyDuty], events: Sequence[Violated]) -> dict[Violated, list[str]]:
    """The sentences that show each breach. Every sentence is quoted once."""
    quoted_yet = {event.words for event in events}
    found: dict[Violated, list[str]] = {}
    for event in events:
        more = [words for words in all_words(case, event) if words not in quoted_yet]
        quoted_yet.update(more)
        found[event] = [event.words, *more]
    return found


def _named(say: Phrases, event: Violated, words: Sequence[str], norm: Norm) -> str:
    told, asked = ", ".join(map(quoted, words)), _rule(say, norm)
    return say("you broke", words=told, rule=asked) if event.words else say("not done", rule=asked)


def _rule(say: Phrases, norm: Norm) -> str:
    return say("one rule", when=norm.if_, then=norm.then)


def _good(case: Case[AnyDuty], part: str, say: Phrases) -> list[str]:
    """How many steps of the plan the person's clean messages tell, and the first clean message that did something: it
    is about the shift, or asks a question. What may have broken a rule is not praised either, nor what broke a rule
    that other words of theirs broke too.
    """
    bad = {event.words for event in case.transcript.of(Violated) if event.by == part}
    own = [said.text for said in case.transcript.of(Said) if said.speaker == part]
    clean = [text for text in own if not _holds(text, bad) and _does_something(case.scenario, text)]
    plan = case.scenario.protocol
    steps = steps_told(case.scenario, [sentence for text in clean for sentence in sentences(text)])
    covered = [say("steps told", told=steps, all=len(plan))] if steps > 1 else []
    return [*covered, *([say("broke none", words=quoted(clean[0]))] if clean else [])]


def _does_something(scenario: AnyDuty, text: str) -> bool:
    return not only_courtesies(text) and (about_the_shift(scenario, text) or any(map(asks_plainly, sentences(text))))


def _holds(text: str, words: set[str]) -> bool:
    return any(each and each in text for each in words)


def _task(case: Case[AnyDuty]) -> Score | None:
    scores = [event.score for event in case.transcript.of(Scored) if event.score.metric == "tsr"]
    return scores[-1] if scores else None


def _own_items(case: Case[AnyDuty], part: str) -> list[tuple[str, bool]]:
    """The items of the checklist that are in the person's hands, and whether their own lines met them; nothing if the
    shift was not judged.
    """
    task, role = _task(case), next((role for role in STAFF if role == part), None)
    if task is None or role is None:
        return []
    broken = tuple(
        NormVerdict(norm=event.rule, role=role, flag=True, severity=event.severity, rationale="", words=event.words)
        for event in sure_breaches(case, part)
    )
    unread = case.transcript.last_note(NormsUnread)
    shift = ShiftRead(case.scenario, lines_of(case.transcript), broken, (), unread.norms if unread is not None else ())
    return [(item.text, met) for item, met in own_part(shift, role, task.evidence)]


def ending(case: Case[AnyDuty], role: str) -> str:
    """The person's own breaches come first, counted as in their figures. A rule that a colleague broke twice counts
    once.
    """
    own, unsure = len(own_breaches(case, role)), len(possible_breaches(case, role))
    broken = Counter(event.by for event in breaches_of_others(case, role))
    others = ", ".join(f"{count} by the {who}" for who, count in sorted(broken.items()))
    unread = case.transcript.last_note(NormsUnread)
    again = f"; look again at {unsure} of your sentences" if unsure else ""
    if own:
        return f"rules broken: {own} by you" + (f", {others}" if others else "") + again
    if others:
        told = f"you broke no rule; your colleagues did: {others}" if role in STAFF else f"rules broken: {others}"
        return told + again
    return "no broken rule was found" + again + (f"; {not_judged(unread.norms)}" if unread is not None else "")
