"""The recruitment graphs keep their declared shape, however doctors try to call each other in."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polyclinic.clinics.patient.prompts.doctor.interview import Consults
from polyclinic.clinics.patient.prompts.patient.facts import Player, TalkSoFar
from polyclinic.clinics.patient.rules.recruitment import Bounds, RecruitmentGraph, Topology
from polyclinic.clinics.patient.scenario.disciplines import DISCIPLINES

FIRST = DISCIPLINES[0]
attempts = st.lists(st.tuples(st.sampled_from(DISCIPLINES[:8]), st.sampled_from(DISCIPLINES[:8])), max_size=60)
bounds = st.builds(Bounds, doctors=st.integers(1, 7), depth=st.integers(1, 5), per_doctor=st.integers(1, 4))


def grow(topology: Topology, tries: list[tuple[str, str]], limits: Bounds | None = None) -> RecruitmentGraph:
    graph = RecruitmentGraph(FIRST, topology, limits)
    for caller, called in tries:
        allowed = graph.objection(caller, called) == ""
        assert graph.call(caller, called) is allowed
    return graph


def edges(graph: RecruitmentGraph) -> list[tuple[str, str]]:
    return [(call.caller, call.called) for call in graph.calls]


@given(attempts)
def test_without_recruitment_no_colleague_is_called_in(tries: list[tuple[str, str]]) -> None:
    assert grow(Topology.NONE, tries).doctors == [FIRST]


@given(attempts, bounds)
@settings(max_examples=150)
def test_every_graph_is_acyclic_in_topological_order_and_within_bounds(
    tries: list[tuple[str, str]], limits: Bounds
) -> None:
    for topology in (Topology.CHAIN, Topology.TREE, Topology.DAG):
        graph = grow(topology, tries, limits)
        order = graph.order()
        assert sorted(order) == sorted(graph.doctors)
        place = {doctor: at for at, doctor in enumerate(order)}
        assert all(place[caller] < place[called] for caller, called in edges(graph))
        assert order[0] == FIRST
        assert len(graph.doctors) <= limits.doctors + 1
        assert all(len(graph.called_by(doctor)) <= limits.per_doctor for doctor in graph.doctors)
        assert len(set(edges(graph))) == len(edges(graph))


@given(attempts)
def test_information_never_flows_back(tries: list[tuple[str, str]]) -> None:
    for topology in (Topology.CHAIN, Topology.TREE, Topology.DAG):
        graph = grow(topology, tries)
        for doctor in graph.doctors:
            assert doctor not in graph.ancestors(doctor)
            for other in graph.ancestors(doctor):
                assert doctor not in graph.ancestors(other)
            assert FIRST in graph.ancestors(doctor) or doctor == FIRST


@given(attempts)
def test_a_chain_never_branches_or_joins(tries: list[tuple[str, str]]) -> None:
    graph = grow(Topology.CHAIN, tries, Bounds(doctors=7, depth=7, per_doctor=4))
    assert all(len(graph.called_by(doctor)) <= 1 for doctor in graph.doctors)
    assert all(len(graph.callers(doctor)) == (doctor != FIRST) for doctor in graph.doctors)
    assert len(edges(graph)) == len(graph.doctors) - 1


@given(attempts)
def test_a_tree_never_joins(tries: list[tuple[str, str]]) -> None:
    graph = grow(Topology.TREE, tries, Bounds(doctors=7, depth=7, per_doctor=4))
    assert all(len(graph.callers(doctor)) == (doctor != FIRST) for doctor in graph.doctors)
    assert len(edges(graph)) == len(graph.doctors) - 1


def test_a_dag_may_join_where_a_tree_may_not_and_a_tree_may_branch_where_a_chain_may_not() -> None:
    a, b, c = DISCIPLINES[1:4]
    tries = [(FIRST, a), (FIRST, b), (a, c), (b, c)]
    assert edges(grow(Topology.DAG, tries)) == tries
    assert edges(grow(Topology.TREE, tries)) == tries[:3]
    assert edges(grow(Topology.CHAIN, tries)) == [(FIRST, a), (a, c)]


def test_a_doctor_can_call_in_neither_themselves_nor_anybody_on_the_path_to_them() -> None:
    a, b = DISCIPLINES[1:3]
    graph = grow(Topology.DAG, [(FIRST, a), (a, b)])
    assert graph.objection(a, a) == "information would flow back"
    assert graph.objection(b, FIRST) == "information would flow back"
    assert graph.objection(b, a) == "information would flow back"
    assert "not in the consultation" in graph.objection(DISCIPLINES[5], a)


@pytest.mark.parametrize(
    ("reason", "because"),
    [
        ("the rash is not from my field.", ", because: the rash is not from my field."),
        ("", "."),
    ],
)
def test_a_colleague_reads_why_they_were_called_in(reason: str, because: str) -> None:
    asked = Consults(
        discipline="Dermatology", profile="", complaint="A rash.", earlier="", heard="", asked=(), pool=(),
        recommended=(), last=False, memory=TalkSoFar(), player=Player(), called_by=FIRST, reason=reason, notes=(),
    )  # fmt: skip
    assert f"The doctor of {FIRST} has called you in{because}\n" in asked.render()[0].content
    assert asked.for_human.startswith(f"{FIRST} called you in for Dermatology{because} Ask one question")
