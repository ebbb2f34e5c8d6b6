"""A prompt is a type: its fields, a template file with its words, and the type of the reply.

::

    class Greets(Prompt[str]):
        template = "greets.md"
        name: str

A language model gets the rendered words; an understudy gets the typed object. The template file lies beside the module
that defines the class and may name fields in braces (``"greets.{lang}.md"``). It is Jinja with strict undefined
variables. Lines that read ``<<system>>``, ``<<user>>`` or ``<<assistant>>`` start a message; text before the first such
line is the user's.
``<<system clerk.md>>`` begins it with the words of that file, which several templates of one role may share.
What stays the same during an episode comes first, what changes comes last, so that prefix caches pay.
How long the reply may be stands in the class (``words``), not in the template: see `core.length`.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from importlib import resources
from importlib.resources.abc import Traversable
from typing import Any, ClassVar, Generic, Literal, TypeVar, cast, get_args

from jinja2 import Environment, StrictUndefined, meta, nodes
from pydantic import BaseModel, ConfigDict

from polyclinic.core.length import USUAL_WORDS, length_line, token_limit
from polyclinic.core.message import Frozen, Image, Message, spoken

R = TypeVar("R")
_Role = Literal["system", "user", "assistant"]
_MARK = re.compile(r"^<<(system|user|assistant)>>[ \t]*$", re.MULTILINE)
_SHARED = re.compile(r"^<<(system|user|assistant) (\S+\.md)>>[ \t]*$", re.MULTILINE)
_FILLED = re.compile(r"\{\{.*?\}\}|\{%.*?%\}|\{#.*?#\}", re.DOTALL)
_FIELD = re.compile(r"\{(\w+)\}")
_REMEMBER = 256
_JINJA = Environment(undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True, autoescape=False)


class Facts(Frozen):
    """What a prompt's words say, as typed data. A field of this type is for offline players, which read it instead of
    words.

    It is never printed, so it changes neither what a language model is sent nor the keys of requests. Subclass it with
    fields.
    """


class Prompt(BaseModel, Generic[R]):
    """Base of all prompts. Subclass as ``class X(Prompt[ReplyType])`` with a `template` and the longest reply in
    `words`.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")
    template: ClassVar[str]
    words: ClassVar[int] = USUAL_WORDS

    @classmethod
    @cache
    def reply_type(cls) -> type[R]:
        """The type between the brackets of ``Prompt[...]``."""
        for base in cls.__mro__:
            args = getattr(base, "__pydantic_generic_metadata__", {}).get("args") or ()
            if args:
                return cast("type[R]", args[0])
        raise TypeError(f"{cls.__name__} does not say its reply type: write class {cls.__name__}(Prompt[SomeType])")

    def reply_form(self) -> type[R]:
        """The type of this very prompt's reply. A prompt whose choices come from its own fields
        makes a narrower one.
        """
        return self.reply_type()

    def check(self, reply: R) -> None:
        """Raise `Unreadable`, in a sentence that the model can act on, where a reply has its form and still cannot be
        used.

        It is called after a reply was read; the model is then asked again with that sentence.
        """

    def most_words(self) -> int:
        """The longest reply to this very prompt; `words` unless it depends on the fields."""
        return self.words

    @property
    def language(self) -> str:
        """The language that the reply is wanted in: the field `lang` where there is one."""
        return str(self.__dict__.get("lang", "en"))

    def token_limit(self) -> int:
        """What is sent as the token limit, and set aside for budgets, unless the cast says otherwise."""
        return token_limit(self.most_words(), self.language, self.reply_form())

    @classmethod
    def prompt_name(cls) -> str:
        """The name that journals, transcripts and understudies use."""
        return cls.__name__

    def images(self) -> tuple[Image, ...]:
        """The pictures among the fields, in field order; they are attached to the last user message."""
        found: list[Image] = []
        for name in _picture_fields(type(self)):
            value = getattr(self, name)
            if isinstance(value, Image):
                found.append(value)
            elif isinstance(value, (list, tuple)):
                found.extend(item for item in value if isinstance(item, Image))
        return tuple(found)

    def render(self) -> list[Message]:
        """The words, as messages. The last user message ends with the length of the reply and has the pictures."""
        name = self.template
        if "{" in name:
            name = _FIELD.sub(lambda match: str(getattr(self, match.group(1))), name)
        fields = self.__dict__
        messages = [section.message(fields) for section in _sections(self.__class__.__module__, name)]
        last = max((i for i, message in enumerate(messages) if message.role == "user"), default=len(messages) - 1)
        length = length_line(self.most_words(), self.language, self.reply_type() is str)
        said = messages[last].content
        messages[last] = replace(
            messages[last], content=f"{said}\n\n{length}" if said else length, images=self.images()
        )
        return [message for message in messages if message.content or message.images]

    def wording(self) -> str:
        """The template's own words, without what the fields put into it."""
        name = _FIELD.sub(lambda match: str(getattr(self, match.group(1))), self.template)
        return _wording(self.__class__.__module__, name)

    @classmethod
    def from_human(cls, text: str) -> R:
        """What a person typed, as this prompt's reply.

        Plain text stays itself. A structured reply with a single required text field takes the words there; a prompt
        whose reply asks for more overrides this method.
        """
        reply_type = cls.reply_type()
        if reply_type is str:
            return cast(R, text.strip())
        fields = cast("type[BaseModel]", reply_type).model_fields
        needed = [name for name, field in fields.items() if field.is_required()]
        if len(needed) != 1 or fields[needed[0]].annotation is not str:
            raise TypeError(f"{cls.__name__} must override from_human(): its reply has the fields {', '.join(fields)}")
        return cast(R, cast("type[BaseModel]", reply_type)(**{needed[0]: text.strip()}))


