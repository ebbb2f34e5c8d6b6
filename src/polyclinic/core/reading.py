"""A reader says what a text means: it gets a typed question about a text, and returns a typed finding.

Judges, checkers and flows do not search free text for words themselves. They ask a *reader*, a model like any other:
the built-in trained one, a language model, a person or a recording. A clinic names its kinds of question in its room
`readings`; a flow asks with `episode.reads(text, questions)`, a judge with `bench.reads(text, questions)`.

::

    REFUSAL = ReadingKind("patient-refusal", who=("patient",), question="Does the patient decline to answer?")
    TOLD = ReadingKind("patient-told", who=("patient",), context="Fact in the record: {fact}", question="Is it told?")

    refused, told = await episode.reads(words, [REFUSAL.ask(), TOLD.ask(fact=line)])
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from polyclinic.core.message import Frozen

if TYPE_CHECKING:
    pass

Says = Literal["yes", "no", "unclear"]
_ANSWERS: dict[Says, tuple[str, ...]] = {
    "yes": ("yes", "y", "1", "예", "네", "그렇다", "있다"),
    "no": ("no", "n", "0", "아니요", "아니오", "아니다", "없다"),
    "unclear": ("unclear", "u", "?", "불분명", "모름", "모르겠다"),
}
_SAID: dict[str, Says] = {word: says for says, words in _ANSWERS.items() for word in words}
READER = "reader"
SENTENCES = "sentences"
SENTENCE_READER = f"builtin:{SENTENCES}"
"""The built-in reader with the network that reads whole sentences."""
READER_CARD = "reader.json"
"""The file that marks a folder of weights as a reader."""
GOOD_ENOUGH = 0.75
_FACT = re.compile(r"\{(\w+)\}")


def answer_of(word: str) -> Says | None:
    """A person's one-word answer to a reader's question, in English or Korean; None if it is none."""
    return _SAID.get(word.strip().strip(".,;:!").casefold())


class AnswerOption(NamedTuple):
    """One of several answers that a text may settle on. As text: ``(A) Asthma``."""

    letter: str
    words: str

    def __str__(self) -> str:
        return f"({self.letter}) {self.words}"


class Compared(NamedTuple):
    """What a trained reader compares a text with, beside the question's facts: the letter of the option that is asked
    about, what the text might mean instead, all options if the text is to settle on one, known mistakes, each with
    what is right, and sentences of the text that cannot be a yes by themselves.
    """

    letter: str = ""
    rivals: tuple[str, ...] = ()
    options: tuple[AnswerOption, ...] = ()
    pitfalls: tuple[tuple[str, str], ...] = ()
    harmless: tuple[str, ...] = ()

    @classmethod
    def with_option(cls, option: AnswerOption, options: tuple[AnswerOption, ...]) -> Compared:
        """For the question whether a text settles on this one of the options."""
        rivals = tuple(other.words for other in options if other.words not in str(option))
        return cls(option.letter, rivals, options)


class Question(Frozen):
    """One question about one text. `facts` say what it asks about; `context` and `words` say the same in words."""

    kind: str
    words: str
    context: str = ""
    facts: tuple[tuple[str, str], ...] = ()
    compared: Compared = Compared()

    def fact(self, name: str) -> str:
        """One fact by name; empty if the question has no fact of that name."""
        return dict(self.facts).get(name, "")


class Finding(NamedTuple):
    """What the reader found, the words of the text that show it, and how likely a yes is (None: not known).

    `unread` says that the reader's replies could not be read; then the finding is unclear.
    """

    says: Says
    words: str = ""
    sure: float | None = None
    unread: bool = False

    @property
    def yes(self) -> bool:
        """Whether the answer is yes. Unclear does not count as yes."""
        return self.says == "yes"


Reads = Callable[[str, Sequence[Question]], Awaitable[tuple[Finding, ...]]]
"""Reads the meaning of a text: the `reads` of an episode or of a judge's bench."""


