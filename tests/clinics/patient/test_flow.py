"""The interview as a whole: phases, crisis, recruitment, memory, what each party sees, and that
learning is what helps.
"""

from __future__ import annotations

import asyncio
import dataclasses
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from polyclinic.clinics.patient import clinic
from polyclinic.clinics.patient.evolve import contamination
from polyclinic.clinics.patient.prompts.doctor.replies import QUESTION_TYPES
from polyclinic.clinics.patient.report.page import ANSWERING, EXAM, report, seconds_per_answer, seconds_table
from polyclinic.clinics.patient.rules import vocabulary
from polyclinic.clinics.patient.rules.notes import (
    AnswerGiven,
    AskedAlready,
    Concluded,
    Consulted,
    PhaseBegun,
    Recruited,
    Triaged,
)
from polyclinic.clinics.patient.rules.recruitment import RecruitmentGraph, Topology
from polyclinic.clinics.patient.scenario.record import Level
from polyclinic.clinics.patient.scenario.shipped import record, shipped_records, unseen_records
from polyclinic.clinics.patient.state import Evolution
from polyclinic.clinics.patient.variants import VARIANTS, PatientVariant
from polyclinic.core.judge import Case
from polyclinic.core.library import Library
from polyclinic.core.transcript import Called, Violated
from polyclinic.errors import ConfigError
from polyclinic.eval.estimate import Estimate
from polyclinic.eval.metrics import metric_estimate
from polyclinic.eval.reading import event_line
from polyclinic.eval.results import RunResults
from polyclinic.eval.sections import Table
from polyclinic.retrieval.embedders import embedder
from polyclinic.retrieval.index import new_index
from polyclinic.runner.api import run
from polyclinic.runner.plan.config import make_config
from polyclinic.runner.plan.libraries import learned, read_library_file, write_library_file
from polyclinic.runner.results import load_results
from polyclinic.store.export import export_rows
from polyclinic.store.store import open_store
from polyclinic.testing.fault_server import FaultServer, SentBody
from polyclinic.testing.runs import played, run_once
from polyclinic.text.phrases import mentioned

CASES = 12


@dataclass(frozen=True)
class Learned:
    """The result of a short evolution: its run, its libraries as files, its results and its calls."""

    run: str
    files: dict[str, str]
    results: RunResults
    calls: list[dict[str, Any]]

    def library(self, name: str) -> Library:
        return Library(name, embedder(), new_index, read_library_file(self.files[name]))


@pytest.fixture(scope="module")
def evolved(tmp_path_factory: pytest.TempPathFactory) -> Learned:
    folder = tmp_path_factory.mktemp("evolved")

    async def evolve() -> Learned:
        async with open_store("sqlite://:memory:") as store:
            outcome = await run(store, make_config({"clinic": "patient", "scenarios": f"evolve:{CASES}"}))
            assert outcome.failed == 0
            files = {name: str(folder / f"{name}.jsonl") for name in clinic.libraries}
            for name, path in files.items():
                write_library_file(path, await learned(store, outcome.run, name))
            calls = [row async for row in export_rows(store, outcome.run, "calls")]
            return Learned(outcome.run, files, await load_results(store, outcome.run), calls)

    return asyncio.run(evolve())


def odd_variant(monkeypatch: pytest.MonkeyPatch, **changes: object) -> None:
    """A variant called `odd`, for one test only."""
    base = VARIANTS["evolved"].model_dump() | {"name": "odd", "about": "for a test"} | changes
    monkeypatch.setitem(VARIANTS, "odd", PatientVariant.model_validate(base))


def mean(results: RunResults, variant: str, metric: str) -> float:
    found = metric_estimate(results, variant, metric)
    assert found is not None, (variant, metric)
    return found.mean


NAMES = ("cot", "few-shot-2", "evolved", "evolved-emptied")
UNSEEN = {"clinic": "patient", "scenarios": "unseen:9", "seed": 3}


@pytest.fixture(scope="module")
def on_unseen(evolved: Learned) -> RunResults:
    return asyncio.run(played(**UNSEEN, variants=(*NAMES, "requirements"), libraries=evolved.files))


