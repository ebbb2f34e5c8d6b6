"""Template files: found, read, and split into messages. `core.template_section` renders them.

See `core.prompt` for how they are written.
"""

from __future__ import annotations

import re
import sys
from functools import cache
from typing import TYPE_CHECKING, Literal, cast

from polyclinic.core.files import package_file, package_text

if TYPE_CHECKING:
    from polyclinic.core.template_section import TemplateSection

TemplateRole = Literal["system", "user", "assistant"]
_MARK = re.compile(r"^<<(system|user|assistant)>>[ \t]*$", re.MULTILINE)
_SHARED = re.compile(r"^<<(system|user|assistant) (\S+\.md)>>[ \t]*$", re.MULTILINE)
_FILLED = re.compile(r"\{\{.*?\}\}|\{%.*?%\}|\{#.*?#\}", re.DOTALL)


def prompt_package(module: str) -> str:
    """The package with a module's templates: the module itself if it is a package, else the package that it is in."""
    spec = sys.modules[module].__spec__
    return module if spec is None or spec.submodule_search_locations is not None else module.rpartition(".")[0]


def _text(module: str, name: str) -> str:
    return package_text(prompt_package(module), name)


def template_names(package: str) -> list[str]:
    """The templates in a package's folder."""
    return sorted(entry.name for entry in package_file(package).iterdir() if entry.name.endswith(".md"))


@cache
def sections(module: str, name: str) -> tuple[TemplateSection, ...]:
    """The messages of a template."""
    from polyclinic.core.template_section import TemplateSection

    return tuple(TemplateSection(role, text) for role, text in split_sections(read_template(module, name)))


@cache
def wording_of(module: str, name: str) -> str:
    """The template's own text, without the values of fields."""
    return _FILLED.sub(" ", _MARK.sub("\n", read_template(module, name)))


def read_template(module: str, name: str) -> str:
    """The template's source text, with the shared files inserted."""
    return _SHARED.sub(lambda mark: f"<<{mark[1]}>>\n{_text(module, mark[2])}", _text(module, name))


def shared_files(module: str, name: str) -> list[str]:
    """The shared files that a template includes."""
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
