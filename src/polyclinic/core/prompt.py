"""A prompt is a type: its fields, a template file with its words, and the type of the reply.

::

    class Greets(Prompt[str]):
        template = "greets.md"
        name: str

A language model gets the rendered words; an understudy gets the typed object. The template file is in the folder of the
module that defines the class. Its name may hold fields in braces (``"greets.{lang}.md"``). It is Jinja with strict
undefined variables. Lines that read ``<<system>>``, ``<<user>>`` or ``<<assistant>>`` start a message; text before the
first such line is the user's. ``<<system clerk.md>>`` begins the message with the text of that file, which several
templates of one role may share. What stays the same during an episode comes first, what changes comes last, so that
prefix caches help. How long the reply may be is stated in the class (``words``), not in the template: see
`core.length`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, ClassVar, Generic, NamedTuple, TypeVar, cast, get_args

from pydantic import BaseModel, ConfigDict

from polyclinic.core.form import NO_HINTS, FormHints
from polyclinic.core.length import USUAL_WORDS, length_line, token_limit
from polyclinic.core.message import Frozen, Image, Message
from polyclinic.core.template import (
    prompt_package,
    read_template,
    sections,
    shared_files,
    template_names,
    wording_of,
)

if TYPE_CHECKING:
    from polyclinic.core.template_section import TemplateSection

R = TypeVar("R")
_FIELD = re.compile(r"\{(\w+)\}")


class Facts(Frozen):
    """The content of a prompt as typed data. A field of this type is for offline players, which read it instead of the
    text.

    It is never printed, so it changes neither what a language model is sent nor the keys of requests. Subclass it with
    fields.
    """


class Prompt(BaseModel, Generic[R]):
    """Base of all prompts. Subclass as ``class X(Prompt[ReplyType])`` with a `template` and the longest reply in
    `words`.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)
    template: ClassVar[str]
    words: ClassVar[int] = USUAL_WORDS
    in_words: ClassVar[bool] = True
    """Whether a form may also be answered loosely (`core.loose_form`) or in plain words (`core.field_by_field`)."""

    commands: ClassVar[tuple[str, ...]] = ()
    """What a person may type that begins with a stroke, such as ``/conclude``; any other such word is refused."""

    may_pass: ClassVar[bool] = False
    """Whether "pass" is an answer of a person; else it is refused."""

    takes_call: ClassVar[bool] = False
    """Whether the reply can also be given as a tool call (`core.calling`)."""

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
        """The type of the reply to this one prompt. A prompt whose choices come from its own fields returns a narrower
        type.
        """
        return self.reply_type()

    narrows: ClassVar[bool] = False
    """Whether `reply_form` is narrower than `reply_type` and slow to build, and `fits` can check it faster."""

    def fits(self, reply: R) -> bool:
        """Whether a reply of `reply_type` certainly has this prompt's narrower form. If not, the form itself decides
        and says what is wrong. Called only if the form `narrows`.
        """
        return False

    def check(self, reply: R) -> None:
        """Raise `Unreadable` if a reply has the right form but still cannot be used. The message tells the model what
        to change.

        This method is called after a reply was read. If it raises, the model is asked again with the message.
        """

    def check_person(self, reply: R) -> None:
        """Raise `Unreadable` if a person's reply, typed or filled in, cannot be used. The message tells them what to
        write instead.
        """

    def understood(self, reply: R) -> str:
        """How a person's free words were understood, to tell them at once; empty where their words are kept."""
        return ""

    def most_words(self) -> int:
        """The longest reply to this one prompt, in words; `words` unless it depends on the fields."""
        return self.words

    @property
    def language(self) -> str:
        """The language of the reply: the field `lang` if there is one."""
        return str(self.__dict__.get("lang", "en"))

    def token_limit(self) -> int:
        """The token limit that is sent, and that budgets reserve, unless the cast sets another."""
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
        """The rendered messages. The last user message ends with the length of the reply and has the pictures."""
        fields = self.__dict__
        before, last, after, speech, pictures = _layout(self.__class__, self._file())
        messages = [message for part in before if (message := part.message(fields)).content]
        said, length = last.words(fields), length_line(self.most_words(), self.language, speech)
        content = f"{said}\n\n{length}" if said else length
        messages.append(Message(role=last.role, content=content, images=self.images() if pictures else ()))
        messages += [message for part in after if (message := part.message(fields)).content]
        return messages

    def _file(self) -> str:
        """The name of the template's file, with the fields in it filled in."""
        if "{" not in self.template:
            return self.template
        return _FIELD.sub(lambda match: str(getattr(self, match.group(1))), self.template)

    def wording(self) -> str:
        """The template's own text, without the values of the fields."""
        return wording_of(self.__class__.__module__, self._file())

    def form_hints(self) -> FormHints:
        """Hints that a screen shows with the form of the reply; see `core.form`."""
        return NO_HINTS

    def kept_open(self, text: str) -> str:
        """The reply that leaves a form open, for a person who typed words to say instead of filling it in.

        Their words then answer the role's next question. Empty, as for most prompts: the text itself is the reply.
        """
        return ""

    def full_answer(self, typed: str) -> str:
        """What a person typed, with what they may leave out because of this prompt's fields. Given to `from_human`."""
        return typed

    @classmethod
    def from_human(cls, text: str) -> R:
        """What a person typed, as this prompt's reply.

        Plain text is returned as it is. In a structured reply with a single required text field, it becomes the value
        of that field. A prompt whose reply needs more overrides this method.
        """
        reply_type = cls.reply_type()
        if reply_type is str:
            return cast(R, text.strip())
        fields = cast("type[BaseModel]", reply_type).model_fields
        needed = [name for name, field in fields.items() if field.is_required()]
        if len(needed) != 1 or fields[needed[0]].annotation is not str:
            raise TypeError(f"{cls.__name__} must override from_human(): its reply has the fields {', '.join(fields)}")
        return cast(R, cast("type[BaseModel]", reply_type)(**{needed[0]: text.strip()}))


