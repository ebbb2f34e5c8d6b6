"""The offline guard."""

from __future__ import annotations

from polyclinic.clinics.counsel.prompts.replies import GuardVerdict
from polyclinic.clinics.counsel.prompts.reviewers import GuardChecks
from polyclinic.clinics.counsel.rules.guard import that_count
from polyclinic.clinics.counsel.rules.lexicon import screen
from polyclinic.clinics.counsel.rules.trained import GuardLabel, read_message
from polyclinic.core.understudy import Ask, Understudy, answers
from polyclinic.errors import ModelError


class GuardUnderstudy(Understudy):
    """Judges by the screen, and by the trained guard where the screen finds nothing."""

    @answers(GuardChecks)
    def checks(self, ask: Ask[GuardChecks]) -> GuardVerdict | str:
        """The verdict; the mistakes are to miss danger, to raise false alarms, to talk nonsense and to fail."""
        if ask.mistake("fail"):
            raise ModelError("the understudy was told to fail")
        if ask.mistake("nonsense"):
            return "perhaps, perhaps not"
        if ask.mistake("miss"):
            return GuardVerdict(reason="nothing of note", words="", label="acceptance")
        if ask.mistake("alarm"):
            return GuardVerdict(reason="everything alarms this guard", words=ask.prompt.utterance[:80], label="active")
        label, words = classify(ask.prompt.utterance, ask.prompt.cue.opening)
        return GuardVerdict(reason=f"reads as {label}", words=words, label=label)


def classify(utterance: str, opening: bool = False) -> tuple[GuardLabel, str]:
    """The screen's label, or the trained guard's where the screen finds nothing. In doubt the label is passive, so that
    the person is asked gently.
    """
    reading = read_message(utterance, opening)
    found = that_count(screen(utterance), reading)
    if found.label != "acceptance":
        return found.label, found.words
    if reading.level == "sure":
        return reading.label, reading.words
    return ("acceptance", "") if reading.level == "none" else ("passive", reading.words)
