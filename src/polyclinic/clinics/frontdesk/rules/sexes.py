"""A person's sex in words: "Female", "F", "put Mrs", "it's for my son", "I'm his wife", 남자입니다.

Every word that names a sex has a weight, which depends on the person it is about. What the speaker is, or asks to have
written down, weighs most. Then come their role ("I'm her son"), a relative for whom they call, and a title. A pronoun
weighs least. "Not a man" means the other sex. Other people, and the sex of the doctor that somebody wishes for, do not
count.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Literal

from polyclinic.clinics.frontdesk.rules.clauses import clauses
from polyclinic.clinics.frontdesk.rules.patients import patient_of
from polyclinic.clinics.frontdesk.rules.sex_words import (
    A_RELATIVE,
    ACTS,
    BODY,
    BOTH,
    BYSTANDER,
    CHOSEN,
    FEW_WORDS,
    FRIEND_IS,
    KOREAN_NOT,
    LETTER,
    LIKE_ME,
    NOT,
    NOT_THE_PATIENT,
    NOT_THEIRS,
    OF_OTHERS,
    OPINION,
    OPPOSITE,
    PRONOUNS,
    PUT_RIGHT,
    RECORD,
    RELATIVES,
    SELF,
    SELF_IS,
    SELF_ROLE,
    SLIP,
    SLIP_BEFORE,
    SOMEBODY,
    STAFF,
    STAFF_IS,
    THE_PATIENT,
    TITLES,
    VERB,
    WISHED,
    WORDS,
    WRONG,
    YOU_PUT,
)
from polyclinic.clinics.frontdesk.rules.wording import wording
from polyclinic.people.locales import Sex
from polyclinic.text.lazily import lazy_pattern
from polyclinic.text.phrases import by_first_letter, word_begins
from polyclinic.text.sentences import is_question


def _find(words: str, text: str) -> Iterator[re.Match[str]]:
    return re.finditer(rf"(?<![a-z])(?:{words})(?![a-z])", text)


def _plain_words(sex: Sex, text: str, wrong: bool) -> Iterator[tuple[Sex, float]]:
    for match in (*_find(WORDS[sex], text), *LETTER[sex].finditer(text)):
        before, after = text[: match.start()], text[match.end() :]
        itself = SELF.search(text) is not None
        if LIKE_ME.match(after):
            yield sex, 5.0
        elif (
            STAFF.match(after)
            or STAFF_IS.search(before)
            or (WISHED.search(before) and not re.search(r"\b(?:i'm|i am|being|as|put)\b[^,]*$", before))
        ):
            continue
        elif SLIP.search(text) and SLIP_BEFORE.search(
            text[: match.start() if len(match[0]) > 3 and " " not in match[0] else match.end() - 1]
        ):
            yield OPPOSITE[sex], 3.0
        elif (SOMEBODY.search(before) and ACTS.match(after)) or FRIEND_IS.search(before):
            continue
        elif NOT.search(before) or NOT.search(match[0][:-1]) or KOREAN_NOT.match(after):
            yield OPPOSITE[sex], 3.5
        elif BYSTANDER.search(before) and not re.search(
            r"\b(?:i'm|i am|i'd be|i was|i've been|am|box|tick|put|circle|mark)\b", before
        ):
            continue
        elif wrong and (YOU_PUT.search(text[: match.end() - 1]) or RECORD.search(before)):
            yield OPPOSITE[sex], 3.0
        elif after.strip().startswith("?") and len(text.split()) <= FEW_WORDS:
            yield sex, 1.0  # only asked: "A man?"
        else:
            yield sex, 5.0 if itself else 4.0


def _roles(sex: Sex, text: str) -> Iterator[tuple[Sex, float]]:
    for match in _find(RELATIVES[sex], text):
        before, after = text[: match.start()], text[match.end() :]
        if NOT.search(before):
            continue
        if re.match(
            rf"'s an? (?:doctor|nurse|dentist|lawyer|teacher|vet|medic|\w+ist)\b|'s\b(?! (?:the|my|ill|sick|not|been"
            rf"|got|a)\b)|s?'? \b{VERB}|,? (?:who|she"
            r"|he) (?:told|said|drove|brought|sent)",
            after,
        ):
            continue
        elif re.search(
            r"\b(?:i'm|im|i am|me,|i,|being|as|i was)(?: \w+){0,2} (?:his|her|their|your"
            r"|a|an|the|\w+'s|only|own)?(?: \w+)? ?$|\bme\b.*, (?:his|her|the|their) $|^(?:his"
            r"|her|their) $",
            before,
        ):
            yield sex, 4.5
        elif re.search(r"\b(?:call me|known as) (?:\w+ )?$", before):
            yield sex, 4.0
        elif re.search(
            r"\b(?:visit|visiting|met|meet|ask|drove|driving|thank|know|with) (?:my|our) (?:\w+ )?$", before
        ):
            continue
        elif re.search(r"\b(?:for|about|on behalf of) (?:my|our) (?:[\w']+ ){0,2}$", before) or re.match(
            r" (?:who|that)(?:'s| is| has| needs)\b", after
        ):
            yield sex, 4.7
        elif re.search(
            r"\b(?:is|of|here with|bringing|patient's?|it's|she's|he's) (?:my|our) (?:\w+ ){0,2}$", before
        ) or re.match(r" of (?:\d|an?|one|two|three|four|five)\b", after):
            yield sex, 3.0
        elif re.search(r"\b(?:my|our) (?:\w+ ){0,2}$", before):
            yield sex, 1.0
        elif re.search(r"[가-힣]", match[0]):
            yield sex, 1.5


def _of_whom(before: str) -> bool:
    """Whether the person named last may be the patient: a pronoun after "my boss" does not count."""
    others = [match.end() for match in NOT_THE_PATIENT.finditer(before)]
    return not others or any(match.end() > others[-1] for match in A_RELATIVE.finditer(before))


def _evidence(text: str) -> Iterator[tuple[Sex, float]]:
    wrong = WRONG.search(text.lower()) is not None
    patient = patient_of(wording(text))
    for_other = patient == "other"
    before = ""
    for clause in clauses(BOTH.sub(" ", text)):
        before += f"{clause.text} "
        if (is_question(clause.text) and OF_OTHERS.match(clause.text)) or OPINION.match(clause.text):
            continue
        for sex in OPPOSITE:
            if THE_PATIENT[sex].search(clause.text):
                yield sex, 6.0
            yield from _plain_words(sex, SELF_IS.sub("", clause.text) if for_other else clause.text, wrong)
            roles = _roles(sex, SELF_ROLE.sub("", clause.text) if for_other else clause.text)
            yield from (one for one in roles if patient != "speaker" or one[1] > 1)
            for match in _find(TITLES[sex], clause.text):
                denied = NOT.search(clause.text[: match.start()]) is not None
                itself = re.search(
                    r"\b(?:i'm|i am|call me|put|it's|me|write|tick|say) (?:an? )?$", clause.text[: match.start()]
                )
                if NOT_THEIRS.search(clause.text[: match.start()]):
                    continue
                chosen = CHOSEN.match(clause.text[match.end() :])
                if not (denied or itself or chosen) and match[0] in ("sir", "madam", "ma'am"):
                    continue  # how one speaks to the staff
                yield (OPPOSITE[sex], 2.0) if denied else (sex, 4.0 if itself else 2.5)
            for _ in _find(BODY[sex], clause.text):
                yield sex, 2.2
            for _ in _find(PRONOUNS[sex], clause.text if _of_whom(before) else ""):
                yield sex, 0.1


_WHO = ("I", "child", "Child", "patient", "Patient", "sex", "Sex")
_AT_ONCE = lazy_pattern(rf"(?:{word_begins(_WHO)}) (?:am|is) (?:an? )?(female|male|woman|man)(?=[.,;]|$)")
_ANY = lazy_pattern(
    rf"(?<![a-z])(?:{by_first_letter('|'.join((*WORDS.values(), *RELATIVES.values(), *TITLES.values())))})(?![a-z])"
)
_SMALL_LETTERS = "".join(chr(code) if chr(code).islower() else " " for code in range(128))
_LONE = {"여": "female", "남": "male"}
_AS_SAID: dict[str, Sex] = {
    "female": "female", "woman": "female", "girl": "female", "male": "male", "man": "male", "boy": "male",
}  # fmt: skip


@lru_cache(4096)
def _tells_sex(word: str) -> bool:
    return _ANY.fullmatch(word) is not None


def _count_sexes(text: str) -> int:
    """How many words of a text name a sex. Results are cached for each word."""
    lowered = text.lower()
    if not text.isascii() or "ma'am" in lowered:
        return len(_ANY.findall(lowered))
    return [_tells_sex(word) for word in lowered.translate(_SMALL_LETTERS).split()].count(True)


@lru_cache(4096)
def sexes_said(text: str) -> frozenset[Sex]:
    """The sex of the patient by the words with the highest weight; both sexes if their weights are equal."""
    told = _AT_ONCE.findall(text)
    if told and len(set(told)) == 1 and _count_sexes(text) == len(told):
        return frozenset({_AS_SAID[told[0]]})
    last = PUT_RIGHT.search(wording(text))
    if last is not None and _tells_other(last["sex"], wording(text)[: last.start()]):
        return frozenset({_AS_SAID[last["sex"]]})
    weight: dict[Sex, float] = {}
    for sex, weighs in _evidence(text):
        weight[sex] = max(weighs, weight.get(sex, 0.0))
    most = max(weight.values(), default=0.0)
    return frozenset(sex for sex, weighs in weight.items() if weighs == most)


def _tells_other(word: str, before: str) -> bool:
    """Whether the text before names the other sex than this word."""
    other = OPPOSITE[_AS_SAID[word]]
    return next(_find(rf"{WORDS[other]}|(?<!')\b{other[0]}\b", before), None) is not None


def sex_of(written: str) -> Literal[Sex, ""]:
    """The sex that was written down: ``female`` or ``male``, or empty if it is neither or both."""
    found = sexes_said(_LONE.get(written.strip(), written.strip()))
    return next(iter(found)) if len(found) == 1 else ""
