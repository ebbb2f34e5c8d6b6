"""Live conversations at the desk: what people can do there, and in which states.

The visitor speaks, asks for a person or closes; staff take a conversation over, speak in it and hand it back. While
staff hold it, nothing automatic is said.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field, StringConstraints

from polyclinic.clinics.counsel.agents.long_text import gravest_part
from polyclinic.clinics.counsel.prompts.replies import DeskSays
from polyclinic.clinics.counsel.rules.guard import FLAG_QUEUE, QUEUE, REVIEW_QUEUE
from polyclinic.clinics.counsel.rules.messages import escalation_message, refused_message, waiting_message
from polyclinic.clinics.counsel.rules.notes import ByPerson, ForPerson, InTurn, Replied, TalkEnded
from polyclinic.clinics.counsel.rules.trained import GuardLabel
from polyclinic.clinics.counsel.scenario import UNKNOWN_COUNTRY, InventedPerson, Lang, PersonaLines, Talk
from polyclinic.clinics.counsel.state import HOLDING_CHANGE, STAGE_CHANGE, STAGES, Control, Holding
from polyclinic.clinics.counsel.tools import knowledge
from polyclinic.core.live import (
    CLOSED,
    MOST_CHARS,
    Action,
    Body,
    ByStaff,
    Heard,
    LiveService,
    NoBody,
    PassOn,
    SessionView,
    WhyRefused,
    Words,
)
from polyclinic.core.note import get_payload
from polyclinic.core.services import Services
from polyclinic.core.transcript import Changed, Event, Said, Transcript
from polyclinic.errors import DataError

OPEN = ("automatic", "escalated", "person")
NOT_TOLD = "not told"
FOR_REVIEW = "The automatic counsellor found no answer that its own check accepted. Please look at the conversation."
GUARD_FAILED = "The automatic check of this message failed. Please read the message yourself."
SIGNS: Mapping[GuardLabel, str] = {
    "active": "The person may be in danger of taking their own life.",
    "emergency": "The person describes a medical emergency.",
    "harm_others": "The person speaks of harming somebody.",
    "abuse": "The person may be suffering abuse or neglect.",
    "implicit": "The person may be saying goodbye or hinting at suicide.",
    "passive": "The person may wish to be dead, without a plan to act on it.",
    "acceptance": "A person of the team is wanted.",
}
"""What staff read about each label of the guard."""
_UNKNOWN = (
    "region", "dialect", "faith", "family", "values", "restraint", "work", "money", "burden", "speech", "diagnosis",
    "misunderstanding",
)  # fmt: skip


class StartBody(Body):
    """Opens a session. `patient` names somebody whose earlier sessions are to be remembered."""

    lang: Lang = "en"
    country: Annotated[str, StringConstraints(pattern=r"^([A-Z]{2})?$")] = Field(
        "", description="decides the crisis contacts; if empty, the country that the service was started with"
    )
    patient: Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_-]{0,64}$")] = ""


class SayBody(Body):
    """The patient's words."""

    text: Words


class SpeakBody(ByStaff):
    """What a person of the care team says to the patient."""

    text: Words


class ReasonBody(Body):
    """Why somebody of the staff is asked to take over. A longer text is cut, not refused."""

    reason: Annotated[str, AfterValidator(lambda reason: reason[:MOST_CHARS])] = ""


class TalkHeard(Heard):
    """Something said aloud, with the stage and the sources it is based on; `by` names the person of the care team."""

    speaker: Literal["patient", "counsellor", "service", "person"]
    by: str = ""
    turn: int = 0
    stage: str = ""
    sources: list[str] = Field(default_factory=list)


class TalkView(SessionView):
    """The state of a conversation."""

    lang: Lang
    country: str
    control: Control = "automatic"
    stage: str = STAGES[0]
    turn: int = 0


ACTIONS: tuple[Action[Any], ...] = (
    Action(
        name="say",
        title="The patient says something",
        about="Returns when the answer, or the set message, is ready. While a person holds the session nobody "
        "else answers.",
        body=SayBody,
        reply=lambda body: DeskSays(kind="patient", text=body.text),
        when=OPEN,
    ),
    Action(
        name="hand-over",
        title="Ask for a person",
        about="Puts the session into the queue although there is no crisis; automated talk stops.",
        body=ReasonBody,
        reply=lambda body: DeskSays(kind="hand_over", text=body.reason, by="the session"),
        when=("automatic",),
    ),
    Action(
        name="take-over",
        title="Take over",
        about="Automated talk stops; the session's open cases are marked as taken by this person.",
        body=ByStaff,
        reply=lambda body: DeskSays(kind="take_over", by=body.by),
        when=("automatic", "escalated"),
        by="staff",
        cases="take",
    ),
    Action(
        name="speak",
        title="Speak to the person",
        about="To the patient, in the person's own name.",
        body=SpeakBody,
        reply=lambda body: DeskSays(kind="person", text=body.text, by=body.by),
        when=("person",),
        by="staff",
    ),
    Action(
        name="pass-on",
        title="Pass on to a colleague",
        about="To another member of staff, with its cases; automated talk stays stopped.",
        body=PassOn,
        reply=lambda body: DeskSays(kind="take_over", by=body.to),
        when=("person",),
        by="staff",
        cases="pass",
    ),
    Action(
        name="hand-back",
        title="Hand back",
        about="Automated talk goes on; the session's cases are closed.",
        body=ByStaff,
        reply=lambda body: DeskSays(kind="hand_back", by=body.by),
        when=("person",),
        by="staff",
        cases="close",
        remark="handed back by {by}",
    ),
    Action(
        name="close",
        title="Close the session",
        about="Ends the session; its transcript stays in the store.",
        body=NoBody,
        reply=lambda body: DeskSays(kind="close", by="the session"),
        when=OPEN,
    ),
)


