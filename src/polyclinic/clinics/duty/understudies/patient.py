"""The offline patient: says what it knows in order, in its own manner, and asks again when it feels unheard."""

from __future__ import annotations

from polyclinic.clinics.duty.prompts import PatientSays, PatientTurn
from polyclinic.clinics.duty.rules.traits.markers import express
from polyclinic.clinics.duty.rules.triggers.words import TEACH_BACK
from polyclinic.core.seed import stream
from polyclinic.core.understudy import Ask, Understudy, answers

ASKS_AGAIN = 0.35


class PatientUnderstudy(Understudy):
    """Mistake: ``silent`` says nothing at all."""

    @answers(PatientTurn)
    def answers_staff(self, ask: Ask[PatientTurn]) -> PatientSays | str:
        """The next thing on its mind."""
        prompt = ask.prompt
        if ask.mistake("silent"):
            return ""
        last = len(prompt.says) - 1
        taught = bool(prompt.dialogue) and TEACH_BACK.search(prompt.dialogue[-1].text) is not None
        said = (
            prompt.says[min(prompt.answered, last)]
            if taught or prompt.answered < last
            else prompt.says[max(last - 1, 0)]
        )
        seed = ask.request.settings.seed
        names = prompt.traits
        shown = names[prompt.answered % len(names)] if names else None
        manner = express(shown.dimension, shown.value, stream("patient voice", seed, prompt.answered)) if shown else ""
        comfort = next((line.value for line in prompt.traits if line.dimension == "felt_understood"), 0.5)
        worry = ask.chance("worry", ASKS_AGAIN * (1.5 - comfort)) and bool(prompt.concerns) and prompt.answered > 0
        more = f" {prompt.concerns[prompt.answered % len(prompt.concerns)]}" if worry else ""
        return PatientSays(text=f"{said} {manner}{more}".strip(), asks_more=worry)
