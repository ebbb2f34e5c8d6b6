"""A person's sex in words: "Female", "F", "put Mrs", "it's for my son", 남자입니다. The plainest words decide."""

from __future__ import annotations

import re
from functools import lru_cache

_NOT = re.compile(
    r"\b(?:not|isn['’]?t|ain['’]?t|never|no|than|neither|nor)\b (?:an? |the )?\w+\b|[남여](?:자"
    r"|성)[가이는은]? (?:아니|아닙)",
    re.IGNORECASE,
)
_OTHERS = re.compile(
    r"\b(?:the|that|this|some|another|your|which|young|old|nice) (?:\w+ )?(?:man|woman|lady|gentleman|guy|girl|boy)"
    r"(?= (?:at|on|who|in|told|said|from|with|behind)\b)",
    re.IGNORECASE,
)
_STAFF = re.compile(
    r"\b(?:fe)?male (?:doc(?:tor)?s?|physicians?|nurses?|wards?|staff|toilets?)\b"
    r"|\bward for (?:fe)?males?\b",
    re.IGNORECASE,
)
"""Whom somebody wishes to see, or where they want to go."""
_WORDS = {
    "female": r"fe?e?mal?e?s?|fem|femail|feminine|wom[ae]n|lady|girl|gal|lass|여자|여성|여아|여학생",
    "male": r"male|masculine|man|gentleman|gent|guy|bloke|chap|lad|fella|fellow|dude|boy|남자|남성|남아|남학생",
}
_RELATIVES = {
    "female": r"mother|mum|mom|mummy|wife|grandmother|grandma|granny|nan|gran|daughter|sister|widow|aunt|auntie|niece"
    r"|girlfriend|granddaughter|mother-in-law|bride|housewife|어머니|엄마|아내|딸|할머니",
    "male": r"father|dad|daddy|husband|grandfather|grandpa|grandad|granddad|son|brother|widower|uncle|nephew|boyfriend"
    r"|grandson|father-in-law|groom|아버지|아빠|남편|아들|할아버지",
}
_BYSTANDER = (
    r"(?! (?:says?|said|told|tells|thinks?|made|makes|booked|is (?:waiting|here|outside|with|driving)|drove"
    r"|drives|called|swears|sent"
    r"|recommended|goes|and i\b|who (?:told|said)|wants me|wanted me|had the same|works|used to|lives|brought|noticed))"
)


def _tiers(sex: str) -> tuple[re.Pattern[str], ...]:
    letter, other = sex[0], _RELATIVES[sex]
    title = "mrs|ms|miss|madam|ma['’]am" if sex == "female" else "mr|mister|sir"
    pronoun = "she|her|hers|herself" if sex == "female" else "he|him|his|himself"
    body = "pregnant|my periods?|menopaus\\w*|gyn(?:ae|e)colog\\w*" if sex == "female" else "my prostate|my testic\\w*"
    return tuple(
        re.compile(pattern, re.IGNORECASE)
        for pattern in (
            rf"(?<![a-z])(?:{_WORDS[sex]})(?![a-z])"
            rf"|\b(?:sex|gender)\b\W*(?:is\W+)?{letter}\b|\b\d{{1,3}}\W?{letter}\b|^\W*{letter}\W*$"
            rf"|(?<!['’])\b{letter}\W{{1,2}}\d{{1,3}}\b"
            rf"|\b(?:put|enter|write|it['’]?s|tick|just|an?) (?:an? |the |down )*['‘\"]?{letter}\b(?!['’]\w)",
            rf"\b(?:for|about|is|of|here with|bringing|patient['’]?s?"
            rf"|it['’]?s) my (?:\w+ ){{0,2}}(?:{other})\b{_BYSTANDER}",
            rf"\b(?:i['’]?m|i am|being|as) (?:an? |the |his |her |their |your )?(?:\w+ ){{0,2}}(?:{other})\b"
            rf"|\b(?:{other}) of (?:\d|an?|one|two|three|four|five)\b|\b(?:{title})\b\.?|{body}"
            rf"|\bmy (?:\w+ )?(?:daughter|son)\b{_BYSTANDER}".replace(
                "daughter|son", "daughter" if sex == "female" else "son"
            ),
            rf"\bmy (?:\w+ ){{0,2}}(?:{other})\b{_BYSTANDER}",
            rf"\b(?:{pronoun})\b",
        )
    )


_PLAIN = re.compile(r"\b(?:female|woman|male|man)\b")
_FEMALE = ("female", "woman")
_BEFORE = 30
_DOUBT = re.compile(
    r"\b(?:(?:not|isn['’]?t|ain['’]?t|never|no|than|neither|nor) (?:an? |the )?"
    r"|(?:the|that|this|some|another|your|which|young|old|nice) (?:\w+ )?)(?:female|male|woman|man)\b"
)
"""Words after which the plain words may tell of somebody else, or of what the patient is not."""
_TIERS = {sex: _tiers(sex) for sex in ("female", "male")}


@lru_cache(4096)
def sexes_said(text: str) -> frozenset[str]:
    """The sexes that a text tells of the patient, by the plainest words in it: both where these words differ."""
    lowered = text.lower()
    if "male" in lowered:
        text = _STAFF.sub(" ", text)
        lowered = text.lower()
    told = list(_PLAIN.finditer(lowered))
    sexes = {"female" if word[0] in _FEMALE else "male" for word in told}
    if len(sexes) == 1 and not any(_DOUBT.search(lowered[max(0, w.start() - _BEFORE) : w.end()]) for w in told):
        return frozenset(sexes)
    words = _OTHERS.sub(" ", _NOT.sub(" ", text))
    for female, male in zip(_TIERS["female"], _TIERS["male"], strict=True):
        found = {sex for sex, pattern in (("female", female), ("male", male)) if pattern.search(words)}
        if found:
            return frozenset(found)
    return frozenset()


def sex_of(written: str) -> str:
    """``female`` or ``male``; empty where it is neither, or both."""
    found = sexes_said(written.strip())
    return next(iter(found)) if len(found) == 1 else ""
