"""Offline staff: they speak by stage, in their own manner, and give in to a habit unless the prompt holds them back."""

from __future__ import annotations

from polyclinic.clinics.duty.prompts.people import ActTurn
from polyclinic.clinics.duty.understudies.habits import expressed_traits, gives_in
from polyclinic.clinics.duty.understudies.moves import moves
from polyclinic.clinics.duty.understudies.voices import voice
from polyclinic.core.seed import stream
from polyclinic.core.understudy import Ask, Understudy, answers

TRAITS_A_MESSAGE = 2
TO_PATIENTS = (
    "perspective_taking",
    "emotional_engagement",
    "personal_interest",
    "compliance_expectation",
    "shared_decision",
)


class StaffUnderstudy(Understudy):
    """Plays doctor, nurse, trainee and admin."""

    @answers(ActTurn)
    def acts(self, ask: Ask[ActTurn]) -> str:
        """One message: the manner first, then what the stage asks for."""
        traits = expressed_traits(ask)
        parts = self._manner(ask, traits)
        for move in moves(ask.prompt):
            broken = bool(move.habit) and gives_in(ask, move.habit, traits)
            parts.append(move.bad if broken else move.good)
        return " ".join(part for part in parts if part)

    @staticmethod
    def _manner(ask: Ask[ActTurn], traits: dict[str, float]) -> list[str]:
        """A few sentences that show some traits or the lack of them; over an episode, all traits are shown."""
        prompt, names = ask.prompt, list(traits)
        if not names:
            return []
        spoken = sum(line.speaker == prompt.role for line in prompt.steers.dialogue)
        if prompt.to != "patient":
            names = [name for name in names if name not in TO_PATIENTS] or names[:1]
        first = (spoken * TRAITS_A_MESSAGE + prompt.steers.shift) % len(names)
        chosen = [names[(first + i) % len(names)] for i in range(min(TRAITS_A_MESSAGE, len(names)))]
        words = voice(prompt.steers.voice).manner
        seed = ask.request.settings.seed
        return [
            words[name].shows
            if stream("voice", seed, name, spoken, prompt.steers.shift).random() < traits[name]
            else words[name].lacks
            for name in chosen
        ]
