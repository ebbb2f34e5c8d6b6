"""The labelled lines that come with the package."""

from __future__ import annotations

import re

from polyclinic.runner.readings import labelled

KOREAN = re.compile("[ㄱ-ㅣ가-힣]")
SAY_NOTHING = ("HJ", "HK", "HL")
"""Authors whose lines do not say it. The reader that ships learned them so: correct them when it is trained again."""


def test_a_line_says_that_it_is_korean_so_that_longer_texts_are_made_of_one_language() -> None:
    rows = [row for row in labelled("counsel", split="") if row.author not in SAY_NOTHING]
    assert [row.text for row in rows if bool(KOREAN.search(row.text)) != (row.lang == "ko")] == []
