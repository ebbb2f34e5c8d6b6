"""Whether a lay person lectures on medicine: reads an ECG, names causes and signs in general, quotes values.

Small models do this when their patient is asked a question that is meant for a colleague. A real patient would not
know.
"""

from __future__ import annotations

from functools import lru_cache

from polyclinic.text.lazily import lazy_pattern
from polyclinic.text.normal import normalise
from polyclinic.text.phrases import Pieces
from polyclinic.text.sentences import sentences
from polyclinic.text.words import spoken_words

_LECTURES = lazy_pattern(
    r"\b(?:the|an?|this|my|his|her|\w+'s) (?:ecg|ekg|electrocardiogram|qrs|[pt][- ]wave|flow-volume loop"
    r"|ascitic fluid|blood film)"
    r"[^.!?]{0,60}\b(?:shows?|represents?|indicates?|indicating|is an?|is the|are the)\b"
    r"|\bqrs complex|\bsinus rhythm|\b(?:serum|haemoglobin|platelet) levels?\b"
    r"|\bthe most (?:likely|common|important) (?:cause|symptom|sign|step|treatment)s? (?:of|is|for)\b"
    r"|\b(?:signs|symptoms|side effects) of (?:an? |the )?[\w -]{3,40} (?:are|include)\b"
    r"|\bi understand the (?:signs|symptoms)\b|\bplays? an? (?:crucial|key|vital) role"
    r"|\bthe (?:rise|increase|decrease|drop|fall) in [\w ,-]{3,40} (?:is a sign|indicates?|suggests?)\b"
    r"|\bthe (?:role|development) of\b|(?<!what is )(?<!what's )\bthe difference between\b"
    r"|\bconsistent with an?\b|\bis a sign that the\b|\bsigns? of an underlying\b|\btests? measures?\b"
    r"|\bthe next steps? (?:would be|in my treatment|is to)\b|\bwould need to see\b[^.!?]{0,60}\bto determine\b"
    r"|\b(?:platelets?|haemoglobin|hemoglobin|thrombus|embolism) (?:is|are|plays?) (?:an? |small |blood )\w+"
    r"|\b(?:rise|increase|decrease|drop|fall) in (?:my )?(?:serum|creatinine|platelets?|ha?emoglobin|sodium)\b"
    r"|\blevels? of (?:sodium|potassium|creatinine|urea|calcium|troponin|lactate|bilirubin)\b"
    r"|\bwhich (?:suggests|indicates|is significant because)\b|\bblood loss, which has caused\b"
    r"|\bin a critical (?:condition|state)\b|\bis likely (?:caused by|due to)\b"
    r"|\bit is possible that\b[^.!?]{3,120}\bdue to\b"
    r"|\bthe (?:normal )?(?:rhythm strip|pr interval|heart rate|weight[\w -]{0,12} chart)[^.!?]{0,20}"
    r" (?:shows?|suggests?|is an?|is showing)\b|\bthe waveforms? (?:is|are)\b|\bthe expected weight for\b"
    r"|\bmy pr interval\b|\bfor a healthy adult\b"
    r"|\btypically around\b|\b(?:tests?|results?) indicates?\b|\bhelp includes\b"
)
"""General medicine in the words of a textbook. Lay people say what they feel and what others told them."""
_TOLD_SO = lazy_pattern(
    r"\b(?:told|said|says|asked|explained|mentioned|read|heard|worried|don't know|do not know|not sure)\b|\?"
)
"""Exceptions: people may repeat what others told them, ask questions, and say that they do not know."""
_LECTURES_HOLDS = Pieces(
    *("ecg", "ekg", "electrocardiogram", "qrs", "wave", "flow-volume", "ascitic", "blood film", "sinus"),
    *(
        "level",
        "the most",
        "signs of",
        "symptoms of",
        "effects of",
        "i understand the",
        "role",
        "typically",
        "indicate",
        "help includes",
    ),
    *(
        "suggest",
        "sign that",
        "underlying",
        "test measure",
        "tests measure",
        "development of",
        "difference between",
        "consistent with",
        "next step",
        "to determine",
    ),
    *("serum", "creatinine", "sodium", "potassium", "which is significant", "blood loss", "critical"),
    *(
        "likely",
        "due to",
        "rhythm strip",
        "pr interval",
        "heart rate",
        "chart",
        "healthy adult",
        "waveform",
        "expected weight",
    ),
    *("platelet", "haemoglobin", "hemoglobin", "thrombus", "embolism"),
)


def lecture(text: str, line: str) -> str:
    """The words of a sentence that teaches medicine; empty if there is none. `line` is the normalised text."""
    if not _LECTURES_HOLDS.in_line(line):  # cheap check first: most lines have none of these words
        return ""
    told = (normalise(part) for part in sentences(text))
    matches = (_LECTURES.search(part) for part in told if not _TOLD_SO.search(part))
    return next((match[0] for match in matches if match), "")


_VALUE = lazy_pattern(
    r"\b\d{2,3}/\d{2,3}\b|\b\d+(?:[.,]\d+)? ?(?:mg|mmol|mmhg|g/dl|bpm|beats|breaths|milliseconds|ms\b|°|degrees)"
    r"|\b\d+(?:[.,]\d+)? lit(?:er|re)s? per\b|\b\d{2,3} over \d{2,3}\b|\b[34]\d[.,]\d\b"
    r"|\b(?:current |my )?(?:ph|glucose|blood glucose|ast|alt|sodium|potassium)(?: levels?)? (?:is|are|was|were)\b"
    r"|\b(?:low|high|normal|raised|elevated) (?:ph|ast|alt|glucose|sodium|potassium|platelets?)\b"
    r"|\b(?:platelets?|audiogram|blood clots?|clots?|embolism|thrombosis|autoimmune)\b|\b\d+ (?:db|kg)\b"
)
"""Readings, results and values."""
_VALUE_HOLDS = Pieces(
    *"0123456789",
    "ph ",
    "glucose",
    "ast ",
    "alt ",
    "sodium",
    "potassium",
    "platelet",
    "audiogram",
    "clot",
    "embol",
    "thromb",
    "immune",
)
_TAKEN_UP, _LONG = 4, 5
"""How many words in a row take up a question, and how many letters a word has that says what it is about."""


def measured(text: str, line: str, said: str, known: str) -> str:
    """What somebody states although it is not part of what they know; empty if there is none.

    It is a value or a finding, or the subject of a question turned into a statement ("The PR interval is ...").
    """
    known = normalise(known)
    told = [normalise(part) for part in sentences(text)]
    stated = [part for part in told if not _TOLD_SO.search(part)]
    if _VALUE_HOLDS.in_line(line):
        found = (match[0] for part in stated for match in _VALUE.finditer(part))
        words = next((words for words in found if words not in known), "")
        if words:
            return words
    return next((run for part in stated for run in _runs_of(said) if run in part and _is_new(run, known)), "")


@lru_cache(maxsize=1_024)
def _runs_of(said: str) -> tuple[str, ...]:
    """Each four words in a row of what was said, from "the" on: what a question is about."""
    words = spoken_words(normalise(said))
    runs = (words[at : at + _TAKEN_UP] for at in range(len(words) - _TAKEN_UP + 1))
    return tuple(" ".join(run) for run in runs if run[0] in ("the", "your", "her", "his", "this"))


def _is_new(run: str, known: str) -> bool:
    """Whether none of the run's long words is known."""
    return not any(word in known for word in run.split() if len(word) >= _LONG)
