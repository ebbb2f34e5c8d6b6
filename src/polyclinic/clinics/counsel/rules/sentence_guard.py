"""The guard's second and third opinion on English messages: two small networks that read whole sentences.

Weights over n-grams and networks over sentences err on different messages. Together they leave more harmless messages
alone while they find as much danger. The first network is the guard's own. The second is the reader's, which learned
the guard's labels beside the reader's questions. Both are made with `tools/encoder` on a GPU. Their weights are an
input of ``polyclinic train guard``, and so are their answers about authors that they had not learned: the levels are
set with these.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from polyclinic.clinics.counsel.scenario import PACKAGE
from polyclinic.core.files import bad_file, package_file
from polyclinic.reading.label_training import LabelledText
from polyclinic.reading.networks import GUARD, SECOND, load_encoder, shipped_encoder
from polyclinic.reading.text_labels import Floats, shares

NETWORK, UNSEEN = "guard_encoder.npz", ("guard_unseen.npz", "guard_second_unseen.npz")
ENGLISH = "en"
SHARES = (0.4, 0.2, 0.4)
"""How much the n-grams and the two networks count. Chosen on left-out authors, where their neighbours did the same."""

SURER = 1.4
"""A mean of opinions is less sure than it should be. Raised to this power, its probabilities fit what is true of
left-out authors (log-likelihood -0.532 without it, -0.485 with it).
"""

ScoresLabel = Callable[[str, str], float | None]
"""A network's score of one text for one label."""


@cache
def networks() -> tuple[ScoresLabel, ScoresLabel]:
    """Both networks, loaded."""
    own = load_encoder(package_file(PACKAGE, f"data/guard/{NETWORK}").read_bytes(), NETWORK)
    second = shipped_encoder(SECOND)
    return (
        lambda text, label: own.alone(text, label, "", ""),
        lambda text, label: second.alone(text, f"{GUARD}|{label}", "", ""),
    )


def network_opinions(text: str, labels: Sequence[str]) -> list[Floats]:
    """Each network's probability of each label for one English text."""
    scores = ([score(text, label) or 0.0 for label in labels] for score in networks())
    return [shares(np.array(row)) for row in scores]


def joined(by_grams: Floats, by_networks: Sequence[Floats]) -> Floats:
    """All opinions as one probability of each label: the weighted mean, in each row. So one opinion that is sure is
    never lost, as it would be in a product.
    """
    mean: Floats = np.sum([share * one for share, one in zip(SHARES, (by_grams, *by_networks), strict=True)], axis=0)
    return mean


def with_networks(by_grams: Mapping[str, float], by_networks: Sequence[Floats]) -> dict[str, float]:
    """All opinions about one English text as one."""
    both = joined(np.array(list(by_grams.values())), by_networks)
    return dict(zip(by_grams, both.tolist(), strict=True))


def surer(found: Mapping[str, float]) -> dict[str, float]:
    """The mean of opinions as calibrated probabilities."""
    raised = {label: chance**SURER for label, chance in found.items()}
    whole = sum(raised.values())
    return {label: chance / whole for label, chance in raised.items()}


class Unseen(NamedTuple):
    """What the networks say about training lines whose author they had not learned. `known` says which lines these
    are: the second network has kept answers for two of the four groups of authors.
    """

    known: NDArray[np.bool_]
    opinions: list[Floats]


def unseen_opinions(rows: Sequence[LabelledText], labels: Sequence[str]) -> Unseen:
    """The kept opinions about English training lines, which come in the order of their files."""
    kept = [kept_scores(name) for name in UNSEEN]
    columns = [sorted(labels).index(label) for label in labels]
    places: dict[str, int] = {}
    known: list[bool] = []
    found: tuple[list[Floats], list[Floats]] = ([], [])
    for row in rows:
        place = places.get(row.author, 0)
        places[row.author] = place + 1
        if place >= len(kept[0].get(row.author, ())):
            raise bad_file(
                UNSEEN[0], f"no scores for line {place + 1} of author {row.author}; make them (tools/encoder)"
            )
        known.append(place < len(kept[1].get(row.author, ())))
        if known[-1]:
            for scores, mine in zip(kept, found, strict=True):
                mine.append(scores[row.author][place])
    return Unseen(np.array(known), [shares(np.array(mine)[:, columns]) for mine in found])


def kept_scores(name: str) -> dict[str, Floats]:
    """The kept scores of each author's English lines, in the order of the labels' names."""
    with np.load(io.BytesIO(package_file(PACKAGE, f"data/guard/{name}").read_bytes())) as file:
        return {author: file[author].astype(np.float64) for author in file.files}
