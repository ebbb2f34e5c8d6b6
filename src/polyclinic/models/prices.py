"""What a million tokens cost, by model. The table is data with a date; prices in the user's own table replace it.

Prices are kept in integer billionths of a dollar per million tokens, so that no money is ever a float. A model is
looked up by its name, then without the date of a snapshot (``gpt-4o-mini-2024-07-18`` costs what ``gpt-4o-mini`` does).
A model that is not in the table costs nothing, and `Cast.unpriced` says so.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from functools import lru_cache

from polyclinic.core.files import bad_file, package_text, parse_toml, read_text
from polyclinic.core.model import NANO

MILLION = 1_000_000
PRICES_VARIABLE = "POLYCLINIC_PRICES"
_SNAPSHOT = re.compile(r"-(?:\d{4}-\d{2}-\d{2}|\d{8}|\d{4}|latest)\Z")


@dataclass(frozen=True)
class Price:
    """Billionths of a dollar per million tokens: for input, for input from the provider's cache, and for output."""

    input: int = 0
    cached: int = 0
    output: int = 0

    def cost_nano_usd(self, input_tokens: int, output_tokens: int, cached_tokens: int = 0) -> int:
        """What a call costs, rounded to the nearest billionth."""
        cached_tokens = min(cached_tokens, input_tokens)
        total = (input_tokens - cached_tokens) * self.input + cached_tokens * self.cached + output_tokens * self.output
        return (total + MILLION // 2) // MILLION


FREE = Price()


class Prices:
    """A price list."""

    def __init__(self, models: Mapping[str, Price], as_of: str) -> None:
        self._models = dict(models)
        self.as_of = as_of

    def price_of(self, model: str) -> Price | None:
        """The price of a model, or None when it is not in the list."""
        name = model.rpartition("/")[2]
        for candidate in (model, name):
            if candidate in self._models:
                return self._models[candidate]
        return self._models.get(_SNAPSHOT.sub("", name))

    def over(self, other: Prices) -> Prices:
        """This list added to another. If both have a model, this list's price counts."""
        return Prices({**other._models, **self._models}, self.as_of or other.as_of)


def read_prices(text: str, source: str) -> Prices:
    """A price list from TOML: ``as_of`` and a table ``[models]`` of ``name = { input = "0.25", output = "2.00" }``."""
    table = parse_toml(text, source)
    try:
        models = {name: _price(row) for name, row in table["models"].items()}
    except (KeyError, TypeError, AttributeError, InvalidOperation) as error:
        raise bad_file(
            source,
            f"not a price list ({error})",
            fix="write as_of = '2026-11-15' and a table [models] with rows such as"
            ' "gpt-5-mini" = { input = "0.25", cached = "0.025", output = "2" }, in US dollars per million tokens',
        ) from None
    return Prices(models, str(table.get("as_of", "")))


def _price(row: Mapping[str, str]) -> Price:
    def nano(name: str, otherwise: str) -> int:
        return int(Decimal(str(row.get(name, otherwise))) * NANO)

    return Price(nano("input", "0"), nano("cached", str(row.get("input", "0"))), nano("output", "0"))


@lru_cache(maxsize=4)
def _read(path: str) -> Prices:
    if not path:
        return read_prices(package_text("polyclinic.models", "data/prices.toml"), "prices.toml")
    return read_prices(read_text(path, about=f"price list that {PRICES_VARIABLE} names"), path)


def default_prices() -> Prices:
    """The shipped list. Prices in the user's own list (the file that POLYCLINIC_PRICES names) replace those in it."""
    own = os.environ.get(PRICES_VARIABLE, "")
    return _read(own).over(_read("")) if own else _read("")
