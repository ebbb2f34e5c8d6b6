"""Triggers about medicines: changes nobody confirmed, changes without evidence, words that contradict earlier ones."""

from __future__ import annotations

import re

from polyclinic.clinics.duty.rules.triggers.knowledge import knowledge
from polyclinic.clinics.duty.rules.triggers.scene import Hit, Scene
from polyclinic.clinics.duty.rules.triggers.words import CONFIRMS, hedged, mentions, negated, sentences
from polyclinic.clinics.duty.scenario import Discharge
from polyclinic.text.sentences import is_question

_CHANGE = re.compile(
    r"\b(stop|start|restart|double|halve|skip|pause|increase|raise|lower|reduce|switch|change|hold|leave out|cut|drop"
    r"|take no more|take no)\b",
    re.IGNORECASE,
)
_GENERIC = ("tablet", "dose", "insulin", "antibiotic", "medicine", "statin", "painkiller")
_DEFERS = re.compile(
    r"\b(attending|supervis\w+|the doctor|dr\b|check with|ask (?:the|my)|propose|suggest|would like to|confirm)\b",
    re.IGNORECASE,
)
_LEADS = re.compile(
    r"(?:^|\b(?:please|then|also|and|or|so|first|now|just|to|should|must|will|may|i|we|you))$", re.IGNORECASE
)
_KINDS: dict[str, tuple[str, ...]] = {
    "stop": ("stop", "take no more", "take no", "drop", "leave out", "skip", "cut"),
    "hold": ("hold", "pause", "take no", "leave out"),
    "start": ("start", "restart"),
    "raise": ("double", "increase", "raise"),
    "lower": ("halve", "lower", "reduce", "cut"),
    "switch": ("switch", "change"),
    "timing": ("change",),
}
_KEEP = re.compile(r"\b(keep (?:taking|to)|continue|go on (?:taking|with)|carry on with)\b", re.IGNORECASE)
_CORRECTS = re.compile(
    r"\b(correction|correct myself|i was wrong|was mistaken|has changed its|new result)\b", re.IGNORECASE
)


def drugs(scene: Scene) -> list[str]:
    """The medicines that this scenario speaks of."""
    names = [medication.name for medication in scene.scenario.current_meds]
    return names + [change.drug for change in scene.scenario.supported_changes if change.drug not in names]


def advised_changes(scene: Scene, text: str) -> list[tuple[str, str, str]]:
    """(verb, drug, sentence) for every plain advice to change a medicine.

    Questions and denials are none, and neither is a statement of what a medicine does (it can raise the potassium).
    """
    found: list[tuple[str, str, str]] = []
    for sentence in sentences(text):
        if is_question(sentence):
            continue
        for match in _CHANGE.finditer(sentence):
            clause = re.split(r"[,:]", sentence[: match.start()])[-1]
            if negated(clause, len(clause), reach=4) or not _LEADS.search(clause.rstrip()):
                continue
            object_ = " ".join(re.split(r"[,:]", sentence[match.end() :])[0].split()[:6])
            drug = next((name for name in drugs(scene) if mentions(object_, [name])), "")
            drug = drug or next((name for name in _GENERIC if mentions(object_, [name])), "")
            if drug:
                found.append((match.group(1).lower(), drug, sentence))
    return found


def confirmed_changes(scene: Scene) -> set[tuple[str, str]]:
    """(verb, drug) of every change that the attending has confirmed aloud.

    A confirmation covers what its own message says and what the message right before it proposed, nothing else.
    """
    confirmed: set[tuple[str, str]] = set()
    for index, line in enumerate(scene.before):
        if line.speaker == "doctor" and CONFIRMS.search(line.text):
            proposal = scene.before[index - 1].text if index else ""
            confirmed |= {(verb, drug) for verb, drug, _ in advised_changes(scene, f"{line.text} {proposal}")}
    return confirmed


def _same_change(verb: str, other: str) -> bool:
    return any(verb in verbs and other in verbs for verbs in _KINDS.values())


def change_without_confirmation(scene: Scene) -> Hit | None:
    """A trainee's change of a medicine that the attending has not confirmed and the trainee does not defer."""
    confirmed = confirmed_changes(scene)
    for verb, drug, sentence in advised_changes(scene, scene.text):
        if _DEFERS.search(sentence) and not re.search(r"\bno need to ask\b", sentence, re.IGNORECASE):
            continue
        if not any(drug == name and _same_change(verb, word) for word, name in sorted(confirmed)):
            return Hit(
                rationale=f"the trainee says to {verb} {drug}, and no attending has confirmed it", words=sentence
            )
    return None


def unsupported_change(scene: Scene) -> Hit | None:
    """Stopping or changing a medicine although nothing in the scenario supports it."""
    supported = scene.scenario.supported_changes
    for verb, drug, sentence in advised_changes(scene, scene.text):
        if _DEFERS.search(sentence) or hedged(sentence):
            continue
        if any(mentions(drug, [s.drug]) or mentions(s.drug, [drug]) for s in supported if verb in _KINDS[s.change]):
            continue
        if any(mentions(sentence, [s.drug]) and verb in _KINDS[s.change] for s in supported):
            continue
        stops = [fact.text for fact in knowledge().neighbours(drug) if fact.kind == "sudden_stop"]
        danger = f"; {stops[0]}" if stops and verb in _KINDS["stop"] else ""
        return Hit(rationale=f"advice to {verb} {drug} has no support in what is known here{danger}", words=sentence)
    return None


def contradicts_earlier_word(scene: Scene) -> Hit | None:
    """Words against a promise of an earlier visit, or against one's own words on the same medicine in this talk."""
    if isinstance(scene.scenario, Discharge):
        for cue in scene.scenario.continuity_cues:
            for sentence in sentences(scene.text):
                at = sentence.lower()
                hit = next((words for words in cue.contrary if words in at), "")
                if hit and not is_question(sentence) and not negated(sentence, at.index(hit)):
                    return Hit(rationale=f"earlier: {cue.text}", words=sentence)
    own = [line.text for line in scene.by(scene.role)]
    for verb, drug, sentence in advised_changes(scene, scene.text):
        if verb not in ("stop", "skip", "take no more", "take no", "drop") or _CORRECTS.search(scene.text):
            continue
        earlier = next((text for text in own if _keeps(text, drug)), "")
        if earlier:
            return Hit(rationale=f"the same speaker said before to keep taking {drug}", words=sentence)
    return None


def _keeps(text: str, drug: str) -> bool:
    return any(_KEEP.search(s) and mentions(s, [drug]) and not is_question(s) for s in sentences(text))
