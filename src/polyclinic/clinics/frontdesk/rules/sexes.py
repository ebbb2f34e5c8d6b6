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

from polyclinic.clinics.frontdesk.rules.clauses import clauses
from polyclinic.clinics.frontdesk.rules.patients import patient_of
from polyclinic.clinics.frontdesk.rules.wording import wording
from polyclinic.text.lazily import lazy_pattern
from polyclinic.text.phrases import by_first_letter, word_begins

_WORDS = {
    "female": r"fe?e?mal?e?s?|fem|femail|feminine|wom[ae]n|lady|girl|gal|lass|여자|여성|여아|여학생",
    "male": r"male|masc|masculine|man|gentleman|gent|guy|bloke|chap|lad|fella|fellow|dude|boy|남자|남성|남아|남학생",
}
_RELATIVES = {
    "female": r"mother|mum|mom|mummy|mama|wife|grandmother|grandma|granny|nan|gran|daughter|sister|widow"
    r"|aunt|auntie|niece|girlfriend|granddaughter|mother-in-law|sister-in-law|bride|housewife"
    r"|mother-to-be|어머니|엄마|아내|딸|할머니",
    "male": r"father|dad|daddy|papa|husband|grandfather|grandpa|grandad|granddad|son|brother|widower"
    r"|uncle|nephew|boyfriend|grandson|father-in-law|brother-in-law|groom|아버지|아빠|남편|아들|할아버지",
}
_TITLES = {"female": r"mrs|ms|miss|madam|ma'am", "male": r"mr|mister|sir"}
_PRONOUNS = {"female": r"she|her|hers|herself", "male": r"he|him|his|himself"}
_BODY = {
    "female": r"pregnan\w+|gave birth|giving birth|my waters|my periods?|menopaus\w*|gyn(?:ae|e)colog\w*"
    r"|breast-?feeding|my womb|maiden name|smear test",
    "male": r"my prostate|my testic\w*|my beard",
}
_LETTER = {
    sex: lazy_pattern(
        rf"\b(?:sex|gender)\b\W*(?:is\W+)?{sex[0]}\b|\b\d{{1,3}}\W?{sex[0]}\b|^\W*{sex[0]}\W*$"
        rf"|(?<!')\b{sex[0]}\W{{1,2}}\d{{1,3}}\b"
        rf"|\b(?:put|enter|write|it's|tick|just|an?|mark|choose|not|as|is|be|say|says|correct) (?:an? |the "
        rf"|down )*['\"]?{sex[0]}\b(?!'\w)"
    )
    for sex in ("female", "male")
}
_SELF = lazy_pattern(
    r"\b(?:i'm|im|i am|am|i was|i've been|being|as|put|tick|enter|write|mark|circle|choose|down|box|sex|gender"
    r"|it's|its|it is|patient|she is"
    r"|she's|he is|he's|me|myself|here|speaking|born|register|say|says|should|i)\b|^\W*(?:a "
    r"|an )?[\w가-힣]+(?: here| speaking| please| pls| too)?\W*$"
)
_STAFF = lazy_pattern(
    r"^'?s? ?(?:\w+ )?(?:doc(?:tor)?s?|\w+ologists?|\w+icians?|gynae|dentists?|therapists?|physicians?|nurses?"
    r"|wards?|staff|toilets?|loos?|surgeons?|specialists?|gp|consultants?|name\b(?! is)|voice|changing"
    r"|friends?|interpreter|clothes|magazine|disease|problem|thing|section|side|clinic|side|patients|trouble)"
)
_STAFF_IS = lazy_pattern(
    r"\b(?:doctor|dr|nurse|surgeon|consultant|gp|receptionist|dentist|person|who)\b[^.;]{0,40}\b(?:is|was|'s"
    r"|be)(?: \w+){0,2} an? $"
)
_WISHED = lazy_pattern(
    r"\b(?:prefer|rather|want|like|see|have|ask(?:ing)? for|wish(?:ing)? for|need|request|with|by|book|find"
    r"|get)\b(?: \w+){0,3} (?:an? )?(?:\w+ )?$|\bward for (?:an? )?$|\b(?:to|for|of|like|from) an? (?:\w+ )?$"
)
_BYSTANDER = lazy_pattern(
    r"(?<!-)\b(?:the|that|this|some|another|your|which|those|these|one|young|old|nice|kind"
    r"|other|what|every|any|no) (?:\w+ )?$"
)
_NOT = lazy_pattern(
    r"\b(?:not|isn't|ain't|aren't|never|no|than|neither|nor|wasn't|rather than|instead of"
    r"|don't (?:put|write|tick))(?: (?:a|an|the|to be|being|put|say|so))*\s*['\"]?$"
)
_VERB = (
    r"(?:says?|said|told|tells|thinks?|made|makes|booked|drove|drives|called|rang|swears|sent|recommended|goes"
    r"|and i\b|who (?:told|said)|wants me|wanted me"
    r"|had|works|used|lives|brought|noticed|does|did|is (?:waiting|here|outside|with|driving|a|the)|was|will|can"
    r"|usually|always|came|sees|saw|left|gave|took|picks?)\b"
)
_WRONG = lazy_pattern(
    r"\b(?:but|should be|wrong|mistake|incorrect|error|not (?:true|right|so|me)|isn't (?:true|right|so|me))\b"
)
_OF_OTHERS = lazy_pattern(r"^(?:is|are|do|does|have|has|which|where|who|can|could)\b(?!.*\b(?:i'm|i am|my|me)\b)")
_OPPOSITE = {"female": "male", "male": "female"}
_YOU_PUT = lazy_pattern(
    r"\b(?:you|they|someone|somebody|who|it|card|form|screen|letter)(?:'ve| have|'s| has)? (?:\w+ )?(?:put|wrote"
    r"|written|have"
    r"|entered|typed|marked|listed|got|says|said|ticked)\b[^.;]*$"
)
_KOREAN_NOT = lazy_pattern(r"^[가이는은]? ?(?:아니|아닙)")