@dataclass(frozen=True)
class ReadingKind:
    """A kind of question: its wording, who is read, and what follows from the finding.

    `who` names the roles whose words are read; empty means any simulated person. `question` and `context` name facts in
    braces. `open` lists the facts that a text is compared with, the most informative first. With each of these facts
    the question has another meaning. `listed` says that these facts come from a short fixed list, so that a trained
    reader can learn each one by itself. `parts` says that the answer for a longer text is yes as soon as it is yes for
    a part of it. A trained reader then also learns from joined lines, with lines of the kinds named in `quiet`, for
    which the answer is never yes. `swaps` says that a text fits only one target: about the target of another line, the
    answer is no. `stance` says that the whole text decides (agreement, a choice), so that another line of the same kind
    would change the answer. `surely` is how likely a yes must be: above 0.5 where many such questions are asked about
    one text, because one wrong yes among them would be likely; below 0.5 where readings missed more yes than no.
    `alone` is how likely the yes about a single sentence of a longer text must be to count for the whole text, whatever
    the other sentences say; 0: no sentence does. `by_sentence` says that a trained reader learns single sentences too,
    and how large a share of the sentences of harmless texts it may take for a yes; 0: it learns none. `only_learned`
    says that users can add to the list: a trained reader finds every text unclear about an entry that it has not
    learned. `shows_sure` says that a person is shown how sure the reader was: the trained reader of people's words then
    says how likely each yes is. `needs_sure` says that a flow needs this number: every trained reader says it.
    `in_reply` says that the text answers the context: what it takes over from there counts, and the built-in weights
    are in a file of their own. `in_order` says that the network that reads words in order is asked too; without it, the
    linear weights read better. `states` says that only a text that states something can be a yes: for the built-in
    reader, a bare "yes" or "ok" is a no. `from_words` finds what a text is compared with in facts that are only words:
    those of a file. `only_in` says in which scenarios a language model is read at all: in others it chooses from a
    list. A person is always read.
    """

    name: str
    who: tuple[str, ...]
    question: str
    context: str = ""
    follows: str = ""
    open: tuple[str, ...] = ()
    listed: bool = False
    bound: bool = False
    parts: bool = False
    quiet: tuple[str, ...] = ()
    swaps: bool = False
    stance: bool = False
    surely: float = 0.5
    alone: float = 0.0
    by_sentence: float = 0.0
    only_learned: bool = False
    shows_sure: bool = False
    needs_sure: bool = False
    in_reply: bool = False
    in_order: bool = True
    states: bool = False
    from_words: Callable[[Mapping[str, str]], Compared] | None = None
    only_in: Callable[[Any], bool] | None = None

    def ask(self, compared: Compared | None = None, /, **facts: str) -> Question:
        """The question about these facts."""
        given = {name: str(value) for name, value in facts.items()}
        if set(self.fact_names) != set(given):
            raise ValueError(f"{self.name} asks about {sorted(self.fact_names)}, not about {sorted(given)}")
        return _question(self, tuple(given.items()), self._compared(given) if compared is None else compared)

    def _compared(self, facts: Mapping[str, str]) -> Compared:
        if self.from_words is None or any(name not in facts for name in self.fact_names):
            return Compared()
        return self.from_words(facts)

    @cached_property
    def fact_names(self) -> tuple[str, ...]:
        """The facts that a question of this kind needs."""
        return tuple(dict.fromkeys(_FACT.findall(self.question + self.context)))

    @cached_property
    def _patterns(self) -> tuple[re.Pattern[str], re.Pattern[str]]:
        return _inverse(self.question), _inverse(self.context)

    def read_back(self, question: str, context: str) -> Question:
        """The question from its text in a file. Its facts are found only if the text follows this kind's wording."""
        asked, around = self._patterns
        facts: dict[str, str] = {}
        for pattern, text in ((asked, question), (around, context)):
            match = pattern.fullmatch(text.strip())
            if match:
                facts |= match.groupdict()
        compared = self._compared(facts)
        return Question(kind=self.name, words=question, context=context, facts=tuple(facts.items()), compared=compared)


@lru_cache(maxsize=2_048)
def _question(kind: ReadingKind, facts: tuple[tuple[str, str], ...], compared: Compared) -> Question:
    values = dict(facts)
    return Question(
        kind=kind.name,
        words=_FACT.sub(lambda match: values[match[1]], kind.question),
        context=_FACT.sub(lambda match: values[match[1]], kind.context),
        facts=facts,
        compared=compared,
    )


def _inverse(template: str) -> re.Pattern[str]:
    """A pattern that finds a template's facts in its filled-in words."""
    pieces = _FACT.split(template)
    pattern = "".join(f"(?P<{piece}>.*)" if index % 2 else re.escape(piece) for index, piece in enumerate(pieces))
    return re.compile(pattern, re.DOTALL)
