"""Template files: Jinja with strict undefined variables, split into messages, and rendered.

See `core.prompt` for how they are written.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from functools import cache
from typing import Any, Literal, cast

from jinja2 import Environment, StrictUndefined, meta, nodes
from jinja2.runtime import Context
from pydantic import BaseModel

from polyclinic.core.files import package_file, package_text
from polyclinic.core.message import Message, spoken

TemplateRole = Literal["system", "user", "assistant"]
_MARK = re.compile(r"^<<(system|user|assistant)>>[ \t]*$", re.MULTILINE)
_SHARED = re.compile(r"^<<(system|user|assistant) (\S+\.md)>>[ \t]*$", re.MULTILINE)
_FILLED = re.compile(r"\{\{.*?\}\}|\{%.*?%\}|\{#.*?#\}", re.DOTALL)
_REMEMBER = 256
JINJA = Environment(undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True, autoescape=False)


def prompt_package(module: str) -> str:
    """The package with a module's templates: the one that it is, or that it is in."""
    spec = sys.modules[module].__spec__
    return module if spec is None or spec.submodule_search_locations is not None else module.rpartition(".")[0]


def _text(module: str, name: str) -> str:
    return package_text(prompt_package(module), name)


def template_names(package: str) -> list[str]:
    """The templates in a package's folder."""
    return sorted(entry.name for entry in package_file(package).iterdir() if entry.name.endswith(".md"))


class TemplateSection:
    """One message of a template. System parts repeat from call to call, so their latest messages are remembered."""

    def __init__(self, role: TemplateRole, source: str) -> None:
        self.role: TemplateRole = role
        parsed = JINJA.parse(source)
        self._template = JINJA.from_string(source)
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
        """The words; a section of nothing but text and plain fields needs no template engine."""
        if self._pieces is not None and self._needed <= fields.keys():
            return "".join([str(fields[name]) if name else text for name, text in self._pieces]).strip()
        context = object.__new__(Context)  # what `Context` works out each time is the same for all of a section
        context.__dict__.update(self._context, parent={**self._globals, **fields}, vars={}, exported_vars=set())
        return "".join(self._template.root_render_func(context)).strip()


def _token(value: Any) -> Any:
    """What tells a field's value apart from others. Text and an unchanging object stand for themselves: they are kept
    with what they gave.
    """
    kind = value.__class__
    if isinstance(value, BaseModel) and value.model_config.get("frozen"):
        return kind, id(value)
    return kind, value


def _unchanging(values: tuple[Any, ...]) -> bool:
    """Whether nothing inside can be changed in place: what can, has no hash."""
    try:
        hash(values)
    except TypeError:
        return False
    return True


def _plain_pieces(parsed: nodes.Template) -> tuple[tuple[str, str], ...] | None:
    """A template of text and plain fields as (field, text) pairs, of which one is empty; None for any other."""
    pieces: list[tuple[str, str]] = []
    for output in parsed.body:
        if not isinstance(output, nodes.Output):
            return None
        for node in output.nodes:
            if isinstance(node, nodes.TemplateData):
                pieces.append(("", node.data))
            elif isinstance(node, nodes.Name) and node.name not in JINJA.globals:
                pieces.append((node.name, ""))
            else:
                return None
    return tuple(pieces)


@cache
def sections(module: str, name: str) -> tuple[TemplateSection, ...]:
    """The messages of a template."""
    return tuple(TemplateSection(role, text) for role, text in split_sections(read_template(module, name)))


@cache
def wording_of(module: str, name: str) -> str:
    """The template's own words, without what fields put into it."""
    return _FILLED.sub(" ", _MARK.sub("\n", read_template(module, name)))


def read_template(module: str, name: str) -> str:
    """The template's source text, with the words it shares with others in their place."""
    return _SHARED.sub(lambda mark: f"<<{mark[1]}>>\n{_text(module, mark[2])}", _text(module, name))


def shared_files(module: str, name: str) -> list[str]:
    """The files whose words a template shares."""
    return [file for _, file in _SHARED.findall(_text(module, name))]


def split_sections(source: str) -> list[tuple[TemplateRole, str]]:
    """The template's messages: (role, source) in order. Split before rendering, so no field's text
    can open a message.
    """
    pieces = _MARK.split(source)
    sections: list[tuple[TemplateRole, str]] = []
    if pieces[0].strip():
        sections.append(("user", pieces[0]))
    for role, text in zip(pieces[1::2], pieces[2::2], strict=True):
        sections.append((cast(TemplateRole, role), text))
    return sections