def _folder(module: str) -> Traversable:
    spec = sys.modules[module].__spec__
    package = module if spec is None or spec.submodule_search_locations is not None else module.rpartition(".")[0]
    return resources.files(package)


class _Section:
    """One message of a template. System parts repeat from call to call, so their latest messages are remembered."""

    def __init__(self, role: _Role, source: str) -> None:
        self.role: _Role = role
        parsed = _JINJA.parse(source)
        self._template = _JINJA.from_string(source)
        self._globals = dict(self._template.globals)
        self._pieces = _plain_pieces(parsed)
        self._needed = {name for name, _ in self._pieces or () if name}
        self._names = tuple(sorted(meta.find_undeclared_variables(parsed))) if role == "system" else ()
        self._remembered: dict[tuple[Any, ...], tuple[Message, tuple[Any, ...]]] = {}

    def message(self, fields: Mapping[str, Any]) -> Message:
        """The message for these fields."""
        if self.role != "system":
            return spoken(self.role, self._words(fields))
        try:
            key = tuple([_token(fields[name]) for name in self._names])
            known = self._remembered.get(key)
        except (KeyError, TypeError):
            return spoken(self.role, self._words(fields))
        if known is not None:
            return known[0]
        message = spoken(self.role, self._words(fields))
        values = tuple([fields[name] for name in self._names])
        if not _unchanging(values):
            return message
        if len(self._remembered) >= _REMEMBER:
            del self._remembered[next(iter(self._remembered))]
        self._remembered[key] = message, values
        return message

    def _words(self, fields: Mapping[str, Any]) -> str:
        """The words; a section of nothing but text and plain fields needs no template engine."""
        if self._pieces is not None and self._needed <= fields.keys():
            return "".join([str(fields[name]) if name else text for name, text in self._pieces]).strip()
        context = _JINJA.context_class(_JINJA, {**self._globals, **fields}, self._template.name, self._template.blocks)
        return "".join(self._template.root_render_func(context)).strip()


def _token(value: Any) -> Any:
    """What tells a field's value apart from others. An unchanging object stands for itself: it is kept with what it
    gave.
    """
    kind = value.__class__
    if kind is str:
        return value
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
            elif isinstance(node, nodes.Name) and node.name not in _JINJA.globals:
                pieces.append((node.name, ""))
            else:
                return None
    return tuple(pieces)


