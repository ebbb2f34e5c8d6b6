"""Compares names and addresses in Hangul with the same in Latin letters: 박수진 is Park Soo-jin, 강남구 is Gangnam-gu.

An address follows the official romanisation, letter by letter. A name may be spelt in many ways, so each letter has all
spellings that are in use. Family names have their own spellings.
"""

from __future__ import annotations

import re
from functools import lru_cache

from polyclinic.text.normal import HANGUL, letters

_INITIALS = ("g", "kk", "n", "d", "tt", "r", "m", "b", "pp", "s", "ss", "", "j", "jj", "ch", "k", "t", "p", "h")
_VOWELS = (
    "a", "ae", "ya", "yae", "eo", "e", "yeo", "ye", "o", "wa", "wae", "oe", "yo", "u", "wo", "we", "wi", "yu", "eu",
    "ui", "i",
)  # fmt: skip
_FINALS = (
    "", "k", "k", "k", "n", "n", "n", "t", "l", "k", "m", "l", "l", "l", "p", "l", "m", "p", "p", "t", "t", "ng", "t",
    "t", "k", "t", "p", "t",
)  # fmt: skip
_ALSO = {
    "g": "g|k", "d": "d|t", "r": "r|l", "b": "b|p", "s": "s|sh", "j": "j|ch|z", "kk": "kk|gg|k", "tt": "tt|dd|t",
    "pp": "pp|bb|p", "k": "k|g|ck", "t": "t|d|s", "p": "p|b", "l": "l|r|ll", "ae": "ae|ai|e|ay", "eo": "eo|u|uh|o|oe",
    "yeo": "yeo|you|yu|yo|yuh", "o": "o|oh", "oe": "oe|oi|we", "u": "u|oo|ou|woo|wu", "wo": "wo|weo|won",
    "yu": "yu|yoo|you", "eu": "eu|u|oo", "ui": "ui|ee|eui|i|ye", "i": "i|ee|y|ie|yi", "a": "a|ah", "e": "e|eh",
    "h": "h", "ye": "ye|yae", "yo": "yo|yoh",
}  # fmt: skip
_FAMILIES = {
    "이": "lee|yi|i|rhee|li|ri|rhie|yee", "박": "park|pak|bak|bahk", "최": "choi|choe|chey", "임": "lim|im|yim|rim",
    "노": "roh|noh|no|ro", "유": "yoo|yu|you|ryu", "류": "ryu|yoo|yu|ryoo", "오": "oh|o", "우": "woo|wu|u",
    "정": "jung|jeong|chung|jong", "조": "cho|jo", "강": "kang|gang", "김": "kim|gim", "권": "kwon|gwon",
    "문": "moon|mun", "양": "yang", "여": "yeo", "연": "yeon|youn", "엄": "um|eom|uhm", "곽": "kwak|gwak",
}  # fmt: skip
_FIRST, _LAST = 0xAC00, 0xD7A3
_OF_A_FINAL, _OF_A_VOWEL = len(_FINALS), len(_FINALS) * len(_VOWELS)
_KIND = re.compile(r"([가-힣]{1,4})(?:특별자치시|특별자치도|특별시|광역시)")
_SUFFIX = re.compile(r"(?<=[가-힣\d])(?=(?:로|길|대로|동|구|시|군|읍|면|리|가)(?:[\d\s,]|$))")


def _letters_of(sign: str) -> tuple[str, str, str]:
    number = ord(sign) - _FIRST
    vowel = number % _OF_A_VOWEL // _OF_A_FINAL
    return _INITIALS[number // _OF_A_VOWEL], _VOWELS[vowel], _FINALS[number % _OF_A_FINAL]


def _is_syllable(sign: str) -> bool:
    return _FIRST <= ord(sign) <= _LAST


@lru_cache(4096)
def latin(text: str) -> str:
    """A text with its Hangul in Latin letters, as on road signs: 테헤란로4길 is teheran-ro4-gil."""
    if HANGUL.search(text) is None:
        return text
    parted = _SUFFIX.sub("-", _KIND.sub(r"\1 ", text))
    out, after_l = list[str](), False
    for at, sign in enumerate(parted):
        if not _is_syllable(sign):
            out.append(sign)
            after_l = False
            continue
        initial, vowel, final = _letters_of(sign)
        following = parted[at + 1 : at + 2]
        opens = bool(following) and _is_syllable(following) and not _letters_of(following)[0]
        begins = "l" if after_l and initial == "r" else initial
        ends = {"k": "g", "t": "d", "p": "b", "l": "r"}.get(final, final) if opens else final
        out.append(begins + vowel + ends)
        after_l = final == "l"
    return "".join(out)


def same_korean_name(written: str, name: str) -> bool:
    """Whether a name in Hangul is this name in Latin letters, in any usual spelling."""
    signs = [sign for sign in written if _is_syllable(sign)]
    if len(signs) < 2 or len("".join(written.split())) != len(signs):
        return False
    return _name_pattern("".join(signs)).fullmatch(letters(name)) is not None


@lru_cache(1024)
def _name_pattern(name: str) -> re.Pattern[str]:
    family = f"(?:{_FAMILIES[name[0]]})" if name[0] in _FAMILIES else _any_spelling(name[0])
    given = "".join(map(_any_spelling, name[1:]))
    return re.compile(f"{family}{given}|{given}{family}")


def _any_spelling(sign: str) -> str:
    return "".join(f"(?:{_ALSO.get(letter, letter)})" if letter else "" for letter in _letters_of(sign))
