"""Patterns that are compiled when they are first used.

The front desk's rules have long patterns for things that people rarely say. Compiling all of them takes a fifth of the
front desk's import time, and most runs need few of them.
"""

from __future__ import annotations

import re
from typing import Any, cast

_METHODS = ("search", "match", "fullmatch", "finditer", "findall", "split", "sub", "subn", "pattern", "flags")


def lazy_pattern(source: str, flags: re.RegexFlag = re.NOFLAG) -> re.Pattern[str]:
    """Like `re.compile`, but an error in the pattern is only raised when it is first used."""
    return cast("re.Pattern[str]", _Lazy(source, flags))


class _Lazy:
    """A placeholder for a pattern.

    After its first use it has the pattern's own methods, so that calls are not slower.
    """

    def __init__(self, source: str, flags: re.RegexFlag) -> None:
        self._made_of = source, flags

    def __getattr__(self, name: str) -> Any:
        if name not in _METHODS:
            raise AttributeError(name)
        compiled = re.compile(*self._made_of)
        self.__dict__.update({each: getattr(compiled, each) for each in _METHODS})
        return self.__dict__[name]
