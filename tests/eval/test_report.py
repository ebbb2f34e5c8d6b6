from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from itertools import pairwise

import pytest

from polyclinic.core.judge import Metric
from polyclinic.core.transcript import (
    Called,
    Changed,
    Ended,
    Event,
    Failed,
    Learned,
    Noted,
    Posted,
    Reviewed,
    Said,
    Score,
    Scored,
    Started,
    ToolUsed,
    Transcript,
    Violated,
)
from polyclinic.eval.charts import Bars, HeatMap
from polyclinic.eval.criteria import Criterion, Rubric
from polyclinic.eval.estimate import Estimate
from polyclinic.eval.html import render_html
from polyclinic.eval.html_blocks import render_block
from polyclinic.eval.overview import NOT_CLINICAL, UNDERSTUDIES, choose_transcripts
from polyclinic.eval.reading import event_line, transcript_blocks
from polyclinic.eval.report import RunReport, build_report, consistency_section, report_to_plain
from polyclinic.eval.results import CastMember, EpisodeRow, Failure, RoleUsage, RunResults
from polyclinic.eval.sections import Details, Dialogue, Diff, Figure, Grid, Line, Paragraph, Section, Table
from polyclinic.eval.terminal import block_text, render_terminal, table_text
from polyclinic.text.layout import columns_of
from tests.eval.conftest import CHARTS, EVIL, SPAN


class Balanced(HTMLParser):
    """A parser that fails on a wrongly nested tag; collects tags, ids, links and attributes."""

    VOID = frozenset({"meta", "br", "hr", "img", "link", "rect", "line", "circle", "path", "polygon"})

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[str] = []
        self.ids: list[str] = []
        self.links: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        found = dict(attrs)
        self.ids += [value for name, value in attrs if name == "id" and value]
        self.links += [str(found[name]) for name in ("href", "src", "xlink:href") if name in found]
        assert not any(name.startswith("on") for name in found), found
        if tag not in self.VOID or tag in {"rect", "circle", "polygon", "line", "path"}:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)

    def handle_endtag(self, tag: str) -> None:
        while self.open and self.open[-1] == "meta" != tag:
            self.open.pop()
        assert self.open and self.open[-1] == tag, (tag, self.open[-4:])
        self.open.pop()


def events() -> list[Event]:
    score = Score(metric="warmth", value=4, judge="bedside", reason=EVIL, evidence=("quoted words",))
    return [
        Started(clinic="demo", scenario="s", variant="v", trial=0, seed=1, cast={}),
        Called(role="nurse", prompt="Greets", model="m", key="k", occurrence=0, text="hidden raw reply"),
        Said(speaker="nurse", to="patient", text=EVIL, data={"mood": "calm"}),
        ToolUsed(role="nurse", tool="find", effect="read", arguments={"a": 1}, result=[1]),
        ToolUsed(role="nurse", tool="book", effect="write", arguments={}, error="slot taken"),
        Noted(topic="plan_made", data={"steps": 2}),
        Changed(what="slot", before="free", after="busy"),
        Reviewed(draft=1, reviewer="critic", approved=False, code="TONE_of_voice", feedback="softer"),
        Reviewed(draft=2, reviewer="critic", approved=True),
        Violated(rule="SAFE-1", by="nurse", severity=3, words="you will be fine", rationale="reassured too early"),
        Learned(library="tips", action="added", entry="t1", reason="worked"),
        Posted(queue="nurse-desk", key="1", body={"why": "risk"}),
        Failed(owner="tool", error="slot taken", fatal=False),
        Ended(outcome="booked", data={"slot": 3}),
        Scored(score=score),
    ]


def results(clinic: str = "demo", episodes: int = 6) -> RunResults:
    rows = [
        EpisodeRow(
            id=f"{variant}-{i}",
            scenario=f"s{i}",
            variant=variant,
            scores=tuple(
                Score(metric="warmth", value=2 + (variant == "full") + 0.1 * i + 0.2 * k, judge="j", sample=k)
                for k in (0, 1)
            ),
            outcome="booked",
            usage={"nurse": RoleUsage(2, 20, 4)},
            source=Transcript(events()),
        )
        for variant in ("plain", "full")
        for i in range(episodes)
    ]
    rows.append(
        EpisodeRow(
            id="bad",
            scenario="s9",
            variant="plain",
            status="failed",
            failures=(Failure("model", f"down {EVIL}"),),
            source=Transcript([Failed(owner="model", error="down")]),
        )
    )
    return RunResults(
        run="run-7",
        clinic=clinic,
        cast=(CastMember("nurse", "openai:gpt-5-mini", "llm"), CastMember("judge", "understudy", "understudy")),
        variants=("plain", "full"),
        metrics=(Metric("warmth", "how warm", low=1, high=5),),
        episodes=tuple(rows),
        config={"seed": 7},
        about="About " + EVIL,
    )


