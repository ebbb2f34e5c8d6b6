"""What kind of question a doctor asks: the ten types of the paper, and the kinds a patient has to
tell apart to stay in role.

A *type* says what the question is about (figures 4 and 5). A *kind* says how a standardized patient should take it:
most are plain, some ask for a named test, some fish for what no patient could know.
"""

from __future__ import annotations

import re
from enum import StrEnum
from functools import lru_cache

from polyclinic.clinics.patient.rules.vocabulary import found, names_a_test


class QuestionType(StrEnum):
    """The ten types of questions."""

    BASIC = "basic information"
    COMPLAINT = "chief complaint"
    SYMPTOM = "detailed symptom"
    LIFESTYLE = "lifestyle"
    PSYCHOLOGICAL = "psychological condition"
    SOCIAL = "social environment"
    EXAMINATION = "physical examination"
    TREATMENT = "treatment and medication response"
    PREVENTIVE = "preventive health"
    OTHER = "other"


class Kind(StrEnum):
    """How a standardized patient has to take a question."""

    PLAIN = "plain"
    TEST = "named test"
    JARGON = "specialised terms"
    ITEM = "single item of a test"
    MANY = "many questions at once"
    GUESS = "a disease suggested"
    CONCLUSION = "asks for the diagnosis"
    HEARSAY = "what other doctors said"
    EVERYTHING = "asks for everything"
    ALL_RESULTS = "asks for all results"
    INTERPRETATION = "asks what results mean"
    COURSE = "asks for the whole course"


CHEATS = frozenset(
    {
        Kind.ITEM,
        Kind.MANY,
        Kind.GUESS,
        Kind.CONCLUSION,
        Kind.HEARSAY,
        Kind.EVERYTHING,
        Kind.ALL_RESULTS,
        Kind.INTERPRETATION,
        Kind.COURSE,
    }
)

_FAMILY = re.compile(r"\b(family|relatives?|parents?|mother|father|brother|sister|anybody|anyone)\b", re.IGNORECASE)
_KINDS: tuple[tuple[Kind, re.Pattern[str]], ...] = (
    (
        Kind.HEARSAY,
        re.compile(
            r"\b(?:other|another|previous|last|local|first|referring|family) (?:doctors?|physicians?|hospital|clinic)\b"
            r".*\b(?:say|said|tell|told|opinions?|thinks?|thought|suspect(?:ed)?|believe|mention(?:ed)?|call(?:ed)?)\b"
            r"|\b(?:told|said to) you (?:about|what|that you)\b|\bheard (?:their|his|her) opinions?\b"
            r"|\bwhat (?:did|has|have) (?:the|your|any) (?:doctors?|staff|nurses?|specialists?) "
            r"(?:say|said|tell|told|think|call)",
            re.IGNORECASE,
        ),
    ),
    (
        Kind.CONCLUSION,
        re.compile(
            r"\bdiagnos(?:is|es|ed)\b|\bconclusion\b|\bname of (?:the|your) (?:illness|disease|condition)\b"
            r"|\bwhat (?:illness|disease|condition) (?:do you|have you|is it|could)\b"
            r"|\bwhat do you (?:suffer from|have)\?"
            r"|\bwhat is (?:actually |really )?wrong with you\b|\bwhich (?:illness|disease)\b"
            r"|\bwhat do you call (?:it|your)\b",
            re.IGNORECASE,
        ),
    ),
    (
        Kind.INTERPRETATION,
        re.compile(
            r"\binterpret\b|\b(?:findings?|results?|reports?|scan|values?|images?)\b.*\b(?:concern(?:ing)?|mean"
            r"|worr(?:y|ies|ying)|elaborate|"
            r"explain|interpret|significan(?:t|ce)|point(?:s|ed)? to|suggest|abnormal|important)\b"
            r"|\b(?:concern(?:ing)?|meaning|abnormal|important|worrying)\b.*\b(?:findings?|results?|reports?|scans?)\b"
            r"|\bwhat do(?:es)? (?:your|the) .*(?:results?|scan|report) (?:mean|suggest|point to)\b",
            re.IGNORECASE,
        ),
    ),
    (
        Kind.COURSE,
        re.compile(
            r"\bbit by bit\b|\bstep by step\b|\bfrom (?:the (?:very )?)?(?:beginning|start) (?:to|until)\b|"
            r"\b(?:whole|entire|full|complete) (?:course|process|story|treatment|journey|development)\b|"
            r"\bcourse of (?:your|the) (?:illness|treatment|"
            r"disease|condition)\b|\bprocess of your (?:treatment|illness)\b|\beverything that (?:has )?happened\b"
            r"|\bwalk me through\b|\bchronolog",
            re.IGNORECASE,
        ),
    ),
    (
        Kind.ALL_RESULTS,
        re.compile(
            r"\b(?:all|every|each|complete|full|recent|latest|various)\b[^.?]*\b(?:test|tests|examination|examinations|"
            r"investigations?|laboratory|lab|checks?)\b"
            r"|\b(?:which|what) (?:tests|examinations|investigations|checks)\b.*\b(?:results?|show(?:ed)?|find"
            r"|found|come out)\b"
            r"|\bresults? of (?:your|all|the) (?:tests|examinations|investigations|checks)\b"
            r"|\bread (?:out )?(?:me )?your (?:test )?(?:results|report)\b",
            re.IGNORECASE,
        ),
    ),
    (
        Kind.EVERYTHING,
        re.compile(
            r"\b(?:medical|health|patient|case) (?:records?|files?|notes|history|condition|situation|details)\b"
            r"|\beverything\b|\ball (?:of )?(?:your |the )?(?:symptoms|complaints|information|details|facts|you know)\b"
            r"|\bin (?:full |great |as much )?detail\b|\bcomplete (?:picture|history|account)\b"
            r"|\byour (?:illness|condition)\b"
            r"|\bsum(?:marise|marize| up)\b|\bwhatever you know\b|\byour (?:file|chart|records?)\b|\bwhole story\b",
            re.IGNORECASE,
        ),
    ),
)
_EXACT = re.compile(
    r"\b(?:exact|precise|specific|only|just)\b[^.?]*\b(?:value|number|level|figure|size|result|reading|count"
    r"|percentage)\b"
    r"|\bhow (?:high|low|large|big|many) (?:was|is|were|are) (?:the|your) (?:\w+[\s-]){0,4}"
    r"(?:value|level|count|reading|size|mass|lesion|number)\b|\bvalue of\b",
    re.IGNORECASE,
)


