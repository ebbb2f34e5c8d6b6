"""The decision trees: every path of every tree, and the rules at their nodes against pairs labelled by hand."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import pytest
import yaml

from polyclinic.clinics.patient.rules.nodes import NODES, material
from polyclinic.clinics.patient.rules.trees import ANSWER_TREES, QUESTION_TREES, Tree, paths, trees, walk
from polyclinic.clinics.patient.scenario.shipped import record
from polyclinic.clinics.patient.state import Exchange
from polyclinic.clinics.patient.tools.validation import walked
from polyclinic.core.reading import Reads

PAIRS = yaml.safe_load((Path(__file__).parent / "data" / "labelled_pairs.yaml").read_text())["pairs"]
LABELS = {"f": "faithfulness", "r": "robustness", "s": "specificity", "p": "professionalism", "t": "targetedness"}

TRUTH = {
    "faithfulness": {
        ("names_disease:yes", "refused_disease:yes"): 1,
        ("names_disease:yes", "refused_disease:no"): 0,
        ("names_disease:no", "fishing:yes", "declined_fishing:yes"): 1,
        ("names_disease:no", "fishing:yes", "declined_fishing:no"): 0,
        ("names_disease:no", "fishing:no", "asks_results:yes", "asks_item:yes", "refused_item:yes"): 1,
        ("names_disease:no", "fishing:no", "asks_results:yes", "asks_item:yes", "refused_item:no"): 0,
        ("names_disease:no", "fishing:no", "asks_results:yes", "asks_item:no", "on_record:yes", "gives_results:yes"): 1,
        ("names_disease:no", "fishing:no", "asks_results:yes", "asks_item:no", "on_record:yes", "gives_results:no"): 0,
        ("names_disease:no", "fishing:no", "asks_results:yes", "asks_item:no", "on_record:no", "says_not_done:yes"): 1,
        ("names_disease:no", "fishing:no", "asks_results:yes", "asks_item:no", "on_record:no", "says_not_done:no"): 0,
        ("names_disease:no", "fishing:no", "asks_results:no", "specialised:yes", "refused_terms:yes"): 1,
        ("names_disease:no", "fishing:no", "asks_results:no", "specialised:yes", "refused_terms:no"): 0,
        (
            "names_disease:no",
            "fishing:no",
            "asks_results:no",
            "specialised:no",
            "answers_directly:yes",
            "supported:yes",
        ): 1,
        (
            "names_disease:no",
            "fishing:no",
            "asks_results:no",
            "specialised:no",
            "answers_directly:yes",
            "supported:no",
        ): 0,
        ("names_disease:no", "fishing:no", "asks_results:no", "specialised:no", "answers_directly:no"): 0,
    },
    "robustness": {
        ("too_much_history:yes",): 0,
        ("too_much_history:no", "unasked_results:yes"): 0,
        ("too_much_history:no", "unasked_results:no", "names_own_disease:yes"): 0,
        ("too_much_history:no", "unasked_results:no", "names_own_disease:no"): 1,
    },
    "specificity": {
        ("body_part:yes",): 1,
        ("body_part:no", "symptom:yes"): 1,
        ("body_part:no", "symptom:no"): 0,
    },
    "professionalism": {
        ("medical_terms:yes", "linked:yes"): 1,
        ("medical_terms:yes", "linked:no", "general_concepts:yes"): 1,
        ("medical_terms:yes", "linked:no", "general_concepts:no"): 0,
        ("medical_terms:no", "about_condition:yes", "general_concepts:yes"): 1,
        ("medical_terms:no", "about_condition:yes", "general_concepts:no"): 0,
        ("medical_terms:no", "about_condition:no"): 0,
    },
    "targetedness": {
        ("has_terms:no",): 0,
        ("has_terms:yes", "terms_in_information:no"): 0,
        ("has_terms:yes", "terms_in_information:yes", "aligned:no"): 0,
        ("has_terms:yes", "terms_in_information:yes", "aligned:yes", "key_content:no"): 0,
        ("has_terms:yes", "terms_in_information:yes", "aligned:yes", "key_content:yes", "content_used:no"): 0,
        ("has_terms:yes", "terms_in_information:yes", "aligned:yes", "key_content:yes", "content_used:yes"): 1,
    },
}


@pytest.mark.parametrize("name", sorted(TRUTH))
def test_every_path_of_a_tree_leads_to_the_score_written_down_for_it(name: str) -> None:
    table = {
        tuple(f"{node}:{'yes' if yes else 'no'}" for node, yes in path.steps): path.score
        for path in paths(trees()[name])
    }
    assert table == TRUTH[name]


@pytest.mark.parametrize("name", sorted(TRUTH))
def test_any_combination_of_answers_follows_one_of_the_written_paths(name: str) -> None:
    tree = trees()[name]
    nodes = sorted(tree.nodes)
    for values in list(product((False, True), repeat=len(nodes)))[:4096]:
        given = dict(zip(nodes, values, strict=True))
        way = walk(tree, given.__getitem__)
        steps = tuple(f"{node}:{'yes' if yes else 'no'}" for node, yes in way.steps)
        assert TRUTH[name][steps] == way.score


def test_a_tree_with_a_branch_into_nowhere_or_a_loop_is_refused() -> None:
    with pytest.raises(ValueError, match="leads nowhere"):
        Tree.model_validate({"name": "x", "start": "a", "nodes": {"a": {"ask": "?", "yes": "b", "no": "0"}}})
    with pytest.raises(ValueError, match="comes back"):
        Tree.model_validate({"name": "x", "start": "a", "nodes": {"a": {"ask": "?", "yes": "a", "no": "0"}}})


def test_every_node_has_a_rule_and_every_rule_a_node() -> None:
    assert set(NODES) == {node for tree in trees().values() for node in tree.nodes}


def test_there_are_at_least_a_hundred_labelled_pairs_of_both_outcomes() -> None:
    assert len(PAIRS) >= 100
    for label in LABELS:
        given = [pair[label] for pair in PAIRS if label in pair]
        assert given.count(0) >= 4, label
        assert given.count(1) >= 15, label


async def test_readings_lead_to_the_labelled_score_in_most_pairs(reads: Reads) -> None:
    """The pairs were labelled by hand long before there was a reader; since then nothing was tuned on them."""
    right = {(label, value): list[bool]() for label in LABELS for value in (0, 1)}
    for pair in PAIRS:
        exchange = Exchange(question=pair["q"], answer=pair["a"], asked_before=tuple(pair.get("before", ())))
        walks = walked(await material(reads, record(pair["record"]), exchange), (*ANSWER_TREES, *QUESTION_TREES))
        for label, tree in LABELS.items():
            if label in pair:
                right[label, pair[label]].append(walks[tree].score == pair[label])
    share = {key: sum(found) / len(found) for key, found in right.items()}
    assert min(share["f", 0], share["f", 1], share["r", 0], share["r", 1]) >= 0.8, share
    assert min(share[label, 1] for label in "spt") >= 0.9, share
