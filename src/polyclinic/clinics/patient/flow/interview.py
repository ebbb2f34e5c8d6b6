"""Who speaks when: complaint, triage, interrogation, conclusion, in the order that the variant's phases say.

A phase is a function in `PHASES`; a variant reorders, drops or adds them by name. The doctor asks, the patient answers;
in between come cheat questions, a crisis, colleagues who are called in. If the case belongs to a campaign, the
libraries learn from it at the end.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from polyclinic.clinics.patient.agents.answering import SpokenAnswer
from polyclinic.clinics.patient.flow.learning import learn
from polyclinic.clinics.patient.flow.room import Room, enter
from polyclinic.clinics.patient.rules.cheats import cheat_kinds, cheat_turns
from polyclinic.clinics.patient.rules.diagnosing import is_right
from polyclinic.clinics.patient.rules.leaks import leaks
from polyclinic.clinics.patient.rules.meaning import read_question
from polyclinic.clinics.patient.rules.nodes import material
from polyclinic.clinics.patient.rules.notes import (
    AdviceTold,
    AnswerGiven,
    AnswerSources,
    Concluded,
    ConcludedEarly,
    Consulted,
    DiagnosisTold,
    InCrisis,
    InterviewEnded,
    PhaseBegun,
    QuestionAsked,
    Recruited,
    Rival,
    Understood,
)
from polyclinic.clinics.patient.rules.questions import type_of
from polyclinic.clinics.patient.rules.recruitment import RecruitmentGraph, Topology
from polyclinic.clinics.patient.rules.trees import ANSWER_TREES, QUESTION_TREES
from polyclinic.clinics.patient.scenario import PatientScenario
from polyclinic.clinics.patient.state import COLLEAGUE, Evolution, Exchange, Exchanged
from polyclinic.clinics.patient.tools.validation import walked
from polyclinic.clinics.patient.variants import VARIANTS, PatientVariant
from polyclinic.core.episode import Episode
from polyclinic.core.note import InRound
from polyclinic.errors import ConfigError

CRISIS_TURNS = (5, 9)
RECRUIT_AFTER = 3


async def flow(episode: Episode[PatientScenario, PatientVariant]) -> str:
    """One interview. Ends as ``concluded``, ``undecided`` (no diagnosis was reached) or ``converged`` (nothing to
    learn).
    """
    room = enter(episode)
    evolution = episode.shared(Evolution)
    if room.learning and evolution is not None and evolution.converged(episode.spec.wave):
        return "converged"
    for phase in room.variant.phases:
        if phase not in PHASES:
            raise ConfigError(f"no phase '{phase}'; there are: {', '.join(PHASES)}")
        episode.note(PhaseBegun(name=phase))
        await PHASES[phase](room)
    if room.learning:
        await learn(room)
    diagnosis, discipline = room.interview.diagnosis, room.interview.discipline
    episode.conclude(InterviewEnded(diagnosis=diagnosis, discipline=discipline, rounds=room.round))
    return "concluded" if diagnosis else "undecided"


# -- phases
# --------------------------------------------------------------------------------------------------------------
async def complaint(room: Room) -> None:
    """The patient says what is the matter."""
    words = await room.patient.complains()
    room.interview.complaint = words
    await room.interview.hear("patient", words)
    room.episode.say("patient", words, to="triage", payload=InRound(round=0))


async def triage(room: Room) -> None:
    """The complaint is sent to one of twenty disciplines."""
    before, room.interview.discipline = room.interview.discipline, await room.doctors.triages()
    room.episode.changed("discipline", before, room.interview.discipline)


async def interrogation(room: Room) -> None:
    """Questions and answers, up to the variant's number of turns, with cheat questions, a crisis and colleagues between
    them.

    The doctor may conclude early.
    """
    variant, episode = room.variant, room.episode
    chance = episode.random("cheats", paired=True)
    cheat_at = dict(
        zip(cheat_turns(variant.turns, variant.cheats, chance), cheat_kinds(chance, variant.cheats), strict=False)
    )
    crisis_at = episode.random("crisis", paired=True).randint(*CRISIS_TURNS) - 1 if variant.crisis else -1
    fair = 0
    for turn in range(variant.turns):
        episode.take_turn()
        if turn == crisis_at:
            await crisis(room)
        if turn in cheat_at:
            tests = tuple(test.name for test in room.scenario.record.investigations)
            question = await room.doctors.cheats(cheat_at[turn], tests, exam=not room.learning)
            room.interview.cheats_used.append(question)
            await exchange(room, room.interview.discipline, question, cheat=True)
            continue
        own = room.interview.different(own=True)
        enough = room.interview.different() >= variant.least and own >= min(
            variant.least_own, variant.turns - len(cheat_at)
        )
        left = variant.turns - turn
        if room.doctors.is_person:  # a person is told which question is their last, whatever cheat questions follow
            left -= sum(later > turn for later in cheat_at)
        question, offered = await room.doctors.asks(left, may_conclude=enough)
        if not question and not (enough or room.doctors.is_person):
            continue  # concluded too early: this turn is lost, and the doctor is asked again in the next
        if not question:
            episode.note(ConcludedEarly(turn=turn + 1))
            return
        await exchange(room, room.interview.discipline, question, offered=offered)
        fair += 1
        if fair == RECRUIT_AFTER:
            await consultation(room)


async def crisis(room: Room) -> None:
    """The patient interrupts; the doctor deals with it at once."""
    words = await room.patient.panics(room.interview.complaint)
    room.episode.say("patient", words, to="doctor", payload=InCrisis(crisis=True))
    answer = await room.doctors.soothes(words)
    room.episode.say("doctor", answer, to="patient", payload=InCrisis(crisis=True, by=room.interview.discipline))
    await room.interview.hear("patient", words)
    await room.interview.hear("doctor", answer)


async def consultation(room: Room) -> None:
    """Colleagues are called in along the graph, each after everybody who called them in.

    Each colleague sees only the notes of earlier doctors.
    """
    shape = Topology(room.variant.learn_recruit if room.learning else room.variant.recruit)
    if shape is Topology.NONE:
        return
    graph = RecruitmentGraph(room.interview.discipline, shape)
    queue, heard = [room.interview.discipline], list[str]()
    while queue:
        doctor = queue.pop(0)
        if doctor != graph.first:
            await consult(room, graph, doctor)
        heard.append(doctor)
        wanted = await room.doctors.recruits(doctor, tuple(graph.doctors))
        for called in wanted.disciplines:
            if called not in heard and graph.call(doctor, called, wanted.reason) and called not in queue:
                queue.append(called)
    calls, order = tuple(graph.calls), tuple(graph.order())
    room.episode.note(Recruited(topology=shape.value, calls=calls, order=order, heard=tuple(heard)))


async def consult(room: Room, graph: RecruitmentGraph, doctor: str) -> None:
    """Let one colleague ask their questions.

    The colleague knows only the dialogue and the notes of the doctors on the path to this colleague.
    """
    notes = room.interview.notes
    known = tuple(name for name in graph.order() if name in graph.ancestors(doctor) and name in notes)
    visible = tuple(f"{name}: {notes[name]}" for name in known)
    call = next(call for call in graph.calls if call.called == doctor)
    room.episode.note(Consulted(doctor=doctor, notes_from=known))
    for left in range(room.variant.consult_turns, 0, -1):
        question, offered = await room.doctors.consults(doctor, call.caller, call.reason, visible, left)
        if not question:
            break
        answer = await exchange(room, doctor, question, offered=offered)
        notes[doctor] = f"asked '{question}' and heard '{answer.text}'"


async def conclusion(room: Room) -> None:
    """The doctor gives the diagnosis."""
    verdict = await room.doctors.concludes()
    room.interview.diagnosis = verdict.diagnosis
    right = await is_right(room.episode.reads, verdict.diagnosis, room.scenario.record)
    room.episode.note(Concluded(diagnosis=verdict.diagnosis, right=right))
    told = DiagnosisTold(by=room.interview.discipline, diagnosis=verdict.diagnosis)
    words = f"{verdict.diagnosis}: {verdict.reasoning}" if verdict.reasoning else verdict.diagnosis
    room.episode.say("doctor", words, to="record", payload=told)


async def advice(room: Room) -> None:
    """The doctor tells the patient what happens next (not in the paper; an optional phase)."""
    told = AdviceTold(by=room.interview.discipline, advice=True)
    room.episode.say("doctor", await room.doctors.advises(), to="patient", payload=told)


PHASES: dict[str, Callable[[Room], Awaitable[None]]] = {
    "complaint": complaint,
    "triage": triage,
    "interrogation": interrogation,
    "conclusion": conclusion,
    "advice": advice,
}


# -- one exchange
# --------------------------------------------------------------------------------------------------------
async def exchange(
    room: Room, by: str, question: str, *, cheat: bool = False, offered: dict[str, str] | None = None
) -> SpokenAnswer:
    """Ask a question and get the answer. Notes everything that the judges need, and records leaks at once."""
    episode, interview, record = room.episode, room.interview, room.scenario.record
    room.round += 1
    cheater = "cheater" if cheat else None
    about = QuestionAsked(round=room.round, type=type_of(question).value, cheat=cheat, by=by, played_by=cheater)
    episode.say("doctor", question, to="patient", payload=about)
    near = room.patient.considers(question)
    asked = await read_question(episode.reads, record, question, near)
    answer = await room.patient.answers(question, asked, near, interview, room.variant)
    given = AnswerGiven(**_behind(room, answer, cheat).__dict__, considered=tuple(near))
    episode.say("patient", answer.text, to="doctor", payload=given)
    tests = tuple(interview.tests_asked)
    pair = Exchange(question=question, answer=answer.text, asked_before=tests, cheat=cheat, considered=near)
    read = await material(episode.reads, record, pair)
    found = tuple(leaks(*read))
    for leak in found:
        episode.violated("leak", "patient", severity=3, words=answer.text, rationale=f"{leak.kind}: {leak.words}")
    scores = {name: bool(way.score) for name, way in walked(read, (*ANSWER_TREES, *QUESTION_TREES)).items()}
    episode.note(Understood(round=room.round, asked=read.asked, answered=read.answered, leaks=found, scores=scores))
    if room.variant.rival:
        rival = await room.patient.answers(question, asked, near, interview, VARIANTS[room.variant.rival])
        episode.note(Rival(**_behind(room, rival, cheat).__dict__, text=rival.text))
    interview.exchanges.append(
        Exchanged(
            **dict(pair),
            round=room.round,
            by=by,
            declined=read.answered.refuses and not asked.tests,
            requirements=answer.bill.requirements,
            information=answer.briefing.lines,
            entries=answer.bill.entries,
            recommended=tuple(id for wanted, id in (offered or {}).items() if wanted == question),
            relevance=answer.relevance,
        )
    )
    interview.tests_asked += [test for test in asked.tests if test not in interview.tests_asked]
    await interview.hear(COLLEAGUE if cheat else "doctor", question)
    await interview.hear("patient", answer.text)
    return answer


def _behind(room: Room, answer: SpokenAnswer, cheat: bool) -> AnswerSources:
    return AnswerSources(
        round=room.round,
        cheat=cheat,
        method=answer.method,
        relevance=answer.relevance,
        tokens=answer.bill.tokens,
        calls=answer.bill.calls,
        context_chars=answer.bill.context_chars,
        given=tuple(answer.briefing.ids),
        entries=answer.bill.entries,
        asked_before=tuple(room.interview.tests_asked),
    )
