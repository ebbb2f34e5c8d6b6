"""The offline guard."""

from __future__ import annotations

from collections import Counter
from functools import lru_cache

from polyclinic.clinics.counsel.prompts import GuardChecks, GuardVerdict
from polyclinic.clinics.counsel.rules.lexicon import Label, screen
from polyclinic.clinics.counsel.scenario import PACKAGE
from polyclinic.core.files import json_lines, package_text
from polyclinic.core.understudy import Ask, Understudy, answers
from polyclinic.errors import ModelError
from polyclinic.retrieval.lexical import character_grams

NEAR = 0.62


class GuardUnderstudy(Understudy):
    """The lexicon, and the nearest of the utterances kept for building.

    It knows what the word lists miss if it was seen.
    """

    @answers(GuardChecks)
    def checks(self, ask: Ask[GuardChecks]) -> GuardVerdict | str:
        """The verdict; the mistakes are to miss, to cry wolf, to talk nonsense and to fail."""
        if ask.mistake("fail"):
            raise ModelError("the understudy was told to fail")
        if ask.mistake("nonsense"):
            return "perhaps, perhaps not"
        if ask.mistake("miss"):
            return GuardVerdict(reason="nothing of note", words="", label="acceptance")
        if ask.mistake("alarm"):
            return GuardVerdict(reason="everything alarms this guard", words=ask.prompt.utterance[:80], label="active")
        label, words = classify(ask.prompt.utterance)
        return GuardVerdict(reason=f"reads as {label}", words=words, label=label)


@lru_cache(maxsize=4_096)
def classify(utterance: str) -> tuple[Label, str]:
    """The lexicon's label, or that of the nearest known utterance where the lexicon finds nothing."""
    found = screen(utterance)
    if found.label != "acceptance":
        return found.label, found.words
    grams = _grams(utterance)
    sizes, labels, where = _known()
    shared = Counter(number for gram in sorted(grams) for number in where.get(gram, ()))
    best = 0.0
    label: Label = "acceptance"
    for number, both in shared.items():
        likeness = both / (len(grams) + sizes[number] - both)
        if likeness > best:
            best, label = likeness, labels[number]
    return (label, utterance[:80]) if best >= NEAR else ("acceptance", "")


@lru_cache(maxsize=1)
def _known() -> tuple[list[int], list[Label], dict[str, list[int]]]:
    """The utterances kept for building: their sizes in trigrams, their labels, and which of them hold a trigram."""
    rows = [row for _, row in json_lines(package_text(PACKAGE, "data/utterances/build.jsonl"), "build.jsonl")]
    where: dict[str, list[int]] = {}
    sizes = []
    for number, row in enumerate(rows):
        grams = _grams(row["text"])
        sizes.append(len(grams))
        for gram in sorted(grams):
            where.setdefault(gram, []).append(number)
    return sizes, [row["label"] for row in rows], where


def _grams(text: str) -> frozenset[str]:
    return frozenset(character_grams(" ".join(text.lower().split()), 3))
