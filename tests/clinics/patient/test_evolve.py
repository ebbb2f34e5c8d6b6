"""What may enter a library, what it competes with, and when it leaves again."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any, cast

import pytest

from polyclinic.clinics.patient.evolve import (
    POOR_REASON,
    Judged,
    contamination,
    correct,
    learn_attention,
    learn_pool,
    learn_trajectories,
    trajectory_steps,
)
from polyclinic.clinics.patient.scenario.shipped import record, training_records, unseen_records
from polyclinic.clinics.patient.state import CONVERGED_AFTER, CaseTaught, Evolution, Exchanged, Interview
from polyclinic.clinics.patient.tools.validation import AnswerVerdict, QuestionVerdict
from polyclinic.core.campaign import Effect
from polyclinic.core.episode import Episode
from polyclinic.core.library import Entry, LessonT, Library, Operation, Provenance, StoredLesson
from polyclinic.core.library_view import LibraryView
from polyclinic.errors import EngineError
from polyclinic.retrieval.embedders import HashingEmbedder
from polyclinic.retrieval.index import new_index

TOPICS = (
    "Where is the pain in your belly?",
    "Do you smoke cigarettes?",
    "Please have an ECG.",
    "Who lives with you at home?",
    "Which tablets were prescribed?",
    "How long did you sleep yesterday?",
)
GOOD = AnswerVerdict(faithfulness=1, robustness=1)
FAIR = QuestionVerdict(specificity=1, targetedness=1, professionalism=1)


class Other(Effect):
    kind = "other"


class Bench:
    """Takes the place of an episode: libraries to which changes are applied at once."""

    def __init__(self) -> None:
        self.services = SimpleNamespace(embedder=HashingEmbedder())
        names = ("attention", "trajectory", "triage", "pool")
        self.libraries = {name: Library(name, self.services.embedder, new_index) for name in names}

    def library(self, lesson: type[LessonT]) -> LibraryView[LessonT]:
        return LibraryView(
            lesson, self.libraries[lesson.library], self._apply, Provenance(run="r", episode="e", scenario="npc-01")
        )

    def _apply(self, name: str, operation: Operation) -> None:
        self.libraries[name].apply(operation)


def judged(
    number: int,
    question: str = "",
    answer: str = "It hurts here.",
    *,
    good: bool = True,
    fair: bool = True,
    cheat: bool = False,
    declined: bool = False,
    relevance: float = 0.5,
    entries: Sequence[str] = (),
) -> Judged:
    return Judged(
        exchange=Exchanged(
            round=number,
            question=question or TOPICS[number % len(TOPICS)],
            answer=answer,
            by="Surgery",
            cheat=cheat,
            declined=declined,
            relevance=relevance,
            entries=tuple(entries),
        ),
        answer=GOOD if good else AnswerVerdict(faithfulness=1, robustness=0),
        question=FAIR if fair else QuestionVerdict(specificity=0, targetedness=1, professionalism=1),
    )


@pytest.fixture
def bench() -> Bench:
    return Bench()


def as_episode(bench: Bench) -> Episode:
    return cast(Episode, bench)


def test_only_answers_that_are_faithful_and_robust_enter(bench: Bench) -> None:
    items = [judged(1), judged(2, good=False), judged(3)]
    assert learn_attention(as_episode(bench), items, 4, "gout") == 2
    entries = list(bench.libraries["attention"])
    assert [entry.key for entry in entries] == [items[0].exchange.question, items[2].exchange.question]
    assert entries[0].value.root["case"] == 4
    assert entries[0].provenance == Provenance(run="r", episode="e", scenario="npc-01")


def test_the_better_of_two_similar_answers_replaces_the_other_with_a_reason(bench: Bench) -> None:
    question = "Where exactly does your belly hurt most?"
    assert learn_attention(as_episode(bench), [judged(1, question, "Here.", relevance=0.4)], 0, "x") == 1
    assert learn_attention(as_episode(bench), [judged(2, question, "There, on the right.", relevance=0.3)], 1, "x") == 0
    assert learn_attention(as_episode(bench), [judged(3, question, "On the right below.", relevance=0.9)], 2, "x") == 0
    library = bench.libraries["attention"]
    assert [entry.value.root["answer"] for entry in library] == ["On the right below."]
    assert "better" in library.removed[0].reason


def test_an_answer_competes_only_with_similar_answers_and_a_refusal_only_with_refusals(bench: Bench) -> None:
    told = judged(1, "Please have the vital signs measured.", "Pulse: 90 per minute.", relevance=0.4)
    refused = judged(
        2, "What was the exact value in the vital signs measured?", "I don't know.", declined=True, relevance=0.9
    )
    assert learn_attention(as_episode(bench), [told, refused], 0, "x") == 2
    assert sorted(entry.value.root["declined"] for entry in bench.libraries["attention"]) == [False, True]


def test_a_step_is_kept_only_after_more_than_two_good_exchanges_in_a_row() -> None:
    def kept(*pattern: str) -> list[int]:
        items = [
            judged(at, good="a" not in mark, fair="q" not in mark, cheat="c" in mark) for at, mark in enumerate(pattern)
        ]
        return [after.round for _, after in trajectory_steps(items)]

    assert kept("", "") == []
    assert kept("", "", "") == [2]
    assert kept("", "", "", "") == [2, 3]
    assert kept("", "", "a", "", "", "") == [5]
    assert kept("", "", "q", "", "") == []
    assert kept("", "c", "", "c", "") == [4]


def test_a_step_is_found_by_the_answer_before_it(bench: Bench) -> None:
    items = [judged(at, answer=f"Answer number {at} {chr(98 + at) * 5}.") for at in range(4)]
    assert learn_trajectories(as_episode(bench), items, 0, "gout") == 2
    found = bench.libraries["trajectory"].nearest(items[1].exchange.answer, 1)[0].entry
    assert found.key == items[1].exchange.answer
    assert found.value.root["question"] == items[2].exchange.question
    assert found.value.root["previous"] == items[1].exchange.question


def test_an_entry_referred_to_twice_with_poor_outcomes_is_removed_with_the_reason(bench: Bench) -> None:
    learn_attention(as_episode(bench), [judged(1)], 0, "x")
    (entry,) = bench.libraries["attention"]
    assert correct(as_episode(bench), [judged(2, entries=[entry.id])]) == []
    assert correct(as_episode(bench), [judged(3, good=False, entries=[entry.id])]) == []
    standing = bench.libraries["attention"].track_record(entry.id)
    assert (standing.uses, standing.good, standing.poor) == (2, 1, 1)
    assert correct(as_episode(bench), [judged(4, good=False, entries=[entry.id])]) == [entry.id]
    assert len(bench.libraries["attention"]) == 0
    assert bench.libraries["attention"].removed[0].reason == POOR_REASON


def test_similar_questions_enter_the_pool_once(bench: Bench) -> None:
    rows = {
        "universal": ["Where does it hurt you most?"],
        "Surgery": ["Where does it hurt you the most?", "Please have an ECG."],
    }
    learn_pool(as_episode(bench), "My belly hurts.", rows, 0)
    (entry,) = bench.libraries["pool"]
    assert entry.value.root["questions"] == {
        "universal": ["Where does it hurt you most?"],
        "Surgery": ["Please have an ECG."],
    }


def test_evolution_has_converged_after_six_cases_without_new_entries() -> None:
    evolution = Evolution()
    for case in range(8):
        assert not evolution.converged(case)
        new = 3 if case < 2 else 0
        evolution.apply(CaseTaught(case=case, wave=case, new=new))
    assert CONVERGED_AFTER == 6
    assert evolution.added == [3, 3, 0, 0, 0, 0, 0, 0]
    assert not evolution.converged(7)
    assert evolution.converged(8)
    with pytest.raises(EngineError, match="unknown effect of the libraries: 'other'"):
        evolution.apply(Other())


def test_convergence_does_not_depend_on_the_order_in_which_a_generation_ends() -> None:
    forward, backward = Evolution(), Evolution()
    effects = [CaseTaught(case=n, wave=n // 4, new=1 if n == 1 else 0) for n in range(8)]
    for effect in effects:
        forward.apply(effect)
    for effect in reversed(effects):
        backward.apply(effect)
    assert forward.added == backward.added
    assert forward.converged(2) is backward.converged(2) is True


def test_contamination_is_found_by_origin_and_by_content() -> None:
    unseen = unseen_records()
    fact = next(f.text for f in record("app-03").facts if "knees pulled up" in f.text)

    def entry(id: str, scenario: str, answer: str) -> Entry:
        return Entry(
            id=id, key="How is he?", value=StoredLesson({"answer": answer}), provenance=Provenance(scenario=scenario)
        )

    entries = [
        entry("a", "app-01", "It hurts."),
        entry("b", "app-03+2", "It hurts."),
        entry("c", "app-01", fact),
    ]
    assert contamination(entries, unseen) == [
        ("b", "app-03", "learned from this case"),
        ("c", "app-03", "holds a fact of this case"),
    ]
    assert contamination(entries[:1], unseen) == []
    assert {r.id for r in training_records()}.isdisjoint({r.id for r in unseen})


def test_what_goes_into_a_prompt_is_bounded_over_two_hundred_turns() -> None:
    async def summarise(summary: str, turns: Sequence[Any]) -> str:
        return f"{summary} {' '.join(turn.text for turn in turns)}"

    async def sizes() -> list[int]:
        interview = Interview.open(summarise)
        found = []
        for turn in range(200):
            question = f"Question {turn} " + "word " * 40
            await interview.hear("doctor", question)
            await interview.hear("patient", "a very long answer " * 200)
            interview.exchanges.append(Exchanged(round=turn, question=question, answer="", by="x"))
            shown = sum(len(piece.text) for piece in interview.recent) + len(interview.memory.summary)
            found.append(shown + sum(len(asked) for asked in interview.asked))
        return found

    found = asyncio.run(sizes())
    assert max(found) <= 6_000
    assert max(found[100:]) <= max(found[20:100]) + 64
