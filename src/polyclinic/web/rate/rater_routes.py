"""What a rater does, over HTTP. Nothing here names a run, an episode, a variant or a model."""

from __future__ import annotations

from fastapi import APIRouter, Request, Response
from pydantic import BaseModel, Field

from polyclinic.core.live import Body
from polyclinic.errors import UnknownName, UserError
from polyclinic.eval.arena import Better
from polyclinic.eval.criteria import Criterion
from polyclinic.eval.packet import rater_order
from polyclinic.store.packets import PacketRow, Rater
from polyclinic.store.staff import token_digest
from polyclinic.web.classes.joining import Joined, Joining, Trainee, by_its_code, remember, token_for
from polyclinic.web.posts import QueueKey
from polyclinic.web.rate.packets import (
    BACKWARD,
    FORWARD,
    Evidence,
    PacketBody,
    RatingGiven,
    RatingRoom,
    Shown,
    TheRoom,
    VoteGiven,
    body_of,
    rounds_of,
    whole_items,
)

router = APIRouter(prefix="/api/rate", tags=["rate"])


class ItemDone(BaseModel):
    """A transcript by its code."""

    code: str
    done: bool


class MyPacket(BaseModel):
    """A packet as a rater sees it. `rounds` says for each pair, in the rater's own order, whether it was judged."""

    id: str
    title: str
    name: str
    ended: bool
    questions: list[Criterion]
    pair_question: str
    items: list[ItemDone]
    rounds: list[bool]


class RatedItem(BaseModel):
    """A transcript, and what the rater answered about it, by question."""

    lines: list[Shown]
    answers: dict[str, RatingGiven]


class RatedRound(BaseModel):
    """Two conversations side by side, and what the rater chose."""

    first: list[Shown]
    second: list[Shown]
    answer: VoteGiven | None


class Rated(Body):
    """An answer to one question; without a number, the earlier answer is removed."""

    question: str = Field(max_length=200)
    value: int | None = None
    comment: str = Field("", max_length=2_000)
    evidence: list[Evidence] = Field(default_factory=list, max_length=20)


class ChosenSide(Body):
    """Which of the two is better."""

    better: Better
    reason: str = Field("", max_length=2_000)


@router.post("", summary="Join a rating")
async def join(body: Joining, room: TheRoom, request: Request, response: Response, key: QueueKey = "") -> Joined:
    row = await by_its_code(request, body.code, room.store.packets.by_code)
    token = token_for(request, key)
    if row.ended_ms and all(one.digest != token_digest(token) for one in await room.store.packets.raters(row.id)):
        raise UserError("the rating has ended")
    await room.store.packets.join(row.id, body.name, token_digest(token))
    remember(request, response, token)
    return Joined(id=row.id)


@router.get("/{id}", summary="My packet")
async def mine(id: str, room: TheRoom, digest: Trainee) -> MyPacket:
    row, rater, body = await _mine(room, id, digest)
    answers = await room.store.packets.answers(id, rater.name)
    done = whole_items(body, answers)
    judged = {(answer.item, answer.question == BACKWARD) for answer in answers}
    return MyPacket(
        id=id,
        title=body.title,
        name=rater.name,
        ended=bool(row.ended_ms),
        questions=list(body.key.questions),
        pair_question=body.pair_question,
        items=[ItemDone(code=code, done=code in done) for code in rater_order(body.key, rater.name)],
        rounds=[(pair.code, swapped) in judged for pair, swapped in rounds_of(body, rater.name)],
    )


@router.get("/{id}/items/{code}", summary="A transcript to rate")
async def item(id: str, code: str, room: TheRoom, digest: Trainee) -> RatedItem:
    row, rater, body = await _mine(room, id, digest)
    lines = await room.lines(row, _episode(body, code))
    answers = [answer for answer in await room.store.packets.answers(id, rater.name) if answer.item == code]
    return RatedItem(lines=lines, answers={one.question: RatingGiven.model_validate_json(one.body) for one in answers})


@router.post("/{id}/items/{code}", summary="Answer a question about a transcript")
async def rate(id: str, code: str, body: Rated, room: TheRoom, digest: Trainee) -> RatedItem:
    """An answer replaces an earlier one, so sending it again changes nothing."""
    row, rater, packet = await _mine(room, id, digest)
    lines = await room.lines(row, _episode(packet, code))
    question = next((one for one in packet.key.questions if one.id == body.question), None)
    if question is None:
        raise UnknownName("question", body.question, (one.id for one in packet.key.questions))
    kept = ""
    if body.value is not None:
        if not question.low <= body.value <= question.high:
            raise UserError(f"{body.value} is outside the scale {question.low} to {question.high}")
        for one in body.evidence:
            if one.line >= len(lines) or lines[one.line].text[one.start : one.end] != one.words:
                raise UserError("these words are not in the transcript")
        kept = RatingGiven(value=body.value, comment=body.comment, evidence=body.evidence).model_dump_json()
    await room.store.packets.answer(id, rater.name, code, question.id, kept)
    return await item(id, code, room, digest)


@router.get("/{id}/rounds/{number}", summary="Two conversations to choose from")
async def one_round(id: str, number: int, room: TheRoom, digest: Trainee) -> RatedRound:
    row, rater, body = await _mine(room, id, digest)
    code, question, first, second = _round(body, rater, number)
    answers = await room.store.packets.answers(id, rater.name)
    given = next((one for one in answers if (one.item, one.question) == (code, question)), None)
    return RatedRound(
        first=await room.lines(row, first),
        second=await room.lines(row, second),
        answer=VoteGiven.model_validate_json(given.body) if given is not None else None,
    )


@router.post("/{id}/rounds/{number}", summary="Choose the better one")
async def choose(id: str, number: int, body: ChosenSide, room: TheRoom, digest: Trainee) -> RatedRound:
    _, rater, packet = await _mine(room, id, digest)
    code, question, _, _ = _round(packet, rater, number)
    kept = VoteGiven(better=body.better, reason=body.reason).model_dump_json()
    await room.store.packets.answer(id, rater.name, code, question, kept)
    return await one_round(id, number, room, digest)


async def _mine(room: RatingRoom, id: str, digest: str) -> tuple[PacketRow, Rater, PacketBody]:
    row = await room.store.packets.get(id)
    for rater in await room.store.packets.raters(id):
        if digest and rater.digest == digest:
            return row, rater, body_of(row)
    raise UnknownName("packet", id)


def _episode(body: PacketBody, code: str) -> str:
    if code not in body.key.items:
        raise UnknownName("transcript", code)
    return body.key.items[code]


def _round(body: PacketBody, rater: Rater, number: int) -> tuple[str, str, str, str]:
    """The pair of a round, its order, and the two episodes as they are shown."""
    rounds = rounds_of(body, rater.name)
    if not 0 <= number < len(rounds):
        raise UnknownName("round", str(number))
    pair, swapped = rounds[number]
    return (pair.code, BACKWARD, pair.b, pair.a) if swapped else (pair.code, FORWARD, pair.a, pair.b)
