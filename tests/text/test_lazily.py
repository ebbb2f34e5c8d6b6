"""A pattern compiled late finds the same as one compiled at once, and every late pattern of ours compiles."""

from __future__ import annotations

import importlib
import pkgutil
import re

from polyclinic.clinics.frontdesk import rules
from polyclinic.text import dates, days, lazily
from polyclinic.text.lazily import lazy_pattern

MODULES = [
    importlib.import_module(f"{rules.__name__}.{module.name}") for module in pkgutil.iter_modules(rules.__path__)
]


def test_a_late_pattern_behaves_like_an_ordinary_one() -> None:
    late, soon = lazy_pattern(r"(A)b", re.IGNORECASE), re.compile(r"(A)b", re.IGNORECASE)
    assert late.findall("ab AB") == soon.findall("ab AB") and late.sub("-", "xab") == soon.sub("-", "xab")
    assert late.search("xAB", 1) is not None and late.fullmatch("xab") is None and late.pattern == soon.pattern
    assert not hasattr(late, "nothing_of_the_kind")


def test_every_late_pattern_compiles() -> None:
    late = [made for module in (*MODULES, dates, days) for made in vars(module).values() if type(made) is lazily._Lazy]
    assert len(late) > 60 and all(made.search("nothing of the kind") is None or made.pattern for made in late)
