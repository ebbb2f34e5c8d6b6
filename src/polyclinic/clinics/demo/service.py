"""Live calls: a real person is the caller, the cast's nurse answers."""

from __future__ import annotations

from collections.abc import Mapping

from pydantic import Field, field_validator

from polyclinic.clinics.demo.prompts.replies import Reaction
from polyclinic.clinics.demo.scenario import Call, Leaflet, written
from polyclinic.core.live import CLOSED, Action, Body, LiveService, SessionView, Who, Words
from polyclinic.core.transcript import Event, Said

ASKING, ANSWERED = "asking", "answered"


def leaflets() -> dict[str, Leaflet]:
    """The medicines that can be asked about."""
    return {call.leaflet.medicine: call.leaflet for call in written()}


class StartBody(Body):
    """Opens a call about one of the invented medicines."""

    caller: Who = "visitor"
    medicine: str = Field("", description="empty: the first medicine")

    @field_validator("medicine")
    @classmethod
    def _known(cls, medicine: str) -> str:
        if medicine and medicine not in leaflets():
            raise ValueError(f"unknown medicine; choose one of: {', '.join(leaflets())}")
        return medicine


class AskBody(Body):
    """The caller's question."""

    text: Words


class ReactBody(Body):
    """What the caller replies to the nurse's answer."""

    text: Words
    understood: bool


class HelplineService(LiveService[Call, StartBody, SessionView]):
    """The helpline for real callers."""

    role = "caller"
    visitor = "caller"
    states = (ASKING, ANSWERED, CLOSED)
    queues = ("pharmacist",)
    opening = StartBody
    view = SessionView
    actions = (
        Action(
            name="ask",
            title="The caller asks",
            about="Returns when the nurse has answered.",
            body=AskBody,
            reply=lambda body: body.text,
            when=(ASKING,),
        ),
        Action(
            name="react",
            title="The caller says whether the answer was understood",
            about="Ends the call when it was; otherwise the nurse tries again, once.",
            body=ReactBody,
            reply=lambda body: Reaction(says=body.text, understood=body.understood),
            when=(ANSWERED,),
        ),
    )

    def scenario(self, session: str, body: StartBody, known: Mapping[str, str], options: Mapping[str, str]) -> Call:
        """A call about the medicine that was named."""
        leaflet = leaflets()[body.medicine or next(iter(leaflets()))]
        return Call(id=session, caller=body.caller, leaflet=leaflet, believes="nothing", style="numbers")

    def begin(self, session: str, scenario: Call) -> SessionView:
        """The state at the opening: the caller speaks first."""
        return SessionView(id=session, control=ASKING)

    def follow(self, view: SessionView, event: Event) -> None:
        """After the nurse's answer, wait for the caller's reaction."""
        if isinstance(event, Said) and event.speaker == "nurse":
            view.control = ANSWERED


service = HelplineService()
