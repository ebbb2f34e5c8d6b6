"""Reading tables of a user's file piece by piece: whatever is wrong, its place stands before it, on one line."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from pydantic import ValidationError

from polyclinic.errors import WrongForm


class Fault(WrongForm):
    """Something wrong inside a file, with its place in words. Whoever reads the file turns it into a `DataError`."""


@contextmanager
def at(place: str) -> Iterator[None]:
    """Whatever is wrong inside is told with this place before it."""
    try:
        yield
    except Fault as inner:
        raise Fault(f"{place}: {inner}") from None
    except KeyError as error:
        raise Fault(f"{place}: it has no '{error.args[0]}'") from None
    except ValidationError as error:
        first = error.errors()[0]
        raise Fault(f"{place}: {'.'.join(map(str, first['loc']))}: {first['msg']}") from None
    except (TypeError, AttributeError) as error:
        raise Fault(f"{place}: not of the expected shape ({error})") from None
    except (ValueError, ArithmeticError) as error:
        raise Fault(f"{place}: {error}") from None