class _Layout(NamedTuple):
    """A template in parts: the messages before the last user message, that message, and those after it. Also whether
    the reply is speech, and whether there may be pictures.
    """

    before: tuple[TemplateSection, ...]
    last: TemplateSection
    after: tuple[TemplateSection, ...]
    speech: bool
    pictures: bool


@cache
def _layout(prompt: type[Prompt[Any]], name: str) -> _Layout:
    parts = sections(prompt.__module__, name)
    last = max((i for i, part in enumerate(parts) if part.role == "user"), default=len(parts) - 1)
    speech, pictures = prompt.reply_type() is str, bool(_picture_fields(prompt))
    return _Layout(parts[:last], parts[last], parts[last + 1 :], speech, pictures)


@cache
def _picture_fields(prompt: type[Prompt[Any]]) -> tuple[str, ...]:
    return tuple(name for name, field in prompt.model_fields.items() if _holds(field.annotation, (Image,)))


def template_files(prompt: type[Prompt[Any]], folder_names: Iterable[str]) -> list[str]:
    """The files among `folder_names` that belong to this prompt (several if the name has a field in braces)."""
    pattern = re.compile(re.sub(r"\\\{\w+\\\}", r"[^/]+", re.escape(prompt.template)) + r"\Z")
    return [name for name in folder_names if pattern.match(name)]


def check_prompts(prompts: Sequence[type[Prompt[Any]]]) -> list[str]:
    """Mismatches between prompt classes and their template files, in both directions; empty if there are none.

    Every template's variables equal its class's fields (pictures are attached, `Facts` are for offline players: neither
    is printed), every class has its file, and every ``.md`` file in a prompts folder has its class.
    """
    from polyclinic.core.template_section import fields_used

    faults: list[str] = []
    used: dict[str, set[str]] = {}
    for prompt in prompts:
        module, package = prompt.__module__, prompt_package(prompt.__module__)
        owned = used.setdefault(package, set())
        files = template_files(prompt, template_names(package))
        if not files:
            faults.append(f"{prompt.__name__}: its template {prompt.template} is not in {package}")
        in_name = set(_FIELD.findall(prompt.template))
        fields = {name for name, field in prompt.model_fields.items() if not _holds(field.annotation, (Image, Facts))}
        for file in files:
            owned.update((file, *shared_files(module, file)))
            variables = fields_used(read_template(module, file))
            unknown, unused = sorted(variables - fields), sorted(fields - variables - in_name)
            faults += [f"{file}: uses {{{{ {name} }}}}, which {prompt.__name__} does not have" for name in unknown]
            faults += [f"{file}: never uses {prompt.__name__}.{name}" for name in unused]
    for package, owned in sorted(used.items()):
        idle = [name for name in template_names(package) if name not in owned]
        faults += [f"{name}: no prompt class in {package} uses it" for name in idle]
    return faults


def _holds(annotation: Any, kinds: tuple[type, ...]) -> bool:
    """Whether a field of this type can hold a value of one of these kinds."""
    if isinstance(annotation, type) and issubclass(annotation, kinds):
        return True
    return any(_holds(part, kinds) for part in get_args(annotation))
