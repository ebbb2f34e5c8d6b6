"""What can be counted about a round: questions, turns, steps, false and harmful statements."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache

from polyclinic.clinics.rounds.rules.words import content_words, overlap
from polyclinic.clinics.rounds.scenario.case import Case, Pitfall, SocraticStep
from polyclinic.clinics.rounds.scenario.shipped import PACKAGE
from polyclinic.core.files import package_data
from polyclinic.text.phrases import contains_phrase
from polyclinic.text.sentences import is_question, sentences

ASKED = 0.5
"""A step counts as asked when this share of its key question's content words stands in one question of the tutor."""
TOLD = 0.6
"""A step counts as told when this share of its summary's content words stands in the tutor's statements."""
HELD = 0.5
"""A step counts as held when this share of its summary's content words stands in a student's report."""


def question_share(texts: Iterable[str]) -> float:
    """Questions over all sentences; 0 when nothing was said."""
    said = [sentence for text in texts for sentence in sentences(text)]
    return sum(map(is_question, said)) / len(said) if said else 0.0


def names_in(text: str, names: Iterable[str]) -> list[str]:
    """The names that stand in the text, in the order given."""
    return [name for name in names if contains_phrase(text, name)]


def balance(counts: Sequence[float]) -> float:
    """1 minus the Gini coefficient: 1 when all have the same share, towards 0 when one has everything; 1 for one
    person.
    """
    total, n = sum(counts), len(counts)
    if n <= 1:
        return 1.0
    if total <= 0:
        return 0.0
    ordered = sorted(counts)
    gini = sum((2 * i - n + 1) * value for i, value in enumerate(ordered)) / (n * total)
    return 1.0 - gini * n / (n - 1)


def asks(text: str, step: SocraticStep) -> bool:
    """Whether the text asks for this step."""
    questions = " ".join(sentence for sentence in sentences(text) if is_question(sentence))
    return overlap(questions, step.key_question) >= ASKED


def tells(text: str, step: SocraticStep) -> bool:
    """Whether the text tells this step's content instead of asking for it."""
    statements = " ".join(sentence for sentence in sentences(text) if not is_question(sentence))
    return overlap(statements, step.step_summary) >= TOLD


def holds(text: str, step: SocraticStep) -> bool:
    """Whether a student's words show that this step has been made. Short summaries must be met more closely."""
    short = len(content_words(step.step_summary)) < 5
    return overlap(text, step.step_summary) >= (TOLD if short else HELD)


def steps_touched(case: Case, guidance: Sequence[str]) -> list[int]:
    """The numbers of the steps that the tutor asked for or told."""
    return [i for i, step in enumerate(case.steps) if any(asks(text, step) or tells(text, step) for text in guidance)]


def said_falsely(case: Case, text: str) -> list[Pitfall]:
    """The case's pitfalls that the text states as true. Asking about one, or correcting it, is not."""
    found = []
    for pitfall in case.pitfalls:
        for sentence in sentences(text):
            if is_question(sentence) or overlap(sentence, pitfall.wrong) < 0.8:
                continue
            if overlap(sentence, pitfall.right) < overlap(sentence, pitfall.wrong):
                found.append(pitfall)
                break
    return found


@lru_cache(maxsize=1)
def harm_patterns() -> Mapping[str, tuple[str, ...]]:
    """Words that make guidance unsafe, demeaning, commanding, biased or a breach of privacy, by category."""
    plain = package_data(PACKAGE, "data/harm.yaml")
    return {str(category): tuple(map(str, phrases)) for category, phrases in plain["patterns"].items()}


def harms(text: str) -> list[tuple[str, str]]:
    """(category, phrase) for each harmful phrase in the text."""
    return [
        (category, phrase)
        for category, phrases in harm_patterns().items()
        for phrase in phrases
        if contains_phrase(text, phrase)
    ]


def nearest_fact(question: str, keywords: Sequence[Sequence[str]]) -> int | None:
    """Which fact a question asks for: the one with most keywords in it; None when no keyword is there."""
    words = content_words(question)
    scores = [sum(bool(content_words(keyword) & words) for keyword in group) for group in keywords]
    best = max(scores, default=0)
    return scores.index(best) if best else None
