"""What a counsellor's words may break: accuracy (1), the person's own choice (2), their feelings (3); 0 is none.

The reader finds what a draft means; this module decides what follows. The words for the counsellor are in
``data/risk.toml``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from polyclinic.clinics.counsel.readings import CLAIM, FEELING, SLIP
from polyclinic.clinics.counsel.rules.prognosis import time_left
from polyclinic.clinics.counsel.scenario import Lang, data
from polyclinic.core.message import Frozen
from polyclinic.core.reading import Finding, Question, Reads
from polyclinic.text.normal import normalise

RiskType = Literal[0, 1, 2, 3]
RISKS: dict[str, RiskType] = {"none": 0, "accuracy": 1, "choice": 2, "feelings": 3}


class RiskFault(Frozen):
    """A risk type, the words it is based on, and what to change. `doubted`: the critic alone says so; neither a rule
    nor the reading of the words confirms it. `borrowed`: the words are not the
    counsellor's own.
    """

    risk: RiskType
    words: str = ""
    feedback: str = ""
    doubted: bool = False
    borrowed: bool = False


class Draft(Frozen):
    """What was found in a draft. The reader finds the words of a slip or of a fact, and whether a feeling was answered.
    A rule finds `time_left`, the sentence that says how long the person will live.
    """

    time_left: str = ""
    slip: str = ""
    claim: str = ""
    feeling: bool = True


def draft_questions(said: str) -> list[Question]:
    """All that is asked about one draft, in one call: slip, claim, feeling."""
    return [SLIP.ask(said=said), CLAIM.ask(), FEELING.ask(said=said)]


async def read_answer(reads: Reads, answer: str, said: str) -> tuple[Finding, Finding, Finding]:
    """The findings on `draft_questions` about an answer, for the critic and for the judges."""
    slip, claim, feeling = await reads(answer, draft_questions(said))
    return slip, claim, feeling


def read_draft(draft: str, findings: Sequence[Finding]) -> Draft:
    """The findings on `draft_questions`, and what the rule for stated time finds."""
    slip, claim, feeling = findings
    return Draft(
        time_left=time_left(draft),
        slip=slip.words if slip.yes else "",
        claim=claim.words if claim.yes else "",
        feeling=feeling.says != "no",
    )


def draft_fault(draft: Draft, hurt: bool, cited: str, borne_out: bool, lang: Lang) -> RiskFault:
    """The gravest fault: facts without a source, then a stated time left, a slip, an ignored feeling.

    `hurt` says that the person showed strong feeling. `cited` is the source that the counsellor named, if any.
    `borne_out` says whether that source supports the facts.
    """
    if draft.claim and not cited:
        return _fault(1, "unsourced", draft.claim, lang)
    if draft.claim and not borne_out:
        return _fault(1, "unsupported", draft.claim, lang, cited)
    if draft.time_left:
        return _fault(2, "time_left", draft.time_left, lang)
    if draft.slip:
        unheard = hurt and not draft.feeling
        return _fault(3 if unheard else 2, "3" if unheard else "2", draft.slip, lang)
    if hurt and not draft.feeling:
        return _fault(3, "unheard", "", lang)
    return RiskFault(risk=0)


def not_their_own(words: str, lang: Lang) -> RiskFault:
    """The fault of a draft that repeats the person's own words as if they were the counsellor's."""
    return _fault(3, "borrowed", words, lang).model_copy(update={"borrowed": True})


def not_said_to_them(words: str, lang: Lang) -> RiskFault:
    """The fault of a draft that repeats instructions instead of speaking to the person."""
    return _fault(3, "recited", words, lang).model_copy(update={"borrowed": True})


def stands(words: str, draft: str) -> bool:
    """Whether quoted words really occur in a draft. An objection without such words is not evidence by itself."""
    return bool(normalise(words)) and normalise(words) in normalise(draft)


def _fault(risk: RiskType, name: str, words: str, lang: Lang, source: str = "") -> RiskFault:
    feedback = str(data("risk")["feedback"][name][lang]).format(words=words, source=source)
    return RiskFault(risk=risk, words=words, feedback=feedback)
