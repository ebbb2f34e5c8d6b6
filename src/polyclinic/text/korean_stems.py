"""Korean words without their particles and verb endings, for comparing a question with a sentence of a document.

"술을" and "술은" become "술", "끊으면" and "끊는" become "끊", "옮겼어요" and "옮길" become "옮기". The list is
short and crude: two words need not get their dictionary form, only the same beginning.
"""

from __future__ import annotations

import re
from functools import lru_cache

_PARTICLES = (
    r"에게서|한테서|에서는|에서도|으로는|으로도|이라도|까지는|에는|에도|에서|에게|한테|으로|까지|부터|이나|이란|라는|이라는|하고"
    r"|처럼|보다|마다|조차|밖에|께서|이랑|랑|이라|들이|들은|들을|들의|들한테|들에게|들끼리|들도|인데|은|는|이|가|을|를|에|의"
    r"|와|과|도|로|만|나|들"
)
_ENDINGS = (
    r"하면|하는|하고|하여|해서|해도|하지|할|한|했|합니다|하나|하려면|하게|하기|해야|한데|해"
    r"|되면|되는|되고|되어|돼서|돼도|되지|될|된|됐|됩니다|되나|돼"
    r"|나요|까요|을까요|은가요|는가요|인가요|죠|을까|거예요|이에요|예요|에요|던데|하던데"
    r"|으면서|으면|면서|면|으려면|려면|으러|러|으며|며|으니|니까|니|는데도|는데|은데|지만|거나|든지|도록|기도|기는|게|고|지|기|자"
    r"|습니다|읍니다|았|었|였|겠|아서|어서|여서|아도|어도|아야|어야|아요|어요|아|어|던|네요|군요|대요|는다고|는다는|는다|다고|다는데|다는|라고|냐고"
    r"|요|서"
)
_TAIL = re.compile(rf"(?<=[가-힣])(?:(?:{_ENDINGS})(?:요|은|는|도|다)?|(?:{_PARTICLES}))$")
_FIRST, _VOWELS, _FINALS = 0xAC00, 21, 28
_DROPPED = frozenset((4, 8, 16, 17, 20))
"""The final consonants ㄴ, ㄹ, ㅁ, ㅂ and ㅆ, which many verb endings begin with."""
_PLAIN = {6: 20, 14: 13, 9: 8}
"""ㅕ, ㅝ and ㅘ come from ㅣ, ㅜ and ㅗ."""


@lru_cache(maxsize=4_096)
def korean_stem(word: str) -> str:
    """The beginning of a word that carries its meaning; at least one syllable stays."""
    stem = _TAIL.sub("", word)
    return stem if len(stem) == 1 else f"{stem[:-1]}{_open(stem[-1])}"


def _open(syllable: str) -> str:
    """A last syllable without the consonant and the vowel that belong to an ending: "렸" becomes "리"."""
    if not "가" <= syllable <= "힣":
        return syllable
    rest, final = divmod(ord(syllable) - _FIRST, _FINALS)
    initial, vowel = divmod(rest, _VOWELS)
    final = 0 if final in _DROPPED else final
    vowel = vowel if final else _PLAIN.get(vowel, vowel)
    return chr(_FIRST + (initial * _VOWELS + vowel) * _FINALS + final)