@cache
def _picture_fields(prompt: type[Prompt[Any]]) -> tuple[str, ...]:
    return tuple(name for name, field in prompt.model_fields.items() if _holds(field.annotation, (Image,)))


@cache
def _sections(module: str, name: str) -> tuple[_Section, ...]:
    return tuple(_Section(role, text) for role, text in split_sections(read_template(module, name)))


@cache
def _wording(module: str, name: str) -> str:
    return _FILLED.sub(" ", _MARK.sub("\n", read_template(module, name)))


def read_template(module: str, name: str) -> str:
    """The template's source text, with the words it shares with others in their place."""
    return _SHARED.sub(lambda mark: f"<<{mark[1]}>>\n{_text(module, mark[2])}", _text(module, name))


def shared_files(module: str, name: str) -> list[str]:
    """The files whose words a template shares."""
    return [file for _, file in _SHARED.findall(_text(module, name))]


def _text(module: str, name: str) -> str:
    return _folder(module).joinpath(name).read_text(encoding="utf-8")


def split_sections(source: str) -> list[tuple[_Role, str]]:
    """The template's messages: (role, source) in order. Split before rendering, so no field's text
    can open a message.
    """
    pieces = _MARK.split(source)
    sections: list[tuple[_Role, str]] = []
    if pieces[0].strip():
        sections.append(("user", pieces[0]))
    for role, text in zip(pieces[1::2], pieces[2::2], strict=True):
        sections.append((cast(_Role, role), text))
    return sections


def template_files(prompt: type[Prompt[Any]], folder_names: Iterable[str]) -> list[str]:
    """The files among `folder_names` that belong to this prompt (several where the name has a field in braces)."""
    pattern = re.compile(re.sub(r"\\\{\w+\\\}", r"[^/]+", re.escape(prompt.template)) + r"\Z")
    return [name for name in folder_names if pattern.match(name)]


def check_prompts(prompts: Sequence[type[Prompt[Any]]]) -> list[str]:
    """What is wrong between prompt classes and their template files, both ways; empty when all is well.

    Every template's variables equal its class's fields (pictures are attached, `Facts` are for offline players: neither
    is printed), every class has its file, and every ``.md`` file in a prompts folder has its class.
    """
    faults: list[str] = []
    used: dict[str, set[str]] = {}
    for prompt in prompts:
        module = prompt.__module__
        names = sorted(entry.name for entry in _folder(module).iterdir() if entry.name.endswith(".md"))
        owned = used.setdefault(module, set())
        files = template_files(prompt, names)
        if not files:
            faults.append(f"{prompt.__name__}: its template {prompt.template} is not in {module}")
        in_name = set(_FIELD.findall(prompt.template))
        fields = {name for name, field in prompt.model_fields.items() if not _holds(field.annotation, (Image, Facts))}
        for file in files:
            owned.update((file, *shared_files(module, file)))
            variables = meta.find_undeclared_variables(_JINJA.parse(read_template(module, file)))
            unknown, unused = sorted(variables - fields), sorted(fields - variables - in_name)
            faults += [f"{file}: uses {{{{ {name} }}}}, which {prompt.__name__} does not have" for name in unknown]
            faults += [f"{file}: never uses {prompt.__name__}.{name}" for name in unused]
    for module, owned in sorted(used.items()):
        templates = sorted(entry.name for entry in _folder(module).iterdir() if entry.name.endswith(".md"))
        faults += [f"{name}: no prompt class in {module} uses it" for name in templates if name not in owned]
    return faults


def _holds(annotation: Any, kinds: tuple[type, ...]) -> bool:
    """Whether a field of this type can hold a value of one of these kinds."""
    if isinstance(annotation, type) and issubclass(annotation, kinds):
        return True
    return any(_holds(part, kinds) for part in get_args(annotation))
