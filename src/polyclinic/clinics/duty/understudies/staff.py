"""Offline staff: they speak by stage, in their own manner, and give in to a habit unless the prompt holds them back."""

from __future__ import annotations

from polyclinic.clinics.duty.prompts import ActTurn
from polyclinic.clinics.duty.rules.traits.markers import express
from polyclinic.clinics.duty.understudies.habits import breaks, expressed_traits
from polyclinic.clinics.duty.understudies.moves import moves
from polyclinic.core.seed import stream
from polyclinic.core.understudy import Ask, Understudy, answers

TRAITS_A_MESSAGE = 3


class StaffUnderstudy(Understudy):
    """Plays doctor, nurse, trainee and admin."""

    @answers(ActTurn)
    def acts(self, ask: Ask[ActTurn]) -> str:
        """One message: the manner first, then what the stage asks for."""
        traits = expressed_traits(ask)
        parts = self._manner(ask, traits)
        for move in moves(ask.prompt):
            broken = bool(move.norm) and breaks(ask, move.norm, traits)
            parts.append(move.bad if broken else move.good)
        return " ".join(part for part in parts if part)

    @staticmethod
    def _manner(ask: Ask[ActTurn], traits: dict[str, float]) -> list[str]:
        """A few sentences that show some traits; over an episode all of them get their turn."""
        prompt = ask.prompt
        names = list(traits)
        if not names:
            return []
        spoken = sum(line.speaker == prompt.role for line in prompt.dialogue)
        first = (spoken * TRAITS_A_MESSAGE + prompt.shift) % len(names)
        chosen = [names[(first + i) % len(names)] for i in range(min(TRAITS_A_MESSAGE, len(names)))]
        return [
            express(name, traits[name], stream("voice", ask.request.settings.seed, name, spoken)) for name in chosen
        ]