def test_evolution_changes_the_metrics_because_of_the_library_and_nothing_else(on_unseen: RunResults) -> None:
    results = on_unseen
    for metric, gain in (("robustness", 0.02), ("faithfulness", 0.01), ("ability", 0.02)):
        assert mean(results, "evolved", metric) > mean(results, "cot", metric) + gain
        assert mean(results, "evolved", metric) > mean(results, "evolved-emptied", metric) + gain
    tricked = {name: mean(results, name, "cheats_answered") for name in NAMES}
    assert tricked["evolved"] < 0.6 * tricked["evolved-emptied"]
    assert tricked["evolved"] < tricked["few-shot-2"]
    assert mean(results, "evolved", "fair_refused") <= 0.15
    assert mean(results, "evolved", "tokens_per_answer") < mean(results, "cot", "tokens_per_answer")
    assert mean(results, "evolved", "words_per_answer") < mean(results, "cot", "words_per_answer")


async def test_a_library_of_nonsense_helps_nobody(evolved: Learned, on_unseen: RunResults, tmp_path: Path) -> None:
    """The library keeps all its entries, but their texts are nonsense: it must not help, because only the words can."""
    files = dict(evolved.files)
    rows = [json.loads(line) for line in Path(files["attention"]).read_text().splitlines()]
    for row in rows:
        if row.get("entry"):
            row["entry"]["value"] |= {"answer": "The kettle is on the shelf.", "requirements": ["Bananas are yellow."]}
    files["attention"] = str(tmp_path / "attention.jsonl")
    Path(files["attention"]).write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    nonsense = await played(**UNSEEN, variants=("evolved", "requirements"), libraries=files)
    words, fooled = (
        mean(results, "evolved", "cheats_answered") - mean(results, "requirements", "cheats_answered")
        for results in (on_unseen, nonsense)
    )
    assert words < -0.1
    assert fooled > -0.05


def test_every_learned_entry_names_its_origin_and_none_comes_from_an_unseen_case(evolved: Learned) -> None:
    for name in clinic.libraries:
        library = evolved.library(name)
        assert len(library) > 0, name
        assert all(entry.provenance.run == evolved.run for entry in library)
        assert all(entry.provenance.scenario and entry.provenance.episode for entry in library)
        assert contamination(library, unseen_records()) == []


def test_no_prompt_of_patient_or_doctor_contains_what_they_may_not_know(
    evolved: Learned,
) -> None:
    records = {row.id: record(row.scenario.partition("+")[0]) for row in evolved.results.episodes}
    asked = {
        row.id: {
            test
            for said in row.transcript.said("doctor")
            for test in vocabulary.tests_in_record(said.text, records[row.id])
        }
        for row in evolved.results.episodes
    }
    checked = 0
    for call in evolved.calls:
        request, case = call["request"], records[call["episode"]]
        role, prompt = request["role"], request["prompt"]
        if role not in ("patient", "doctor", "attention", "scribe") or prompt in ("Studies", "Concludes", "Advises"):
            continue
        text = " ".join(message["content"] for message in request["messages"])
        assert not any(fact.text in text for fact in case.at(Level.NEVER)), (role, prompt)
        hidden = [fact.text for fact in case.at(Level.TEST) if fact.test not in asked[call["episode"]]]
        assert not [line for line in hidden if line in text], (role, prompt)
        checked += 1
    assert checked > 20 * CASES


def test_the_pool_holds_questions_and_no_name_of_a_disease(evolved: Learned) -> None:
    rows = [entry.value.root["questions"] for entry in evolved.library("pool")]
    questions = [question for row in rows for found in row.values() for question in found]
    assert len(questions) > CASES
    names = [name for case in shipped_records() for name in case.disease.names if len(name) > 4]
    assert not [question for question in questions if mentioned(question, names)]


