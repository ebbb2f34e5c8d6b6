"""What judges see of a conversation: the same turns as words for a language model and as facts for
the offline judge.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from itertools import pairwise

from polyclinic.clinics.counsel.rules.messages import names_of
from polyclinic.clinics.counsel.rules.notes import Replied, Voiced
from polyclinic.clinics.counsel.scenario import PACKAGE, Lang, Talk
from polyclinic.core.files import package_rows
from polyclinic.core.judge import Case
from polyclinic.core.message import Frozen
from polyclinic.core.prompt import Facts
from polyclinic.core.transcript import Transcript
from polyclinic.eval.view import View

DANGER = ("active", "implicit")


class Uttered(Frozen):
    """One utterance. A patient's utterance has its turn and the stage in which it was answered; an answer has its
    sources.

    `danger` says that the scenario made the patient voice danger here. It comes from the scenario, not from a guard.
    """

    speaker: str
    text: str
    turn: int | None = None
    stage: str = ""
    sources: tuple[str, ...] = ()
    danger: bool = False

    @property
    def line(self) -> str:
        """Speaker and words, as the view shows them."""
        return f"{self.speaker}: {self.text}"


class Meaning(Frozen):
    """What a judge found in one answer: a slip, a fact that needs a source, a feeling to answer, and whether it was
    answered. `empty`: the answer asks nothing, tells nothing and takes up no feeling.
    """

    slip: bool = False
    claim: bool = False
    hurt: bool = False
    answered: bool = True
    empty: bool = False


class Talked(Facts):
    """A whole conversation, in order. `meant` is what a judge found in the counsellor's answers, in their order."""

    lang: Lang
    said: tuple[Uttered, ...]
    meant: tuple[Meaning, ...] = ()

    def pairs(self) -> list[tuple[Uttered, Uttered]]:
        """Each utterance of the patient with the answer that followed it, by the counsellor or the service."""
        heard = [said for said in self.said if said.speaker in ("patient", "counsellor", "service")]
        return [(one, other) for one, other in pairwise(heard) if one.speaker == "patient"]

    def answers(self) -> list[tuple[Uttered, Uttered]]:
        """The pairs that the counsellor answered."""
        return [pair for pair in self.pairs() if pair[1].speaker == "counsellor"]


def view(case: Case[Talk]) -> View:
    """The conversation: turns with their stage, who spoke, and which sources an answer is based on."""
    facts = Talked(lang=case.scenario.lang, said=tuple(_uttered(case.transcript)))
    return View("\n".join(_lines(facts)), facts)


@lru_cache(maxsize=2)
def reference(lang: Lang) -> View:
    """A good conversation to compare with."""
    facts = Talked(lang=lang, said=tuple(package_rows(Uttered, PACKAGE, f"data/reference/{lang}.jsonl")))
    return View("".join(f"{line}\n" for line in _lines(facts)), facts)


def _uttered(transcript: Transcript) -> Iterable[Uttered]:
    answers: dict[int, Replied] = {}
    for answer in transcript.said("counsellor"):
        if (replied := answer.get(Replied)) is not None:
            answers.setdefault(replied.turn, replied)
    for said in transcript.said():
        voiced, replied = said.get(Voiced), said.get(Replied)
        answered = answers.get(voiced.turn) if voiced is not None else None
        claims = replied.claims if replied is not None else None
        yield Uttered(
            speaker=said.speaker,
            text=" ".join(said.text.split()),
            turn=voiced.turn if voiced is not None else None,
            stage=answered.stage if answered is not None and answered.claims is not None else "",
            sources=tuple(claim.source for claim in claims or ()),
            danger=voiced is not None and voiced.cue in DANGER,
        )


def _lines(talk: Talked) -> Iterable[str]:
    stages = names_of("stages", talk.lang)
    for uttered in talk.said:
        if uttered.speaker == "patient":
            stage = f", stage: {stages[uttered.stage]}" if uttered.stage else ""
            yield f"[turn {'' if uttered.turn is None else uttered.turn}{stage}]"
        yield uttered.line
        if uttered.sources:
            yield f"  sources: {', '.join(uttered.sources)}"