def sections() -> list[Section]:
    charts = [Figure(f"Figure {EVIL}", chart) for chart in CHARTS]
    return [
        Section(
            f"Own part {EVIL}",
            [
                Paragraph("one\n\ntwo", tone="warning"),
                *charts,
                Grid(charts[:2]),
                Table("Levels", ["level", "success", "n"], [["primary", SPAN, 3], [EVIL, None, 1200]], note="a note"),
                Diff("same\nold", "same\nnew", "the prompt"),
                Details("Folded", [Dialogue([Line("tutor", EVIL, aside="thinking", tone="warning")], "talk")]),
            ],
        ),
        Section(f"Own part {EVIL}", [Paragraph("a second one with the same title")]),
    ]


def report(**options: int) -> RunReport:
    return build_report(results(), sections(), title="Demo clinic", **options)  # type: ignore[arg-type]


def parsed(page: str) -> Balanced:
    found = Balanced()
    found.feed(page)
    assert found.open == []
    return found


def test_the_page_is_well_formed_without_script_or_outside_asset() -> None:
    page = render_html([report()])
    found = parsed(page)
    assert "script" not in found.tags and "<script" not in page
    assert {"link", "img", "iframe"}.isdisjoint(found.tags)
    assert all(link.startswith("#") for link in found.links)
    assert "@import" not in page and "url(" not in page
    outside = set(re.findall(r"https?://[^\s\"'<)]+", page))
    assert outside <= {"http://www.w3.org/2000/svg"}


def test_every_link_of_the_contents_has_a_target_and_ids_are_unique() -> None:
    for page in (render_html([report()]), render_html([report(), report()], "Several")):
        found = parsed(page)
        assert len(found.ids) == len(set(found.ids))
        assert {link[1:] for link in found.links} <= set(found.ids)


def test_the_top_of_the_page_names_the_cast_the_understudies_and_the_notice() -> None:
    page = render_html([report()])
    top = page[: page.index(">Results</h2>")]
    assert NOT_CLINICAL in top and UNDERSTUDIES in top
    assert "Played by understudies: judge." in top and "openai:gpt-5-mini" in top
    assert "12" in top and "of which 1 failed" in top


def test_without_understudies_nothing_is_said_about_them() -> None:
    plain = results()
    cast = (CastMember("nurse", "openai:gpt-5-mini", "llm"),)
    page = render_html([build_report(RunResults(run="r", clinic="c", cast=cast, episodes=plain.episodes))])
    assert UNDERSTUDIES not in page


def test_headings_go_down_one_level_at_a_time() -> None:
    for reports in ([report()], [report(), report()]):
        levels = [int(tag[1]) for tag in parsed(render_html(reports)).tags if re.fullmatch(r"h[1-6]", tag)]
        assert levels[0] == 1 and levels.count(1) == 1
        assert all(later - earlier <= 1 for earlier, later in pairwise(levels))


def test_several_runs_make_one_page_with_an_overview() -> None:
    other = build_report(results("frontdesk"), title="Front desk")
    page = render_html([report(), other], "Polyclinic demo")
    assert page.count("<article") == 2 and ">Overview<" in page
    overview = page[page.index(">Overview<") : page.index("<article")]
    assert "higher is better: " in overview and "n = " in overview, "it says what was found, not only what was run"
    first = overview[: overview.index("<details")]
    assert first.count("How warm") >= 2 and first.count("<svg") == 2, "each run has a sentence and a picture"
    for part in page.split("<article")[1:]:
        assert part.index("What was found") < part.index("All tables, pictures") < part.index(">Transcripts<")
        assert part.rstrip().removesuffix("</main>").count("<details") == part.count("</details>")
    assert page.index("Demo clinic") < page.index("Front desk")


def test_a_report_without_runs_is_still_a_page() -> None:
    page = render_html([])
    parsed(page)
    assert "<article" not in page and "not for clinical use" in page


def test_a_run_without_scores_says_so() -> None:
    empty = build_report(RunResults(run="r", clinic="c"))
    assert "No episode was scored." in render_html([empty]) and "No episode was scored." in render_terminal(empty)


def test_failures_are_counted_by_owner_with_examples() -> None:
    page, text = render_html([report()]), render_terminal(report())
    for shown in (page, text):
        assert "1 of 13 episodes failed" in shown and "Failures by owner" in shown
    clean = results()
    fine = RunResults(run="r", clinic="c", episodes=tuple(e for e in clean.episodes if e.status == "done"))
    assert "None: all 12 episodes ended" in render_html([build_report(fine)])


def test_text_from_transcripts_cannot_become_markup() -> None:
    page = render_html([report()])
    assert "<script>alert" not in page and "&lt;script&gt;alert" in page


