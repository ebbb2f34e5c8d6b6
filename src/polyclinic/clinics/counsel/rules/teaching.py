"""Training the guard from ``data/guard``: lines by separate authors, some of them reserved for testing.

Each line is ``{"text", "lang", "label", "author", "split"}``. `ordinary` lines are what people say in care when there
is no danger; without them every unknown sentence would look like danger. The authors of the word lists wrote the
utterances reserved for building. These count half, because they share the view of the lists. Levels are chosen on
authors left out of the training, safety first: finding active and implicit danger matters more than leaving acceptance
alone. What the screen finds without the weights is not missed. The levels for first words are set on the lines that are
marked as such (``"kind": "opening"``), by authors left out: a quarter of the level that every danger of a person to
themselves reaches, but never below the usual one. Where a network knew all their authors, the usual one counts.
`calm` is the level below which one in a hundred of the dangers lies in which the screen finds words. What the lists
call plain is danger also below it.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from polyclinic.clinics.counsel.rules.lexicon import screen
from polyclinic.clinics.counsel.rules.sentence_guard import joined, networks_for, unseen_opinions
from polyclinic.clinics.counsel.rules.trained import DANGERS, ORDINARY, TRAINED_LABELS, WEIGHTS
from polyclinic.clinics.counsel.scenario import PACKAGE, data
from polyclinic.core.dataset import TrainedWeights
from polyclinic.core.files import json_lines, package_file, package_lines, package_path
from polyclinic.reading.label_training import LabelledText, calibrate, fit_labels
from polyclinic.reading.text_labels import TextLabels, save, shares

ACTIVE_MISSED, IMPLICIT_MISSED, PASSIVE_MISSED = 0.018, 0.1, 0.08
SCREENED_MISSED = 0.01
LEVELS = ("hinted", "doubt", "sure", "flag", "calm", "opening", "opening_flag")
HINTED = tuple(step / 10 for step in range(1, 11))
OPENING = "opening"
ACCEPTANCE_ALARMED, ORDINARY_ALARMED = 0.03, 0.004
LISTS_WEIGHT = 0.5


def guard_lines(split: str, kind: str = "") -> list[LabelledText]:
    """The labelled lines of one split, author by author; with `kind`, only those of this kind."""
    folder = package_file(PACKAGE, "data/guard")
    return [
        LabelledText(row["text"], row["lang"], row["label"], row["author"])
        for file in sorted(folder.iterdir(), key=lambda entry: entry.name)
        if file.name.endswith(".jsonl")
        for _, row in json_lines(file.read_text(encoding="utf-8"), file.name)
        if row["split"] == split and kind in ("", row.get("kind"))
    ]


def list_lines() -> list[LabelledText]:
    """Utterances by the authors of the word lists, without the dangerous lines that understudies say."""
    cues: dict[str, dict[str, list[str]]] = data("cues")
    voiced = {line for risk in ("active", "implicit", "passive") for lines in cues[risk].values() for line in lines}
    return [
        LabelledText(row["text"], row["lang"], row["label"], "lists", LISTS_WEIGHT)
        for name in ("build", "probes")
        for row in package_lines(PACKAGE, f"data/utterances/{name}.jsonl")
        if row["text"] not in voiced
    ]


def train_guard(out: Path | None) -> TrainedWeights:
    """Train the guard that reads every message of a live conversation.

    It takes some minutes. The table shows results for authors who were left out in turn. To measure on test authors,
    use 'polyclinic eval counsel-guard'.
    """
    written = guard_lines("train")
    known = {row.text for row in written}
    rows = [*written, *(row for row in list_lines() if row.text not in known)]
    fitted = fit_labels(rows, TRAINED_LABELS)
    number = np.array([TRAINED_LABELS.index(row.label) for row in rows])
    theirs = np.array([row.author != "lists" for row in rows])
    openings = {row.text for row in guard_lines("train", OPENING)}
    first = np.array([row.text in openings for row in rows])
    seen = [screen(row.text) for row in rows]
    screened = np.array([bool(one.words) for one in seen])
    alarming = np.array([bool(one.words) and one.label != "passive" for one in seen])
    calibration, settings, found = {}, {}, {}
    for lang in ("en", "ko"):
        mine = theirs & np.array([row.lang == lang for row in rows])
        calibration[lang] = calibrate(fitted.unseen[mine], number[mine], len(TRAINED_LABELS))
        if networks_for(lang):
            unseen = unseen_opinions([row for row, my in zip(rows, mine, strict=True) if my], TRAINED_LABELS)
            mine[np.flatnonzero(mine)[~unseen.known]] = False
            likely = joined(_probabilities(fitted.unseen[mine], calibration[lang]), unseen.opinions)
        else:
            likely = _probabilities(fitted.unseen[mine], calibration[lang])
        lines = _LeftOut(likely, number[mine], first[mine], screened[mine], alarming[mine])
        settings[lang], found[lang] = _levels(lines)
    model = TextLabels(TRAINED_LABELS, fitted.rarity, fitted.table, calibration, settings)
    content = save(model)
    path = out or package_path(PACKAGE, f"data/guard/{WEIGHTS}")
    path.write_bytes(content)
    return TrainedWeights(weights=str(path), bytes=len(content), lines=len(rows), left_out=found, levels=settings)


def _probabilities(scores: Any, table: Any) -> Any:
    return shares(np.concatenate([scores, np.ones((len(scores), 1))], axis=1) @ table)


class _LeftOut(NamedTuple):
    """What is known of one language's lines by authors who were left out: the probabilities of the labels, the labels,
    which lines are first words, in which the screen finds words, and in which it finds danger.
    """

    likely: Any
    number: Any
    first: Any
    screened: Any
    screened_danger: Any


def _levels(lines: _LeftOut) -> tuple[dict[str, float], dict[str, float]]:
    """The levels of one language, and their results on authors left out: with the share for danger without plain words
    that leaves most acceptance and ordinary talk alone. No share misses more danger than the limits above allow.
    """
    tried = [_levels_with(hinted, lines) for hinted in HINTED]
    return max(tried, key=lambda one: one[1]["acceptance left alone"] + one[1][f"{ORDINARY} left alone"])


def _levels_with(hinted: float, lines: _LeftOut) -> tuple[dict[str, float], dict[str, float]]:
    at = TRAINED_LABELS.index
    danger = lines.likely[:, [at(label) for label in DANGERS]].sum(axis=1)
    pressing = danger - (1 - hinted) * lines.likely[:, at("implicit")]
    wish = danger + lines.likely[:, at("passive")]
    of = {label: lines.number == at(label) for label in TRAINED_LABELS}
    in_danger = np.isin(lines.number, [at(label) for label in DANGERS])
    calm = min(
        float(np.quantile(wish[of["passive"]], PASSIVE_MISSED)),
        float(np.quantile(wish[in_danger & lines.screened], SCREENED_MISSED)),
    )
    screened, found_by_screen = lines.screened & (wish >= calm), lines.screened_danger & (wish >= calm)
    doubt = min(
        _least(pressing, found_by_screen, of["active"], ACTIVE_MISSED),
        _least(pressing, found_by_screen, of["implicit"], IMPLICIT_MISSED),
    )
    alarmed = {"acceptance": ACCEPTANCE_ALARMED, ORDINARY: ORDINARY_ALARMED}
    sure = max(doubt, *(float(np.quantile(pressing[of[label]], 1 - share)) for label, share in alarmed.items()))
    flag = _least(wish, screened, of["passive"], PASSIVE_MISSED)
    own = of["active"] | of["implicit"]
    danger_first, wish_first = pressing[lines.first & own], wish[lines.first & of["passive"]]
    opening = max(doubt, float(danger_first.min()) / 4) if len(danger_first) else doubt
    opening_flag = max(flag, float(np.quantile(wish_first, PASSIVE_MISSED)) / 2) if len(wish_first) else flag
    set_at = (hinted, doubt, sure, flag, calm, opening, opening_flag)
    levels = {name: round(level, 4) for name, level in zip(LEVELS, set_at, strict=True)}
    called = (pressing >= doubt) | found_by_screen
    asked = called | (wish >= flag) | screened
    found = {f"{label} escalated": float(called[mask].mean()) for label, mask in of.items()}
    found |= {f"{label} sure": float((pressing >= sure)[mask].mean()) for label, mask in of.items()}
    found["passive flagged"] = float(asked[of["passive"]].mean())
    for label in ("acceptance", ORDINARY):
        found[f"{label} left alone"] = float(1 - asked[of[label]].mean())
    asked = (pressing >= opening) | (wish >= opening_flag)
    if len(danger_first):
        found["first words, danger asked about"] = float(asked[lines.first & own].mean())
        found["first words, ordinary left alone"] = float(1 - asked[lines.first & of[ORDINARY]].mean())
    return levels, {name: round(value, 3) for name, value in found.items()}


def _least(scores: Any, by_screen: Any, mask: Any, missed: float) -> float:
    """The level at which this share of the lines under the mask is missed. What the screen finds is not missed."""
    return float(np.quantile(np.where(by_screen, np.inf, scores)[mask], missed, method="lower"))
