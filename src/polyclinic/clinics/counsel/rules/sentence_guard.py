"""The guard's second opinion on English messages: a small network that reads whole sentences.

Weights over n-grams and a network over sentences err on different messages. Together they leave more harmless messages
alone while they find as much danger. The network is made with `tools/encoder` on a GPU. Its weights are an input of
``polyclinic train guard``, and so are its answers about authors that it had not learned: the levels are set with these.
"""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from functools import cache

import numpy as np

from polyclinic.clinics.counsel.scenario import PACKAGE
from polyclinic.core.files import bad_file, package_file
from polyclinic.reading.encoder import SentenceEncoder, load_encoder
from polyclinic.reading.label_training import LabelledText
from polyclinic.reading.text_labels import Floats, shares

NETWORK, UNSEEN = "guard_encoder.npz", "guard_unseen.npz"
ENGLISH = "en"
SHARE = 0.45
"""How much the network counts beside the n-grams. Chosen on left-out authors, where 0.35 to 0.5 did nearly the same."""
_LEAST = 1e-6


@cache
def sentence_network() -> SentenceEncoder:
    """The shipped network. Its columns are the guard's labels."""
    return load_encoder(package_file(PACKAGE, f"data/guard/{NETWORK}").read_bytes(), NETWORK)


def sentence_scores(text: str, labels: Sequence[str]) -> Floats:
    """The network's score of each label for one text."""
    found = (sentence_network().alone(text, label, "", "") for label in labels)
    return np.array([0.0 if score is None else score for score in found])


def joined(by_grams: Floats, by_sentences: Floats) -> Floats:
    """Both opinions as one probability of each label: a weighted geometric mean, in each row."""
    return shares((1 - SHARE) * np.log(by_grams + _LEAST) + SHARE * np.log(by_sentences + _LEAST))


def network_opinion(text: str, labels: Sequence[str]) -> dict[str, float]:
    """The network's probability of each label for one English text."""
    return dict(zip(labels, shares(sentence_scores(text, labels)).tolist(), strict=True))


def together(by_grams: Mapping[str, float], by_sentences: Mapping[str, float]) -> dict[str, float]:
    """Both opinions about one text as one. Both have the same labels in the same order."""
    both = joined(*(np.array(list(opinion.values())) for opinion in (by_grams, by_sentences)))
    return dict(zip(by_grams, both.tolist(), strict=True))


def unseen_scores(rows: Sequence[LabelledText], labels: Sequence[str]) -> Floats:
    """The network's scores of training lines. Each line was read by a network that had not learned its author.

    `rows` are the English training lines in the order of their files.
    """
    content = package_file(PACKAGE, f"data/guard/{UNSEEN}").read_bytes()
    columns = [sentence_network().columns.index(label) for label in labels]
    taken: dict[str, int] = {}
    found = []
    with np.load(io.BytesIO(content)) as kept:
        by_author = {author: kept[author].astype(np.float64) for author in kept.files}
    for row in rows:
        place = taken.get(row.author, 0)
        taken[row.author] = place + 1
        if place >= len(by_author.get(row.author, ())):
            raise bad_file(UNSEEN, f"no scores for line {place + 1} of author {row.author}; make them (tools/encoder)")
        found.append(by_author[row.author][place][columns])
    return np.array(found)