class CounselService(LiveService[Talk, StartBody, TalkView]):
    """Counselling sessions with real people."""

    role = "desk"
    visitor = "patient"
    variant = "full"
    states = (*OPEN, CLOSED)
    queues = (QUEUE, REVIEW_QUEUE, FLAG_QUEUE)
    alerts = (QUEUE,)
    actions = ACTIONS
    speaks = "say"
    heard = TalkHeard
    opening = StartBody
    view = TalkView

    def scenario(self, session: str, body: StartBody, known: Mapping[str, str], options: Mapping[str, str]) -> Talk:
        """A talk with a visitor about whom nothing is assumed except the country, which the operator may set."""
        return Talk(
            id=session,
            persona=visitor(body, session, body.country or options.get("country", UNKNOWN_COUNTRY)),
            lang=body.lang,
            turns=1_000,
            live=True,
            known=dict(known),
        )

    def why(self, queue: str, message: Mapping[str, Any]) -> str:
        """What the words are a sign of, not which reader found them; or the reason that a person gave."""
        if queue == REVIEW_QUEUE:
            return FOR_REVIEW
        if queue == FLAG_QUEUE:
            return SIGNS["passive"]
        try:
            told = get_payload(ForPerson, message)
        except DataError:  # another version wrote it
            told = None
        if told is None or told.decision is None:
            return super().why(queue, message)
        return GUARD_FAILED if told.decision.source == "fault" else SIGNS[told.decision.label]

    def safe_words(self, scenario: Talk) -> str:
        """The set message with the contacts of the visitor's country."""
        return escalation_message(scenario.lang, scenario.persona.country)

    def refused_words(self, scenario: Talk, why: WhyRefused) -> str:
        """Why the message was not taken, with the contacts of the visitor's country."""
        return refused_message(scenario.lang, scenario.persona.country, why)

    def waiting_words(self, scenario: Talk) -> str:
        """That the message has arrived, with the contacts of the visitor's country."""
        return waiting_message(scenario.lang, scenario.persona.country)

    async def must_be_heard(self, text: str) -> str:
        """The part in which the word screen or the trained guard finds most danger, if they find any."""
        return await gravest_part(text, MOST_CHARS)

    def begin(self, session: str, scenario: Talk) -> TalkView:
        """The state at the opening: the service answers, and no person holds the conversation."""
        return TalkView(id=session, lang=scenario.lang, country=scenario.persona.country)

    def follow(self, view: TalkView, event: Event) -> None:
        """Update turn, stage, and who holds the conversation."""
        if isinstance(event, Said):
            said_in = event.get(InTurn)
            view.turn = view.turn if said_in is None else said_in.turn
        elif isinstance(event, Changed) and event.what == HOLDING_CHANGE:
            now = Holding.read(event.after)
            view.control, view.holder = now.by, now.holder
        elif isinstance(event, Changed) and event.what == STAGE_CHANGE:
            view.stage = str(event.after)

    def hear(self, number: int, said: Said, view: TalkView) -> TalkHeard:
        """A line with the stage it was said in and the sources it names."""
        replied, person = said.get(Replied), said.get(ByPerson)
        return TalkHeard.model_validate(
            {
                "number": number,
                "speaker": said.speaker,
                "text": said.text,
                "by": "" if person is None else person.by,
                "turn": view.turn,
                "stage": "" if replied is None else replied.stage,
                "sources": [claim.source for claim in (replied.claims if replied is not None else None) or ()],
            }
        )

    def person(self, body: StartBody) -> str:
        """The patient's id, if one was given."""
        return body.patient

    def remember(self, transcript: Transcript) -> dict[str, str]:
        """The facts that the conversation ended with."""
        ended = transcript.ended_with(TalkEnded)
        return {} if ended is None else {fact.subject: fact.value for fact in ended.facts}

    def warm(self, services: Services) -> None:
        """Load the sources before the first session."""
        knowledge(services.embedder, services.options.get("documents", ""))


def visitor(body: StartBody, session: str, country: str) -> InventedPerson:
    """A real person: nothing is assumed about them except their country."""
    blank = PersonaLines(misunderstanding="", worry="", value="", question="")
    return InventedPerson.model_validate(
        {
            **dict.fromkeys(_UNKNOWN, NOT_TOLD),
            "id": body.patient or f"visitor-{session}",
            "name": "visitor",
            "age": 0,
            "sex": NOT_TOLD,
            "country": country,
            "leaning": "comfort",
            "lines": {"en": blank, "ko": blank},
        }
    )


service = CounselService()