async def test_phases_come_in_the_order_the_variant_says_and_can_be_dropped_and_added(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    results = await run_once(clinic, variants=("evolved", "walk-in"), scenarios="app-01")
    order = {row.variant: [note.name for note in row.transcript.notes(PhaseBegun)] for row in results.episodes}
    assert order["evolved"] == ["complaint", "triage", "interrogation", "conclusion"]
    assert order["walk-in"] == ["complaint", "interrogation", "conclusion", "advice"]
    walk_in = next(row for row in results.episodes if row.variant == "walk-in").transcript
    assert not walk_in.notes(Triaged)
    assert walk_in.said("doctor")[-1].data["advice"]
    odd_variant(monkeypatch, phases=("triage", "complaint"))
    turned = await run_once(clinic, variants=("odd",), scenarios="app-01")
    assert [note.name for note in turned.episodes[0].transcript.notes(PhaseBegun)] == ["triage", "complaint"]
    assert turned.episodes[0].outcome == "undecided"


async def test_an_interview_has_at_most_ten_turns_with_five_cheat_questions_among_them() -> None:
    results = await run_once(clinic, variants=("cot",), scenarios="6")
    for row in results.episodes:
        asked = [said for said in row.transcript.said("doctor") if "round" in said.data]
        assert len(asked) <= 10
        shown = [line.speaker for said in asked if (line := event_line(said)) is not None]
        assert shown == [f"{'cheater' if said.data['cheat'] else 'doctor'} to patient" for said in asked]
        assert sum(said.data["cheat"] for said in asked) <= 5
        assert {said.data["type"] for said in asked} <= set(QUESTION_TYPES)
    assert (
        sum(s.data["cheat"] for row in results.episodes for s in row.transcript.said("doctor") if "round" in s.data)
        >= 25
    )


@pytest.mark.parametrize("gives_up", [1, 4])
async def test_a_doctor_who_gives_up_at_once_must_ask_the_minimum_number_of_questions(gives_up: int) -> None:
    """`gives_up`: how often the doctor gives up at the start.

    After the first time the doctor is asked again in the same turn.
    """
    spoken = 0

    def reply(body: SentBody) -> str:
        nonlocal spoken
        if "response_format" in body:
            return '{"reasoning": "It fits.", "diagnosis": "gout"}'
        spoken += 1
        return "CONCLUDE" if spoken <= gives_up or spoken > 30 else f"What did you notice on day {spoken}?"

    async with FaultServer(reply=reply) as server:
        cast = f"doctor={server.url}:any,all=understudy"
        results = await run_once(clinic, variants=("cot",), scenarios="app-03", cast=cast)
    (row,) = results.episodes
    own = [said for said in row.transcript.said("doctor") if "round" in said.data and not said.data.get("cheat")]
    variant = VARIANTS["cot"]
    assert row.status == "done"
    assert len(own) >= variant.least_own
    assert spoken > gives_up


@pytest.mark.parametrize("learns", [True, False])
async def test_a_doctor_who_repeats_a_question_is_asked_for_another_one_and_the_interview_goes_on(learns: bool) -> None:
    """`learns`: whether the doctor does as told when it is asked again."""
    asked: list[str] = []

    def reply(body: SentBody) -> str:
        if "response_format" in body:
            return '{"reasoning": "It fits.", "diagnosis": "gout"}'
        told = str(body["messages"][-1]["content"])
        asked.append(told)
        new = learns and "You have asked this already" in told
        return f"What did you notice on day {len(asked)}?" if new else "So what is your medical history?"

    async with FaultServer(reply=reply) as server:
        cast = f"doctor={server.url}:any,all=understudy"
        results = await run_once(clinic, variants=("cot",), scenarios="app-03", cast=cast)
    (row,) = results.episodes
    fair = [said for said in row.transcript.said("doctor") if "round" in said.data and not said.data.get("cheat")]
    again = [told for told in asked if "You have asked this already" in told]
    assert row.status == "done"
    assert len(row.transcript.notes(AskedAlready)) == len(again) == len(fair) - 1
    assert all("Already asked" in told for told in asked[1:])
    assert row.value("different_questions") == (len(fair) if learns else 1)
    assert row.value("repeated_questions") == len(again) * (1 if learns else 2)
    subjects = [told.rpartition("Ask about ")[2] for told in again]
    assert subjects[0].startswith("when it began")


async def test_a_doctor_who_talks_about_the_patient_is_asked_to_talk_to_them() -> None:
    told: list[str] = []

    def reply(body: SentBody) -> str:
        if "response_format" in body:
            return '{"reasoning": "It fits.", "diagnosis": "gout"}'
        told.append(str(body["messages"][-1]["content"]))
        if "Speak to the patient" in told[-1]:
            return f"What did you notice on day {len(told)}?"
        return "The patient is experiencing a headache."

    async with FaultServer(reply=reply) as server:
        cast = f"doctor={server.url}:any,all=understudy"
        (row,) = (await run_once(clinic, variants=("cot",), scenarios="app-03", cast=cast)).episodes
    own = [said for said in row.transcript.said("doctor") if "round" in said.data and not said.data.get("cheat")]
    assert row.status == "done"
    assert own and all(said.text.startswith("What did you notice") for said in own)


async def test_all_variants_meet_the_same_tricks_at_the_same_turns() -> None:
    results = await run_once(clinic, variants=("cot", "few-shot-2"), scenarios="app-03")
    tricks = [
        [(said.data["round"], said.text) for said in row.transcript.said("doctor") if said.data.get("cheat")]
        for row in results.episodes
    ]
    assert [at for at, _ in tricks[0]] == [at for at, _ in tricks[1]]


async def test_a_crisis_interrupts_and_is_answered_before_anything_else() -> None:
    results = await run_once(clinic, variants=("crisis",), scenarios="4")
    for row in results.episodes:
        said = row.transcript.said()
        at = next(at for at, event in enumerate(said) if event.data.get("crisis"))
        assert (said[at].speaker, said[at + 1].speaker) == ("patient", "doctor")
        assert said[at + 1].data["crisis"]
        assert row.value("crisis_met") == 1.0


async def test_one_run_lays_side_by_side_what_patients_learned_from_different_doctors() -> None:
    names = ("plain-doctor-none", "recruit-dag")
    results = await run_once(clinic, variants=names, scenarios="transfer-train:3")
    exam = [row for row in results.episodes if results.scenarios[row.scenario].exam]
    assert [row.value("ability") is not None for row in results.episodes] == [row in exam for row in results.episodes]
    practice = [row.transcript for row in results.episodes if row not in exam]
    assert any(talk.notes(Recruited) for talk in practice)
    assert any(note.earlier for talk in practice for note in talk.notes(Triaged))
    for row in exam:  # the same doctor for all: nobody is called in, and nothing that was learned is referred to
        assert not row.transcript.notes(Recruited)
        assert [note.earlier for note in row.transcript.notes(Triaged)] == [0]
        given = [answer for said in row.transcript.said("patient") if (answer := said.get(AnswerGiven)) is not None]
        assert any(answer.entries for answer in given)
    table = next(
        block
        for section in report(results)
        for block in section.body
        if isinstance(block, Table) and block.caption == "Answers by variant"
    )
    assert [row[0] for row in table.rows] == list(names)
    assert all(isinstance(cell, Estimate) and cell.n == 3 for row in table.rows for cell in row[1:])
    assert table.note == EXAM


@pytest.mark.parametrize("shape", ["chain", "tree", "dag"])
async def test_colleagues_speak_in_topological_order_and_read_only_notes_on_the_path_to_them(
    shape: str,
) -> None:
    results = await run_once(clinic, variants=(f"recruit-{shape}",), scenarios="8")
    met = 0
    for row in results.episodes:
        for note in row.transcript.notes(Recruited):
            calls = note.calls
            if not calls:
                continue
            graph = RecruitmentGraph(note.heard[0], Topology(shape))
            assert all(graph.call(call.caller, call.called) for call in calls)
            place = {doctor: at for at, doctor in enumerate(note.heard)}
            assert all(place[call.caller] < place[call.called] for call in calls)
            for seen in row.transcript.notes(Consulted):
                assert set(seen.notes_from) <= graph.ancestors(seen.doctor)
                met += 1
    assert met >= 6


async def test_the_context_does_not_grow_over_two_hundred_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    odd_variant(monkeypatch, method="overall", turns=200, cheats=0)
    results = await run_once(clinic, variants=("odd",), scenarios="ami-03")
    (row,) = results.episodes
    sizes = [said.data["context_chars"] for said in row.transcript.said("patient") if "context_chars" in said.data]
    assert len(sizes) == 200
    early, late = sizes[20:60], sizes[140:200]
    assert max(late) <= 1.15 * max(early)
    assert sum(late) / len(late) <= 1.1 * sum(early) / len(early)


async def test_generations_learn_the_same_whatever_the_concurrency() -> None:
    lines: list[list[str]] = []
    for concurrency in (1, 8):
        async with open_store("sqlite://:memory:") as store:
            values = {
                "clinic": "patient",
                "scenarios": "evolve-by-4:8",
                "concurrency": concurrency,
                "judges": ("none",),
            }
            outcome = await run(store, make_config(values))
            found = [await learned(store, outcome.run, name) for name in clinic.libraries]
            lines.append([operation.model_dump_json() for operations in found for operation in operations])
    assert lines[0] == lines[1]
    assert len(lines[0]) > 20


async def test_nothing_more_is_asked_once_learning_has_converged(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Evolution, "converged", lambda self, wave: True)
    results = await run_once(clinic, variants=("evolved",), scenarios="evolve:2")
    assert [row.outcome for row in results.episodes] == ["converged", "converged"]
    assert not any(row.transcript.said() for row in results.episodes)


async def test_a_leak_is_recorded_at_once_as_the_patients_fault() -> None:
    results = await run_once(
        clinic, variants=("cot",), scenarios="2", cast="patient=understudy:mistake=leak,all=understudy"
    )
    for row in results.episodes:
        assert any(event.rule == "leak" and event.by == "patient" for event in row.transcript.of(Violated))
        assert (row.value("leak_free") or 0.0) < 1.0


async def test_the_conclusion_begins_with_the_diagnosis() -> None:
    results = await run_once(clinic, scenarios="1")
    for row in results.episodes:
        note = row.transcript.last_note(Concluded)
        (told,) = [said.text for said in row.transcript.said("doctor") if said.to == "record"]
        assert note is not None and told.startswith(f"{note.diagnosis}: ")


async def test_feedback_quotes_what_was_elicited_and_lists_what_was_missed() -> None:
    results = await run_once(clinic, variants=("training",), scenarios="ami-01")
    (row,) = results.episodes
    assert clinic.feedback is not None
    case = Case(results.scenarios[row.scenario], clinic.variant(row.variant), row.transcript, row.trial)
    sections = {section.title: section for section in clinic.feedback(case, "doctor", "en")}
    assert list(sections) == [
        "In short",
        "What you found out",
        "Red flags",
        "How you asked",
        "Questions a patient cannot answer",
        "Where it led",
    ]
    elicited, missed = sections["What you found out"].body[1:3]
    assert isinstance(elicited, Table) and isinstance(missed, Table)
    said = {event.text for event in row.transcript.said("patient")}
    assert elicited.rows
    assert all(str(line[2]).strip("“”") in said for line in elicited.rows)
    assert len(elicited.rows) + len(missed.rows) == len(record("ami-01").checklist)


async def test_the_report_has_the_papers_tables_and_figures() -> None:
    assert clinic.report is not None
    results = await run_once(clinic, variants=("evolved", "duel-cot", "doctor-profile"), scenarios="3")
    titles = [section.title for section in clinic.report(results)]
    assert titles == [
        "The patient's answers",
        "Duels",
        "Cost of an answer",
        "The doctors' questions",
        "From disease to disease",
    ]
    learning = await run_once(clinic, variants=("evolved",), scenarios="evolve:3")
    assert "What was learned, case by case" in [section.title for section in clinic.report(learning)]


async def test_the_time_of_an_answer_is_the_time_of_the_calls_behind_it() -> None:
    results = await run_once(clinic, variants=("cot-sc-3",), scenarios="1")
    (row,) = results.episodes
    calls = [call for call in row.transcript.of(Called) if call.prompt in ANSWERING]
    timed = dataclasses.replace(row, timings={(call.key, call.occurrence): 500 for call in calls})
    assert len(calls) == 40
    assert seconds_per_answer(timed) == pytest.approx(4 * 0.5)
    assert seconds_table(results) is None
    played = tuple(dataclasses.replace(member, kind="llm") for member in results.cast)
    table = seconds_table(dataclasses.replace(results, episodes=(timed,), cast=played))
    assert table is not None
    assert table.rows[0][0] == "cot-sc-3"


async def test_a_run_file_can_reorder_drop_and_add_phases_and_a_wrong_name_is_a_user_error() -> None:
    async def phases(**options: str) -> list[str]:
        results = await played(clinic="patient", scenarios="app-01", options=options, judges=("none",))
        (row,) = results.episodes
        return [note.name for note in row.transcript.notes(PhaseBegun)]

    assert await phases(phases="complaint, advice, triage", turns="2") == ["complaint", "advice", "triage"]
    with pytest.raises(ConfigError, match="no phase 'tea'"):
        await phases(phases="complaint,tea")
    with pytest.raises(ConfigError, match="--set turns"):
        await phases(turns="many")
