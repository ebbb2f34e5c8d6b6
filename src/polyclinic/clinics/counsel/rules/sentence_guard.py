"""The guard's other opinions on a message: networks that read whole sentences, each in the languages that it knows.

Weights over n-grams and networks over sentences err on different messages. Together they leave more harmless messages
alone while they find as much danger. There are two networks: one for both languages, and one for English alone, which
learned from another start and other lessons. Both are of the same sort as the reader's second one, and both learned
from a language model that had learned the guard's labels (`tools/encoder`, on a GPU). Their weights are an input of
``polyclinic train guard``, and so are their answers about authors that they had not learned: the levels are set with
these.
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


class NetworkFiles(NamedTuple):
    """The files of a network: its weights, and its answers about authors that it had not learned."""

    weights: str
    unseen: str


NETWORKS = (
    NetworkFiles("guard_encoder.npz", "guard_unseen.npz"),
    NetworkFiles("guard_english.npz", "guard_english_unseen.npz"),
)
BY_NETWORK = 0.4
"""How much each network counts, and the n-grams the rest. Chosen on left-out authors."""

SURER = 1.2
"""A mean of opinions is less sure than it should be. Raised to this power, its probabilities fit what is true of
left-out authors best.
"""


@cache
def network(files: NetworkFiles) -> SentenceNetwork:
    """A network, loaded at first use."""
    return load_encoder(package_file(PACKAGE, f"data/guard/{files.weights}").read_bytes(), files.weights)


def networks_for(lang: str) -> list[NetworkFiles]:
    """The networks that know a language."""
    return [files for files in NETWORKS if lang in network(files).languages]


def network_score(files: NetworkFiles, text: str, label: str) -> float | None:
    """A network's score of one text for one label."""
    return network(files).alone(text, f"{GUARD}|{label}", "", "")


def network_opinions(text: str, lang: str, labels: Sequence[str]) -> list[Floats]:
    """The probability of each label for one text, as each network that knows the language sees it."""
    return [
        shares(np.array([network_score(files, text, label) or 0.0 for label in labels])) for files in networks_for(lang)
    ]


def joined(by_grams: Floats, by_networks: Sequence[Floats]) -> Floats:
    """All opinions as one probability of each label: the weighted mean, in each row. So one opinion that is sure is
    never lost, as it would be in a product.
    """
    mean: Floats = (1 - BY_NETWORK * len(by_networks)) * by_grams
    for opinion in by_networks:
        mean = mean + BY_NETWORK * opinion
    return mean


def with_networks(by_grams: Mapping[str, float], by_networks: Sequence[Floats]) -> dict[str, float]:
    """All opinions about one text as one."""
    return dict(zip(by_grams, joined(np.array(list(by_grams.values())), by_networks).tolist(), strict=True))


def surer(found: Mapping[str, float]) -> dict[str, float]:
    """The mean of opinions as calibrated probabilities."""
    raised = {label: chance**SURER for label, chance in found.items()}
    whole = sum(raised.values())
    return {label: chance / whole for label, chance in raised.items()}


class Unseen(NamedTuple):
    """What networks say about training lines whose author they had not learned. `known` says which lines these are:
    each network has kept answers for two of its four groups of authors. `opinions` are about these lines, one for each
    network.
    """

    known: NDArray[np.bool_]
    opinions: tuple[Floats, ...]


def unseen_opinions(rows: Sequence[LabelledText], labels: Sequence[str]) -> Unseen:
    """The kept opinions about training lines of one language, which come in the order of their files. A line counts as
    known if no network of the language had learned its author.
    """
    found = [_unseen_by(files, rows, labels) for files in networks_for(rows[0].lang)]
    known = np.all([np.isfinite(opinions[:, 0]) for opinions in found], axis=0)
    return Unseen(known, tuple(opinions[known] for opinions in found))


def _unseen_by(files: NetworkFiles, rows: Sequence[LabelledText], labels: Sequence[str]) -> Floats:
    """The kept opinions of one network. Lines of authors whom it had learned have no numbers."""
    kept, columns = kept_scores(files), [sorted(labels).index(label) for label in labels]
    places: dict[str, int] = {}
    found = np.full((len(rows), len(labels)), np.nan)
    for at, row in enumerate(rows):
        place, name = places.get(row.author, 0), kept_name(row.author, row.lang)
        places[row.author] = place + 1
        if name not in kept:
            continue
        if place >= len(kept[name]):
            raise bad_file(files.unseen, f"no scores for line {place + 1} of author {name}; make them (tools/encoder)")
        found[at] = shares(kept[name][place][columns])
    if np.isnan(found).all():
        raise bad_file(files.unseen, f"no scores for lines in the language '{rows[0].lang}'; make them (tools/encoder)")
    return found


def kept_name(author: str, lang: str) -> str:
    """The name under which an author's scores in one language are kept: the author for English."""
    return author if lang == "en" else f"{author}-{lang}"


def kept_scores(files: NetworkFiles) -> dict[str, Floats]:
    """The kept scores of each author's lines in one language (see `kept_name`), in the order of the labels' names."""
    with np.load(io.BytesIO(package_file(PACKAGE, f"data/guard/{files.unseen}").read_bytes())) as file:
        return {author: file[author].astype(np.float64) for author in file.files}
