"""A message that is only a number or marks: an answer on a scale, or a slip of the fingers.

Nothing can be read from it alone, so no feeling, wish or danger is. Right after a question about ending one's life it
still brings people (`rules/affirmed`), and so do numbers from 100 on, which may be those of an emergency line.
"""

from __future__ import annotations

import re

from polyclinic.text.normal import normalise

_SMALL = r"(?:\d{1,2}(?:[.,]\d)?|100)"
_ONLY = re.compile(
    rf"\W*(?:(?:about|around|maybe|like|an?|한|아마) )?"
    rf"(?:{_SMALL}(?: ?(?:/|-|to|or|of|out of|에서) ?{_SMALL}|\s*[%점쯤]|\s*정도|이?요|이에요|예요|입니다)*)?\W*"
)


def only_a_number(text: str) -> bool:
    """Whether a message has no words but those around one number up to 100, or no words at all."""
    return _ONLY.fullmatch(normalise(text)) is not None