def test_every_event_a_reader_needs_is_shown_and_raw_replies_are_not() -> None:
    blocks = transcript_blocks(Transcript(events()))
    page = "".join(render_block(block) for block in blocks)
    words = (
        "nurse to patient", "used find", "slot taken", "plan made", "sent back (TONE of voice)", "approved draft 3",
        "broke SAFE-1", "tips: added t1", "to nurse-desk", "failure (tool)", "booked", "quoted words",
        "reassured too early",
    )  # fmt: skip
    for word in words:
        assert word in page, word
    assert "hidden raw reply" not in page


def test_long_transcripts_are_cut_and_say_so() -> None:
    talk = Transcript([Said(speaker="a", text="x" * 5000)] * 200)
    page = "".join(render_block(block) for block in transcript_blocks(talk))
    assert "120 more events are not shown here." in page and "3,800 more characters" in page
    assert len(page) < 200_000


def test_the_sample_shows_a_failed_the_weakest_and_the_best_episode() -> None:
    chosen = choose_transcripts(results(), "plain", 3)
    assert [(label, episode.id) for label, episode in chosen] == [
        ("failed", "bad"), ("weakest in warmth", "plain-0"), ("best in warmth", "plain-5"),
    ]  # fmt: skip
    assert len(choose_transcripts(results(), "plain", 50)) == 7
    assert choose_transcripts(results(), "plain", 0) == []


def test_the_page_stays_small_however_many_episodes_there_are() -> None:
    small, large = (len(render_html([build_report(results(episodes=n))])) for n in (6, 300))
    assert large < small * 1.2 < 200_000


def test_the_terminal_shows_tables_sections_and_folded_parts_by_name() -> None:
    text = render_terminal(report())
    for words in (
        NOT_CLINICAL,
        UNDERSTUDIES.split(":")[0],
        "warmth ↑",
        "Levels",
        "[+] Folded",
        "-old",
        "+new",
        "Usage by role",
    ):
        assert words in " ".join(text.split()), words
    assert "thinking" not in text
    assert "tutor: <script>" in render_terminal(report(), whole=True)


def test_terminal_tables_align_wide_characters() -> None:
    text = table_text(Table("", ["이름", "n"], [["김민수", 1], ["Ann", 1000]]))
    _, rule, *rows = text.splitlines()
    assert {columns_of(line) for line in (rule, *rows)} == {columns_of(rule)}
    assert rows[0].endswith("    1") and rows[1].endswith("1,000")


def test_long_cells_wrap_at_words_and_nothing_of_them_is_cut() -> None:
    english = "Have an urgent lithium level and kidney test now, before you go home, and call us if you begin to vomit."
    korean = "심폐소생술은 멈춘 심장을 다시 뛰게 하려는 처치이지만, 진행된 암에서는 살아서 퇴원하는 분이 적습니다."
    table = Table("", ["who", "words"], [["trainee", english], ["doctor", korean], ["nurse", "x" * 130]])
    lines = table_text(table).splitlines()
    assert max(columns_of(line) for line in lines) <= 9 + 60
    words = [line[9:].strip() for line in lines]
    assert english in " ".join(words) and korean in " ".join(line.strip() for line in lines).replace("doctor   ", "")
    assert "x" * 130 in "".join(words) and "…" not in table_text(table)
    assert [line.split()[0] for line in lines if line[:1].strip()][2:] == ["trainee", "doctor", "nurse"]


def test_an_interval_never_reads_as_if_both_ends_were_the_same() -> None:
    tight, alike = Estimate(0.851, 0.8492, 0.8531, 30), Estimate(0.85, None, None, 2)
    table = Table("", ["v", "minutes"], [["a", tight], ["b", alike]], digits=2)
    assert "0.85 [0.84, 0.86]" in table_text(table)
    assert "0.85 <small>0.84 to 0.86</small>" in render_block(table)


def test_an_interval_of_width_zero_is_not_shown() -> None:
    table = Table("", ["v", "rank"], [["a", Estimate(-1.0, -1.0, -1.0, 3)]])
    assert "-1.00" in table_text(table) and "[" not in table_text(table) and " to " not in render_block(table)


def test_large_numbers_have_no_decimals() -> None:
    text = table_text(Table("", ["v", "tokens", "share"], [["a", 4985.52, 0.125], ["b", 121.4, 120.0]]))
    assert "4,986" in text and "121" in text and "121.4" not in text
    assert "0.125" in text and "120" in text and "120.000" not in text


def test_wide_terminal_tables_are_split_and_repeat_the_first_column() -> None:
    wide = Table("wide", ["metric", *(f"variant-{i}" for i in range(12))], [["warmth", *([SPAN] * 12)]])
    text = table_text(wide, 80)
    assert max(len(line) for line in text.splitlines()) <= 80
    assert text.count("warmth") > 1 and text.count("0.500 [0.400, 0.600]") == 12


