"""The patient's helpers: vagueness, attention, and the scribe."""

from __future__ import annotations

from polyclinic.clinics.patient.prompts.patient.attention import Attends, Merges
from polyclinic.clinics.patient.prompts.patient.complaint import Blurs
from polyclinic.clinics.patient.prompts.patient.replies import NONE
from polyclinic.clinics.patient.prompts.scribe.summary import Summarises
from polyclinic.clinics.patient.readings import CHEAT
from polyclinic.clinics.patient.rules.requirements import requirements
from polyclinic.clinics.patient.rules.vagueness import make_vague
from polyclinic.clinics.patient.understudies.rules_read import tells_to_decline
from polyclinic.core.memory import cut
from polyclinic.core.understudy import Ask, Understudy, answers

GENERAL = ("Speak as people talk.", "Tell one or two things, not more.")
OVERLOOKED = 0.05


class VaguenessUnderstudy(Understudy):
    """Blurs times and amounts by rule."""

    @answers(Blurs)
    def blurs(self, ask: Ask[Blurs]) -> str:
        """Gives one vague line for each line."""
        return "\n".join(make_vague(line) for line in ask.prompt.lines)


class AttentionUnderstudy(Understudy):
    """Picks the rules that fit a question. For a trick these are the rules to decline, otherwise the nearest rule."""

    @answers(Attends)
    def attends(self, ask: Ask[Attends]) -> str:
        """The key lines of one chunk, in their short form."""
        question = ask.prompt.question
        short = {requirement.text: requirement.short for requirement in requirements()}
        if ask.understands(question, CHEAT.ask()):
            picked = [line for line in ask.prompt.chunk if tells_to_decline(line)]
        else:
            others = [line for line in ask.prompt.chunk if not tells_to_decline(line)]
            picked = sorted(others, key=lambda line: -ask.likeness(line, question))[:1]
        picked = [line for line in picked if not ask.chance(f"overlook {line}", OVERLOOKED)]
        general = [short[line] for line in ask.prompt.chunk if short.get(line) in GENERAL]
        return "\n".join(dict.fromkeys([*(short.get(line, line) for line in picked), *general])) or NONE

    @answers(Merges)
    def merges(self, ask: Ask[Merges]) -> str:
        """At most four different lines, the special ones before the general ones."""
        lines = list(dict.fromkeys(ask.prompt.lines))
        return "\n".join(sorted(lines, key=lambda line: line in GENERAL)[:4])


class ScribeUnderstudy(Understudy):
    """Keeps the patient's words, newest last, and drops the oldest when they become too many."""

    @answers(Summarises)
    def summarises(self, ask: Ask[Summarises]) -> str:
        """The old summary and the new words. If they are too long, the beginning is cut off."""
        said = [turn.text for turn in ask.prompt.turns if turn.speaker == "patient"]
        text = " ".join([ask.prompt.summary.replace("…", ""), *said]).strip()
        if len(text) > ask.prompt.limit_chars:
            text = text[-ask.prompt.limit_chars :].partition(" ")[2]
        return cut(text, ask.prompt.limit_chars) or "Nothing was said."
