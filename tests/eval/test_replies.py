"""First and later tries are counted separately for each prompt."""

from __future__ import annotations

from polyclinic.core.field_by_field import ToldInWords
from polyclinic.core.model import BY_CALL, TOOLS_IN_WORDS, ModelKind
from polyclinic.core.transcript import Called, ToolUsed, Transcript
from polyclinic.eval.replies import count_replies, reply_section, tool_rows
from polyclinic.eval.results import CastMember, EpisodeRow, RunResults
from polyclinic.eval.sections import Paragraph, Table


def called(
    prompt: str, attempt: int, fault: str = "", tool_calls: tuple[str, ...] = (), adapted: tuple[str, ...] = ()
) -> Called:
    return Called(
        role="student-2",
        prompt=prompt,
        model="m",
        key="k",
        occurrence=0,
        text="",
        attempt=attempt,
        fault=fault,
        tool_calls=tool_calls,
        adapted=adapted,
    )


CALLS = [
    called("Asks", 0),
    called("Asks", 0, "cut"),
    called("Asks", 1),
    called("Asks", 0, "form"),
    called("Asks", 1, "form"),
    called("Asks", 2, "run-on"),
    called("Acts", 0, tool_calls=("leaflet",)),
    called("Acts", 0, adapted=("pictures told in words",)),
]


def test_each_requested_reply_counts_once_and_tool_calls_do_not_count() -> None:
    counts = count_replies(CALLS)
    asks, acts = counts["student", "Asks"], counts["student", "Acts"]
    assert (asks.asked, asks.taken[0], asks.taken[1], asks.never) == (3, 1, 1, 1)
    assert asks.faults == {"cut": 1, "form": 2, "run-on": 1}
    assert (acts.asked, acts.first, acts.read) == (1, 1.0, 1.0)


def test_a_form_completed_in_plain_words_counts_as_read_and_is_counted_separately() -> None:
    asks = count_replies(CALLS, [ToldInWords(role="student-2", prompt="Asks", fields=("reason",))])["student", "Asks"]
    assert (asks.asked, asks.in_words, asks.never, asks.read) == (3, 1, 0, 1.0)


def used(tool: str) -> ToolUsed:
    return ToolUsed(role="student-2", tool=tool, effect="read", arguments={})


def test_the_report_says_how_tools_were_used() -> None:
    calls = [
        called("Acts", 0, tool_calls=("leaflet", "leaflet")),
        called("Acts", 0, tool_calls=("diary",), adapted=(TOOLS_IN_WORDS,)),
        called("Acts", 0, tool_calls=("move",), adapted=(BY_CALL,)),
        called("Acts", 0, tool_calls=("cancel",), fault="form"),
    ]
    tools = ["leaflet", "leaflet", "diary", "cancel", "move", "move"]
    assert tool_rows(calls, [used(tool) for tool in tools]) == [
        ["student", "leaflet", 2, "native"],
        ["student", "diary", 1, "in words"],
        ["student", "cancel", 1, "closed reply"],
        ["student", "move", 2, "native 1, closed reply 1"],
    ]


def test_a_form_that_was_answered_by_a_tool_call_counts_as_a_reply() -> None:
    calls = [called("Acts", 0, tool_calls=("move",), adapted=(BY_CALL,)), called("Acts", 0, tool_calls=("leaflet",))]
    count = count_replies(calls)["student", "Acts"]
    assert (count.asked, count.first, count.adapted) == (1, 1.0, {})


def results(kind: ModelKind) -> RunResults:
    row = EpisodeRow("e", "s", "v", source=Transcript(CALLS))
    return RunResults(run="r", clinic="demo", cast=(CastMember("student", "m", kind),), episodes=(row,))


def test_the_report_shows_the_table_for_models_and_says_what_was_adapted() -> None:
    section = reply_section(results("llm"))
    assert section is not None
    table, warning = section.body
    assert isinstance(table, Table)
    assert isinstance(warning, Paragraph)
    assert table.rows[0][:7] == ["student", "Asks", 3, "33.3%", 1, 0, 1]
    assert "pictures told in words in 1 calls" in warning.text


def test_understudies_have_no_table_of_replies() -> None:
    assert reply_section(results("understudy")) is None