def test_a_line_of_a_table_may_end_after_a_stroke() -> None:
    html = render_block(Table("t", ["of", "blood/cancer"], [["a/b", 1], ["1/2", 2]]))
    assert "blood/<wbr>cancer</th>" in html and "<th scope=row>a/<wbr>b</th>" in html
    assert "<th scope=row class=whole>1/2</th>" in html


def test_whole_numbers_lose_their_decimals_only_when_the_column_is_whole() -> None:
    text = table_text(Table("", ["a", "b"], [[1.0, 1.0], [2.0, 2.5]]))
    assert text.splitlines()[-1].split() == ["2", "2.50"]


def test_a_row_of_the_wrong_length_is_refused_when_made() -> None:
    with pytest.raises(ValueError, match="row 1 has 1 cells under 2 columns"):
        Table("t", ["a", "b"], [[1, 2], [1]])
    with pytest.raises(ValueError, match="series 'a' has 1 values instead of 2"):
        Bars(["x", "y"], {"a": [1]})
    with pytest.raises(ValueError, match="row 'r' has 1 values under 2 columns"):
        HeatMap(["r"], ["a", "b"], [[1]])


def test_the_json_keeps_the_stable_keys_first_and_holds_the_sections() -> None:
    plain = report_to_plain(report())
    assert list(plain)[:6] == ["run", "clinic", "cast", "variants", "failures", "usage"]
    assert plain["understudies"] == ["judge"]
    body = plain["sections"][0]["body"]
    assert body[1]["kind"] == "figure" and body[1]["chart"]["kind"] == "bars"
    assert plain["comparisons"]["full"][0]["difference"] == pytest.approx(1.0)
    json.dumps(plain, allow_nan=False)


def test_the_same_results_give_the_same_bytes() -> None:
    assert render_html([report()]) == render_html([report()])
    assert render_terminal(report()) == render_terminal(report())


def test_a_started_event_is_not_shown() -> None:
    assert event_line(events()[0]) is None


def test_a_terminal_shows_a_figure_as_numbers_and_a_point_cloud_by_its_number_of_points() -> None:
    assert "0.500 [0.400, 0.600]" in block_text(Figure("c", CHARTS[0]))
    assert "2 points" in block_text(Figure("c", CHARTS[7]))


def test_an_unchanged_text_has_no_diff() -> None:
    assert "No change." in render_block(Diff("a", "a")) and "No change." in block_text(Diff("a", "a"))


def test_distant_changes_are_shown_separately() -> None:
    before = "\n".join(str(i) for i in range(30))
    lines = Diff(before, before.replace("2\n", "two\n", 1).replace("27", "x")).lines()
    assert " ⋯" in lines and "-27" in lines and "+x" in lines and not any(line.startswith("@@") for line in lines)


def test_repeated_readings_show_how_consistent_the_judges_are() -> None:
    section = consistency_section(results())
    assert section is not None
    (table, _) = section.body
    assert isinstance(table, Table)
    ((metric, readings, spread, alpha, episodes, _),) = table.rows
    assert (metric, readings, episodes) == ("warmth", 2, 12) and spread == pytest.approx(0.2 / 2**0.5)
    assert isinstance(alpha, Estimate) and alpha.mean > 0.8
    single = RunResults(
        run="r", clinic="c", episodes=(EpisodeRow("e", "s", "v", scores=(Score(metric="m", value=1, judge="j"),)),)
    )
    assert consistency_section(single) is None


def test_a_metric_with_a_short_name_is_shown_in_words_and_a_packet_for_raters_stays_as_it_was() -> None:
    assert Metric("nvr", "", title="messages that break a norm").label == "messages that break a norm (nvr)"
    assert Metric("false_alarm", "").label == "false alarm"
    criterion = Criterion(
        id="IS-3", question="?", low=0, high=1, anchors={"0": "no", "1": "yes"}, title="open question"
    )
    assert "title" not in criterion.model_dump()
    assert "open question (is_3)" in {m.label for m in Rubric(id="r", title="r", criteria=(criterion,)).metrics()}


@pytest.mark.parametrize("width", [60, 80])
def test_no_line_of_words_is_wider_than_the_terminal(width: int) -> None:
    text = render_terminal(report(), width)
    wide = [line for line in text.splitlines() if columns_of(line) > width and not re.search(r"---|  ", line)]
    assert wide == []
    folded = Details("full: " + "a long summary " * 8, [Paragraph("inside")])
    for whole in (False, True):
        assert all(columns_of(line) <= width for line in block_text(folded, width, whole).splitlines())
