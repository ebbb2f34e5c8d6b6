"""A packet as it is stored: its key, its pairs, and the answers of raters as ratings and votes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends, Request
from pydantic import BaseModel, Field

from polyclinic.core.live import Body
from polyclinic.eval.arena import ArenaPair, Better, Vote, arena_section, draw_pairs, rater_rounds
from polyclinic.eval.audit import AuditKey, Rating, blind, spoken_lines
from polyclinic.eval.audit_report import audit, audit_sections, people_by_variant
from polyclinic.eval.packet import check_blind
from polyclinic.eval.sections import Section
from polyclinic.runner.reports import rubric_questions
from polyclinic.runner.results import load_results
from polyclinic.store.packets import PacketRow, RaterAnswer
from polyclinic.store.store import Store

FORWARD, BACKWARD = "forward", "backward"
PAIR_QUESTION = "Which of the two conversations is better, as a whole?"


class PacketSettings(Body):
    """What people should rate: episodes of a run by a rubric of its clinic, and pairs of episodes."""

    run: str = Field(max_length=200)
    title: str = Field("", max_length=120)
    rubric: str = Field("", max_length=100, description="a rubric judge of the clinic; none: all of them")
    episodes: int = Field(20, ge=1, le=200)
    pairs: int = Field(10, ge=0, le=100)
    pair_question: str = Field(PAIR_QUESTION, min_length=1, max_length=300)
    seed: int = Field(0, ge=0, lt=2**63)


class PacketBody(BaseModel):
    """What is stored of a packet; raters never see it."""

    title: str
    key: AuditKey
    pairs: list[ArenaPair]
    pair_question: str


class Evidence(Body):
    """Words of a transcript that support a rating: the line's number (from 0) and the place in the line."""

    line: int = Field(ge=0, lt=100_000)
    start: int = Field(ge=0, lt=1_000_000)
    end: int = Field(gt=0, lt=1_000_000)
    words: str = Field(min_length=1, max_length=2_000)


class RatingGiven(BaseModel):
    """A rater's answer to a question: a number on its scale, the reason, and the words that support it."""

    value: int
    comment: str = ""
    evidence: list[Evidence] = []


class VoteGiven(BaseModel):
    """A rater's choice between two conversations."""

    better: Better
    reason: str = ""


class Shown(BaseModel):
    """One line of a transcript, as raters see it."""

    speaker: str
    text: str


class RaterProgress(BaseModel):
    """How far a rater is."""

    name: str
    rated: int
    items: int
    judged: int
    rounds: int


@dataclass(frozen=True)
class RatingRoom:
    """Opens packets, and gives their lines, progress and agreement."""

    store: Store

    async def open(self, given: PacketSettings) -> PacketRow:
        """Draw episodes and pairs, check that nothing identifies them, and store the packet."""
        results = await load_results(self.store, given.run)
        questions = rubric_questions(results.clinic, given.rubric, files=False)
        key, items = blind(results, questions, episodes=given.episodes, seed=given.seed)
        pairs = draw_pairs(results, given.pairs, given.seed)
        known = {episode.id: episode for episode in results.episodes}
        chosen = [*items.values(), *(known[id] for pair in pairs for id in (pair.a, pair.b))]
        words = "\n".join(f"{line.speaker}: {line.text}" for episode in chosen for line in spoken_lines(episode))
        check_blind(words, results, chosen)
        title = given.title.strip() or f"{results.clinic}: {len(items)}"
        body = PacketBody(title=title, key=key, pairs=pairs, pair_question=given.pair_question)
        return await self.store.packets.open(results.run, body.model_dump_json())

    async def lines(self, row: PacketRow, episode: str) -> list[Shown]:
        """Only what was said in an episode."""
        transcript = await self.store.runs.transcript(row.run, episode)
        return [Shown(speaker=said.speaker, text=said.text) for said in transcript.said()]

    async def progress(self, row: PacketRow) -> list[RaterProgress]:
        """How far each rater is."""
        body, answers = body_of(row), await self.store.packets.answers(row.id)
        found = []
        for rater in await self.store.packets.raters(row.id):
            mine = [answer for answer in answers if answer.rater == rater.name]
            done = whole_items(body, mine)
            judged = sum(answer.question in (FORWARD, BACKWARD) for answer in mine)
            items, rounds = len(body.key.items), 2 * len(body.pairs)
            found.append(RaterProgress(name=rater.name, rated=len(done), items=items, judged=judged, rounds=rounds))
        return found

    async def agreement(self, row: PacketRow) -> list[Section]:
        """The agreement between people, and between the judge and people, computed as in `polyclinic audit`."""
        body, answers = body_of(row), await self.store.packets.answers(row.id)
        ratings, votes = ratings_of(answers), votes_of(answers)
        sections: list[Section] = []
        if ratings:
            results = await load_results(self.store, row.run)
            people = people_by_variant(results, body.key, ratings)
            sections += audit_sections(audit(results, body.key, ratings), people)
        arena = arena_section(body.pairs, votes)
        return [*sections, arena] if arena is not None else sections


def body_of(row: PacketRow) -> PacketBody:
    """The key and the pairs of a packet."""
    return PacketBody.model_validate_json(row.body)


def rounds_of(body: PacketBody, rater: str) -> list[tuple[ArenaPair, bool]]:
    """The pairs in a rater's own order, each in both orders."""
    return rater_rounds(body.pairs, rater, body.key.seed)


def whole_items(body: PacketBody, answers: Sequence[RaterAnswer]) -> set[str]:
    """The transcripts for which every question is answered."""
    given: dict[str, set[str]] = {}
    for answer in answers:
        given.setdefault(answer.item, set()).add(answer.question)
    wanted = {question.id for question in body.key.questions}
    return {code for code in body.key.items if wanted <= given.get(code, set())}


def ratings_of(answers: Sequence[RaterAnswer]) -> list[Rating]:
    """The ratings among the answers, as the audit reads them."""
    found = []
    for answer in answers:
        if answer.question not in (FORWARD, BACKWARD):
            given = RatingGiven.model_validate_json(answer.body)
            found.append(Rating(answer.rater, answer.item, answer.question, given.value, given.comment))
    return found


def votes_of(answers: Sequence[RaterAnswer]) -> list[Vote]:
    """The votes among the answers."""
    found = []
    for answer in answers:
        if answer.question in (FORWARD, BACKWARD):
            given = VoteGiven.model_validate_json(answer.body)
            swapped = answer.question == BACKWARD
            found.append(Vote(answer.rater, answer.item, swapped, given.better, given.reason))
    return found


def _room(request: Request) -> RatingRoom:
    found: Store = request.app.state.store
    return RatingRoom(found)


TheRoom = Annotated[RatingRoom, Depends(_room)]
"""The server's packets, as a dependency for routes."""