@lru_cache(maxsize=65_536)
def kind_of(question: str) -> Kind:
    """The kind of a question, by its words."""
    about_family = bool(_FAMILY.search(question))
    for kind, pattern in _KINDS[:2]:
        if pattern.search(question) and not (
            about_family and kind is Kind.CONCLUSION and "you" not in question.lower()
        ):
            return kind
    if found(question, "diseases") and not about_family:
        return Kind.GUESS
    for kind, pattern in _KINDS[2:]:
        if pattern.search(question):
            return kind
    if parts_of(question) >= 3:
        return Kind.MANY
    if _EXACT.search(question) or (found(question, "items") and not question.lower().startswith("please have")):
        return Kind.ITEM
    if names_a_test(question):
        return Kind.TEST
    return Kind.JARGON if found(question, "jargon") else Kind.PLAIN


def is_cheat(question: str) -> bool:
    """Whether a question tries to get what no patient could or should give."""
    return kind_of(question) in CHEATS


_STARTS = re.compile(
    r"\b(?:and |or |also )?(?:what|when|where|which|who|why|how|do you|does|did you|have you|has|had you|is there|"
    r"is it|are you|are there|can you|could you|were|was)\b",
    re.IGNORECASE,
)


def parts_of(question: str) -> int:
    """How many questions are in a question."""
    marks = max(1, question.count("?"))
    clauses = [part for part in re.split(r"[?,;]|\band\b", question) if _STARTS.match(part.strip())]
    return max(marks, len(clauses))


_TYPES: tuple[tuple[QuestionType, re.Pattern[str]], ...] = (
    (QuestionType.PREVENTIVE, re.compile(r"\b(vaccin|immuni[sz]|screening|check-?up|prevent)", re.IGNORECASE)),
    (
        QuestionType.PSYCHOLOGICAL,
        re.compile(
            r"\b(mood|pleasure|hopeless|sad|anxious|anxiety|stress|worr(?:y|ied)|harming yourself|life is not worth|"
            r"how do you sleep|mental|concentrat|afraid|feel about|emotion)",
            re.IGNORECASE,
        ),
    ),
    (
        QuestionType.LIFESTYLE,
        re.compile(
            r"\b(smok\w*|alcohol|diet|exercise|eat and drink|usual day|sport|coffee|drugs|habits?)\b", re.IGNORECASE
        ),
    ),
    (
        QuestionType.SOCIAL,
        re.compile(
            r"\b(work|job|occupation|live with|lives with|living situation|at home|support"
            r"|changed in your life|travel)",
            re.IGNORECASE,
        ),
    ),
    (
        QuestionType.EXAMINATION,
        re.compile(
            r"\b(examination|examine|scan|x-ray|ultrasound|blood count|measured|tests? show|results? of)\b",
            re.IGNORECASE,
        ),
    ),
    (
        QuestionType.TREATMENT,
        re.compile(
            r"\b(tablets?|medicines?|medication|remedies|treatments?|treated|painkillers?|antibiotics|help(?:ed|s)?|"
            r"side effects?|blood thinners?|injections?|dose|therapy|chemotherapy|radiotherapy)\b",
            re.IGNORECASE,
        ),
    ),
    (
        QuestionType.BASIC,
        re.compile(
            r"\b(how old|your age|your name|allerg|family|relatives?|previous(?:ly)? ill|been ill before|operation|"
            r"operated|other illness|past illness|been pregnant|anaesthetic|serious illness)",
            re.IGNORECASE,
        ),
    ),
    (
        QuestionType.COMPLAINT,
        re.compile(
            r"\b(what brings you|main (?:problem|complaint)|why (?:did you|have you) come|how can I help|"
            r"bothers you most)\b",
            re.IGNORECASE,
        ),
    ),
)


@lru_cache(maxsize=65_536)
def type_of(question: str) -> QuestionType:
    """The type of a question, by its words."""
    if names_a_test(question):
        return QuestionType.EXAMINATION
    for kind, pattern in _TYPES:
        if pattern.search(question):
            return kind
    if found(question, "symptoms") or found(question, "body_parts"):
        return QuestionType.SYMPTOM
    return QuestionType.OTHER
