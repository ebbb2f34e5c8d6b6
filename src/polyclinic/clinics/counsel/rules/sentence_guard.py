"""The guard's second opinion on a message: a network that reads whole sentences, in each language that it knows.

Weights over n-grams and a network over sentences err on different messages. Together they leave more harmless messages
alone while they find as much danger. The network is of the same sort as the reader's second one. It learned the guard's
labels beside the reader's questions, and from a language model that had learned them too (`tools/encoder`, on a GPU).
Its weights are an input of ``polyclinic train guard``, and so are its answers about authors that it had not learned:
the levels are set with these.
"""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from polyclinic.clinics.counsel.scenario import PACKAGE
from polyclinic.core.files import bad_file, package_file
from polyclinic.reading.label_training import LabelledText
from polyclinic.reading.networks import GUARD, SentenceNetwork, load_encoder
from polyclinic.reading.text_labels import Floats, shares
from polyclinic.text.normal import Lang

NETWORK, UNSEEN = "guard_encoder.npz", "guard_unseen.npz"
BY_NETWORK = 0.6
"""How much the network counts, and the n-grams the rest. Chosen on left-out authors, where 0.5 to 0.7 did the same."""

SURER = 1.2
"""A mean of opinions is less sure than it should be. Raised to this power, its probabilities fit what is true of
left-out authors (log-likelihood -0.462 without it, -0.449 with it).
"""


@cache
def network() -> SentenceNetwork:
    """The network, loaded at first use."""
    return load_encoder(package_file(PACKAGE, f"data/guard/{NETWORK}").read_bytes(), NETWORK)


def languages() -> tuple[Lang, ...]:
    """The languages that the network knows."""
    return network().languages


def network_score(text: str, label: str) -> float | None:
    """The network's score of one text for one label."""
    return network().alone(text, f"{GUARD}|{label}", "", "")


def network_opinion(text: str, labels: Sequence[str]) -> Floats:
    """The network's probability of each label for one text."""
    return shares(np.array([network_score(text, label) or 0.0 for label in labels]))


def joined(by_grams: Floats, by_network: Floats) -> Floats:
    """Both opinions as one probability of each label: the weighted mean, in each row. So one opinion that is sure is
    never lost, as it would be in a product.
    """
    mean: Floats = (1 - BY_NETWORK) * by_grams + BY_NETWORK * by_network
    return mean


def with_network(by_grams: Mapping[str, float], by_network: Floats) -> dict[str, float]:
    """Both opinions about one text as one."""
    both = joined(np.array(list(by_grams.values())), by_network)
    return dict(zip(by_grams, both.tolist(), strict=True))


def surer(found: Mapping[str, float]) -> dict[str, float]:
    """The mean of opinions as calibrated probabilities."""
    raised = {label: chance**SURER for label, chance in found.items()}
    whole = sum(raised.values())
    return {label: chance / whole for label, chance in raised.items()}


class Unseen(NamedTuple):
    """What the network says about training lines whose author it had not learned. `known` says which lines these are:
    there are kept answers for two of the four groups of authors.
    """

    known: NDArray[np.bool_]
    opinions: Floats


def unseen_opinions(rows: Sequence[LabelledText], labels: Sequence[str]) -> Unseen:
    """The kept opinions about training lines of one language, which come in the order of their files."""
    kept = kept_scores()
    columns = [sorted(labels).index(label) for label in labels]
    places: dict[str, int] = {}
    known: list[bool] = []
    found: list[Floats] = []
    for row in rows:
        place, name = places.get(row.author, 0), kept_name(row.author, row.lang)
        places[row.author] = place + 1
        known.append(name in kept)
        if known[-1] and place >= len(kept[name]):
            raise bad_file(UNSEEN, f"no scores for line {place + 1} of author {name}; make them (tools/encoder)")
        if known[-1]:
            found.append(kept[name][place])
    if rows and not found:
        raise bad_file(UNSEEN, f"no scores for lines in the language '{rows[0].lang}'; make them (tools/encoder)")
    return Unseen(np.array(known), shares(np.array(found)[:, columns]))


def kept_name(author: str, lang: str) -> str:
    """The name under which an author's scores in one language are kept: the author for English."""
    return author if lang == "en" else f"{author}-{lang}"


def kept_scores() -> dict[str, Floats]:
    """The kept scores of each author's lines in one language (see `kept_name`), in the order of the labels' names."""
    with np.load(io.BytesIO(package_file(PACKAGE, f"data/guard/{UNSEEN}").read_bytes())) as file:
        return {author: file[author].astype(np.float64) for author in file.files}
