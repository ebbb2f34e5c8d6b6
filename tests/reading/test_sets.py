"""The labelled lines that come with the package."""

from __future__ import annotations

import re

from polyclinic.runner.readings import labelled

KOREAN = re.compile("[ㄱ-ㅣ가-힣]")


def test_a_line_says_that_it_is_korean_so_that_longer_texts_are_made_of_one_language() -> None:
    wrong = [row.text for row in labelled("counsel", split="") if bool(KOREAN.search(row.text)) != (row.lang == "ko")]
    assert wrong == []
