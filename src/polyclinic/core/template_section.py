"""One message of a template, compiled and rendered: Jinja with strict undefined variables.

Jinja takes longer to import than all of `core` together. So nothing imports this module before the first prompt is
rendered.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from jinja2 import Environment, StrictUndefined, meta, nodes
from jinja2.runtime import Context
from pydantic import BaseModel

from polyclinic.core.message import Message, spoken
from polyclinic.core.template import TemplateRole

_REMEMBER = 512
"""Messages to keep for a section: those of 256 episodes at once, with two variants each."""
_JINJA = Environment(undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True, autoescape=False)


def fields_used(source: str) -> set[str]:
    """The fields that a template names."""
    return meta.find_undeclared_variables(_JINJA.parse(source))


class TemplateSection:
    """One message of a template. System parts repeat from call to call, so their latest messages are cached."""

    def __init__(self, role: TemplateRole, source: str) -> None:
        self.role: TemplateRole = role
        parsed = _JINJA.parse(source)
        self._template = _JINJA.from_string(source)
        self._globals = dict(self._template.globals)
        self._context = self._template.new_context().__dict__
        self._pieces = _plain_pieces(parsed)
        self._needed = {name for name, _ in self._pieces or () if name}
        self._names = tuple(sorted(meta.find_undeclared_variables(parsed))) if role == "system" else ()
        self._remembered: dict[tuple[Any, ...], tuple[Message, tuple[Any, ...]]] = {}

    def message(self, fields: Mapping[str, Any]) -> Message:
        """The message for these fields."""
        if self.role != "system":
            return spoken(self.role, self.words(fields))
        try:
            given = [fields[name] for name in self._names]
            key = tuple([value if value.__class__ is str else _token(value) for value in given])
            known = self._remembered.get(key)
        except (KeyError, TypeError):
            return spoken(self.role, self.words(fields))
        if known is not None:
            return known[0]
        message = spoken(self.role, self.words(fields))
        values = tuple(given)
        if not _unchanging(values):
            return message
        if len(self._remembered) >= _REMEMBER:
            del self._remembered[next(iter(self._remembered))]
        self._remembered[key] = message, values
        return message

    def words(self, fields: Mapping[str, Any]) -> str:
        """The rendered text. A section with only text and plain fields needs no template engine."""
        if self._pieces is not None and self._needed <= fields.keys():
            return "".join([str(fields[name]) if name else text for name, text in self._pieces]).strip()
        context = object.__new__(Context)  # what `Context` computes each time is always the same for one section
        context.__dict__.update(self._context, parent={**self._globals, **fields}, vars={}, exported_vars=set())
        return "".join(self._template.root_render_func(context)).strip()


def _token(value: Any) -> Any:
    """A cache key for a field's value. An immutable model is identified by its id; it is kept with the cached message,
    so its id is not used again.
    """
    kind = value.__class__
    if isinstance(value, BaseModel) and value.model_config.get("frozen"):
        return kind, id(value)
    return kind, value


def _unchanging(values: tuple[Any, ...]) -> bool:
    """Whether all values are immutable: mutable values have no hash."""
    try:
        hash(values)
    except TypeError:
        return False
    return True


def _plain_pieces(parsed: nodes.Template) -> tuple[tuple[str, str], ...] | None:
    """The pieces of a template with only text and plain fields; None for any other template.

    Each piece is a (field, text) pair with one side empty.
    """
    pieces: list[tuple[str, str]] = []
    for output in parsed.body:
        if not isinstance(output, nodes.Output):
            return None
        for node in output.nodes:
            if isinstance(node, nodes.TemplateData):
                pieces.append(("", node.data))
            elif isinstance(node, nodes.Name) and node.name not in _JINJA.globals:
                pieces.append((node.name, ""))
            else:
                return None
    return tuple(pieces)
