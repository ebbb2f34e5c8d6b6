"""What a role sees in its prompts: the scenario, its own traits, and the conversation so far."""

from __future__ import annotations

from collections.abc import Sequence

from polyclinic.clinics.duty.prompts.views import Limit, RoleView, SpokenMessage, TraitLine
from polyclinic.clinics.duty.rules.triggers import SceneLine
from polyclinic.clinics.duty.scenario.schema import CLINICAL, AnyDuty, Discharge, Medication, MedicationReview, Role
from polyclinic.clinics.duty.state.style import Style, styled
from polyclinic.core.message import Message, assistant, user
from polyclinic.people.traits import TraitProfile, degree, dimensions


def role_view(scenario: AnyDuty, role: Role, open_points: bool = False) -> RoleView:
    """What this role sees of the scenario. Only with `open_points` does it hold what nobody knows yet."""
    clinical = role in CLINICAL
    lacking = [resource for resource in scenario.resources if not resource.available]
    return RoleView(
        knows=(*_situation(scenario, role), *scenario.knows(role)),
        medicines=_medicines(scenario) if clinical else (),
        protocol=(scenario.house_rules or scenario.protocol) if clinical else (),
        unknowns=tuple(unknown.about for unknown in scenario.unknowns if open_points),
        promised=tuple(cue.text for cue in scenario.continuity_cues) if isinstance(scenario, Discharge) else (),
        equipment=tuple(resource.name for resource in lacking),
        limits=tuple(
            Limit(name=r.name, limit=r.limit, instead=r.instead) for r in scenario.resources if role == "admin"
        ),
        boundaries=tuple(
            f"you may {b.may}; ask the {b.asks} about {b.must_ask}"
            for b in scenario.supervision_boundaries
            if b.role == role
        ),
    )


def _medicines(scenario: AnyDuty) -> tuple[Medication, ...]:
    """The list of medicines. A review asks the patient how they are really taken, and what others prescribed."""
    if isinstance(scenario, MedicationReview):
        listed = (medicine for medicine in scenario.current_meds if not medicine.elsewhere)
        return tuple(medicine.model_copy(update={"taken": ""}) for medicine in listed)
    return scenario.current_meds


def _situation(scenario: AnyDuty, role: Role) -> tuple[str, ...]:
    """What everybody in this role knows before the shift begins: the patient, the complaint, the plan."""
    if role not in CLINICAL:
        return ()
    if isinstance(scenario, MedicationReview):
        return scenario.patient_profile, scenario.symptoms
    if isinstance(scenario, Discharge):
        return (scenario.care_plan,)
    return (scenario.presenting_complaint,) if role == "nurse" else ()


def trait_lines(profile: TraitProfile | None, style: Style | None = None) -> tuple[TraitLine, ...]:
    """A profile for a prompt, adjusted to the style of the situation."""
    if profile is None:
        return ()
    values = profile.means() if style is None else styled(profile.means(), style)
    scale = {dimension.id: dimension for dimension in dimensions(profile.role)}
    return tuple(
        TraitLine(
            dimension=name,
            about=scale[name].about,
            you=scale[name].you,
            value=round(value, 4),
            words=degree(value),
        )
        for name, value in values.items()
    )


def spoken(lines: Sequence[SceneLine]) -> tuple[SpokenMessage, ...]:
    """The dialogue so far, numbered, for a prompt."""
    return tuple(
        SpokenMessage(number=i, speaker=line.speaker, to=line.to, text=line.text) for i, line in enumerate(lines, 1)
    )


def since_own_words(role: Role, lines: Sequence[SceneLine]) -> tuple[list[Message], tuple[SpokenMessage, ...]]:
    """The conversation as one side's chat history up to its own last words, and what was said after them."""
    numbered = spoken(lines)
    own = [line.number for line in numbered if line.speaker == role]
    if not own:
        return [], numbered
    history: list[Message] = []
    heard: list[str] = []
    for line in numbered[: own[-1]]:
        if line.speaker != role:
            whom = "you" if line.to == role else f"the {line.to}"
            heard.append(f"The {line.speaker} says to {whom}: {line.text}")
            continue
        history += [user("\n".join(heard) or "Nobody has spoken yet. You begin."), assistant(line.text)]
        heard = []
    return history, numbered[own[-1] :]
