"""Decision trees as data: small yes/no questions at the nodes, a score of 0 or 1 at the ends.

The yes/no questions may be answered by code, a model or a person: the walk is the same, and its path is recorded.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Literal

from pydantic import model_validator

from polyclinic.clinics.patient.scenario.shipped import data
from polyclinic.core.message import Frozen

TreeName = Literal["faithfulness", "robustness", "specificity", "professionalism", "targetedness"]
ANSWER_TREES: tuple[TreeName, ...] = ("faithfulness", "robustness")
QUESTION_TREES: tuple[TreeName, ...] = ("specificity", "professionalism", "targetedness")
_ENDS = {"0": 0, "1": 1}


class Node(Frozen):
    """One small question. A branch is another node's name, or the score."""

    ask: str
    yes: str
    no: str
    extension: bool = False


class Tree(Frozen):
    """A tree of questions with a start."""

    name: str
    start: str
    nodes: dict[str, Node]

    @model_validator(mode="after")
    def _whole(self) -> Tree:
        """Check that every branch leads somewhere, every node can be reached, and there is no cycle."""
        known = {*self.nodes, *_ENDS}
        for name, node in self.nodes.items():
            for branch in (node.yes, node.no):
                if branch not in known:
                    raise ValueError(f"{self.name}: the branch '{branch}' of '{name}' leads nowhere")
        reached = {step for path in paths(self) for step, _ in path.steps}
        if reached != set(self.nodes):
            raise ValueError(f"{self.name}: nothing leads to {', '.join(sorted(set(self.nodes) - reached))}")
        return self


class Walk(Frozen):
    """One walk through a tree: each visited node with its answer, and the score at the end."""

    tree: str
    steps: tuple[tuple[str, bool], ...]
    score: int


def walk(tree: Tree, answer: Callable[[str], bool]) -> Walk:
    """Follow the answers from the start to a score."""
    steps: list[tuple[str, bool]] = []
    at = tree.start
    while at not in _ENDS:
        yes = answer(at)
        steps.append((at, yes))
        at = tree.nodes[at].yes if yes else tree.nodes[at].no
    return Walk(tree=tree.name, steps=tuple(steps), score=_ENDS[at])


def paths(tree: Tree) -> Iterator[Walk]:
    """Every way through the tree: its truth table."""

    def follow(at: str, steps: tuple[tuple[str, bool], ...]) -> Iterator[Walk]:
        if at in _ENDS:
            yield Walk(tree=tree.name, steps=steps, score=_ENDS[at])
            return
        if at in {node for node, _ in steps}:
            raise ValueError(f"{tree.name}: the tree has a cycle: it comes back to '{at}'")
        node = tree.nodes[at]
        yield from follow(node.yes, (*steps, (at, True)))
        yield from follow(node.no, (*steps, (at, False)))

    yield from follow(tree.start, ())


@lru_cache(maxsize=1)
def trees() -> dict[str, Tree]:
    """The five trees, by name."""
    raw = data("trees.yaml")
    return {
        name: Tree(
            name=name,
            start=tree["start"],
            nodes={
                node: Node(ask=body["ask"], yes=body["yes"], no=body["no"], extension=body.get("extension") == "true")
                for node, body in tree["nodes"].items()
            },
        )
        for name, tree in raw.items()
    }