def _find(words: str, text: str) -> Iterator[re.Match[str]]:
    return re.finditer(rf"(?<![a-z])(?:{words})(?![a-z])", text)


def _plain_words(sex: str, text: str, wrong: bool) -> Iterator[tuple[str, float]]:
    for match in (*_find(_WORDS[sex], text), *_LETTER[sex].finditer(text)):
        before, after = text[: match.start()], text[match.end() :]
        itself = _SELF.search(text) is not None
        if (
            _STAFF.match(after)
            or _STAFF_IS.search(before)
            or (_WISHED.search(before) and not re.search(r"\b(?:i'm|i am|being|as|put)\b[^,]*$", before))
        ):
            continue
        if _NOT.search(before) or _NOT.search(match[0][:-1]) or _KOREAN_NOT.match(after):
            yield _OPPOSITE[sex], 3.5
        elif _BYSTANDER.search(before) and not re.search(
            r"\b(?:i'm|i am|i'd be|i was|i've been|am|box|tick|put|circle|mark)\b", before
        ):
            continue
        elif wrong and (
            _YOU_PUT.search(before)
            or re.search(r"\b(?:form|paper|papers|screen|card|file|record|letter|wrote|computer)\b", before)
        ):
            yield _OPPOSITE[sex], 3.0
        else:
            yield sex, 5.0 if itself else 4.0


