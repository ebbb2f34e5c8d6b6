"""The texts of the pages: if two files shared a key, one place would show the text of another."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

FILES = sorted((Path(__file__).parents[2] / "frontend" / "src" / "lib").glob("words*.ts"))
ENTRY = re.compile(r"^  (\w+): \[(.+)\],$", re.MULTILINE)


def test_no_two_places_share_a_text_key_and_each_key_has_both_languages() -> None:
    found = [match for file in FILES for match in ENTRY.findall(file.read_text(encoding="utf-8"))]
    assert len(FILES) > 3 and len(found) > 300
    assert [key for key, times in Counter(key for key, _ in found).items() if times > 1] == []
    assert [key for key, text in found if not re.search(r"""['"`],\s*['"`]""", text)] == []