def _roles(sex: str, text: str) -> Iterator[tuple[str, float]]:
    for match in _find(_RELATIVES[sex], text):
        before, after = text[: match.start()], text[match.end() :]
        if _NOT.search(before):
            continue
        if re.match(
            rf"'s\b(?! (?:the|my|ill|sick|not|been|got|a)\b)|s?'? \b{_VERB}|,? (?:who|she"
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
        elif re.search(r"\b(?:for|about|on behalf of) (?:my|our) (?:\w+ ){0,2}$", before) or re.match(
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


_THE_PATIENT = {
    sex: lazy_pattern(
        rf"\b(?:{_PRONOUNS[sex].split('|')[0]}|(?:{_RELATIVES[sex]}))(?:'s| is) (?:actually )?the (?:patient|(?:sick"
        rf"|ill|unwell|poorly|injured) one|one (?:you|coming|being|to be"
        rf"|needing|with|who(?:'s| is| needs| has)|that(?:'s| is| needs| has)))\b"
        rf"|\bpatient(?:'s| is)? (?:actually |is )?(?:my |our |a |an )?(?:\w+ )?(?:{_RELATIVES[sex]})\b(?!')"
    )
    for sex in ("female", "male")
}
_NOT_THE_PATIENT = lazy_pattern(
    r"\b(?:dr|doctor|prof|professor|nurse|receptionist|boss|colleague|teacher|friend|neighbou?r|landlord|landlady"
    r"|manager"
    r"|surgeon|consultant|gp|dentist|physician|coworker|roommate|clerk|secretary|lawyer)\b"
)
_SELF_ROLE = lazy_pattern(
    rf"(?:and |but |so |hi |hello )*(?:i'm|i am|this is|it's|me,) (?:only |just )?(?:his|her|their|the|an?|[\w-]+'s) "
    rf"(?:\w+ )?(?:{'|'.join(_RELATIVES.values())})\b"
)
_SELF_IS = lazy_pattern(
    r"\b(?:i'm|i am) (?:an? )?(?:\w+ )?(?:woman|man|guy|bloke|lady|girl|boy|female|male|gentleman)\b"
)
_A_RELATIVE = lazy_pattern(rf"\b(?:{'|'.join(_RELATIVES.values())})\b")


def _of_whom(before: str) -> bool:
    """Whether the person named last may be the patient: a pronoun after "my boss" does not count."""
    others = [match.end() for match in _NOT_THE_PATIENT.finditer(before)]
    return not others or any(match.end() > others[-1] for match in _A_RELATIVE.finditer(before))


def _evidence(text: str) -> Iterator[tuple[str, float]]:
    wrong = _WRONG.search(text.lower()) is not None
    for_other = patient_of(wording(text)) == "other"
    before = ""
    for clause in clauses(text):
        before += f"{clause.text} "
        if clause.text.endswith("?") and _OF_OTHERS.match(clause.text):
            continue
        for sex in ("female", "male"):
            if _THE_PATIENT[sex].search(clause.text):
                yield sex, 6.0
            yield from _plain_words(sex, _SELF_IS.sub("", clause.text) if for_other else clause.text, wrong)
            yield from _roles(sex, _SELF_ROLE.sub("", clause.text) if for_other else clause.text)
            for match in _find(_TITLES[sex], clause.text):
                denied = _NOT.search(clause.text[: match.start()]) is not None
                itself = re.search(r"\b(?:i'm|i am|call me|put|it's|me) (?:an? )?$", clause.text[: match.start()])
                yield (_OPPOSITE[sex], 2.0) if denied else (sex, 4.0 if itself else 2.5)
            for _ in _find(_BODY[sex], clause.text):
                yield sex, 2.2
            for _ in _find(_PRONOUNS[sex], clause.text if _of_whom(before) else ""):
                yield sex, 0.1


_WHO = ("I", "child", "Child", "patient", "Patient", "sex", "Sex")
_AT_ONCE = lazy_pattern(rf"(?:{word_begins(_WHO)}) (?:am|is) (?:an? )?(female|male|woman|man)(?=[.,;]|$)")
_ANY = lazy_pattern(
    rf"(?<![a-z])(?:{by_first_letter('|'.join((*_WORDS.values(), *_RELATIVES.values(), *_TITLES.values())))})(?![a-z])"
)
_SMALL_LETTERS = "".join(chr(code) if chr(code).islower() else " " for code in range(128))
_LONE = {"여": "female", "남": "male"}
_AS_SAID = {"female": "female", "woman": "female", "male": "male", "man": "male"}


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
def sexes_said(text: str) -> frozenset[str]:
    """The sex of the patient by the words with the highest weight; both sexes if their weights are equal."""
    told = _AT_ONCE.findall(text)
    if told and len(set(told)) == 1 and _count_sexes(text) == len(told):
        return frozenset({_AS_SAID[told[0]]})
    weight: dict[str, float] = {}
    for sex, weighs in _evidence(text):
        weight[sex] = max(weighs, weight.get(sex, 0.0))
    most = max(weight.values(), default=0.0)
    return frozenset(sex for sex, weighs in weight.items() if weighs == most)


def sex_of(written: str) -> str:
    """The sex that was written down: ``female`` or ``male``, or empty if it is neither or both."""
    found = sexes_said(_LONE.get(written.strip(), written.strip()))
    return next(iter(found)) if len(found) == 1 else ""
