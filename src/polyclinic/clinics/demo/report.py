"""This clinic's own part of a report, and the feedback for a person who played."""

from __future__ import annotations

from polyclinic.clinics.demo.rules import is_right, spoken
from polyclinic.clinics.demo.scenario import Call
from polyclinic.clinics.demo.state import DoseTold
from polyclinic.core.judge import Case
from polyclinic.core.transcript import Violated
from polyclinic.eval.charts import Bars
from polyclinic.eval.in_short import Phrases, Sentences, quoted
from polyclinic.eval.results import RunResults
from polyclinic.eval.sections import Figure, Paragraph, Section
from polyclinic.text.layout import number_of

ENDINGS = ("understood", "not_understood", "handed_over")
FEEDBACK: Sentences = {
    "held back": ("{words} was held back: {why}.", "{words} — 이 말은 전달되지 않았습니다: {why}."),
    "right dose": ("{words} has the leaflet's dose.", "{words} — 설명서의 용량과 같습니다."),
    "wrong dose": ("{words} is not the leaflet's dose.", "{words} — 설명서의 용량과 다릅니다."),
    "not understood": (
        "the caller did not understand how to take it.",
        "전화한 분이 복용법을 이해하지 못했습니다.",
    ),
    "say it so": (
        "say it as this caller would understand it: {plain}.",
        "이분이 알아들을 수 있게 말해 보세요: {plain}.",
    ),
    "other caller": (
        "take a call from somebody who understands numbers differently.",
        "숫자를 다르게 알아듣는 분의 전화를 받아 보세요.",
    ),
    "how it went": ("How it went", "어떻게 되었나"),
    "end understood": ("understood", "이해함"),
    "end not_understood": ("not understood", "이해하지 못함"),
    "end handed_over": ("handed over", "약사에게 넘김"),
    "ended": ("The call ended as: {outcome}.", "통화의 결과: {outcome}."),
    "you accepted": (
        "you said that you understood {words}, which has the leaflet's dose.",
        "{words} — 이 말을 이해했다고 하셨고, 설명서의 용량과 같습니다.",
    ),
    "you accepted wrong": (
        "you said that you understood {words}, which is not the leaflet's dose.",
        "{words} — 이 말을 이해했다고 하셨지만, 설명서의 용량과 다릅니다.",
    ),
    "you refused": (
        "you did not understand {words}, which has the leaflet's dose.",
        "{words} — 이 말을 이해하지 못하셨지만, 설명서의 용량과 같습니다.",
    ),
    "say it back": (
        "say the dose back in your own words before you hang up.",
        "전화를 끊기 전에 용량을 자신의 말로 다시 말해 보세요.",
    ),
}
"""The fixed sentences of the feedback, in English and in Korean."""


def report(results: RunResults) -> list[Section]:
    """One picture: how the calls of each variant ended."""
    variants = results.variant_names()
    shares = {
        ending.replace("_", " "): [_share(results, variant, ending) for variant in variants] for ending in ENDINGS
    }
    calls = ", ".join(f"{variant} {number_of(len(_outcomes(results, variant)), 'call')}" for variant in variants)
    figure = Figure(
        "How calls ended, by variant",
        Bars(variants, shares, y_label="share of calls", low=0, high=1, stacked=True),
        n=calls,
    )
    return [Section("Endings", [figure])]


def _outcomes(results: RunResults, variant: str) -> list[str]:
    return [episode.outcome for episode in results.of(variant=variant) if episode.status == "done"]


def _share(results: RunResults, variant: str, ending: str) -> float:
    outcomes = _outcomes(results, variant)
    return outcomes.count(ending) / len(outcomes) if outcomes else 0.0


def feedback(case: Case[Call], part: str, language: str) -> list[Section]:
    """Short feedback for the nurse or the caller; then how the call ended."""
    say = Phrases(language, FEEDBACK)
    ended = Paragraph(say("ended", outcome=say(f"end {case.transcript.outcome()}")))
    last = Section(say("how it went"), [ended])
    if part == "caller":
        return [_for_caller(case, say), say.your_words([said.text for said in case.transcript.said("caller")]), last]
    return [_for_nurse(case, say), last]


def _told(case: Case[Call]) -> list[tuple[str, bool]]:
    """What the nurse said, and whether it has the leaflet's dose."""
    told = [(said.text, dose) for said in case.transcript.said("nurse") if (dose := said.get(DoseTold)) is not None]
    return [(quoted(words), is_right(case.scenario.leaflet, dose.tablets, dose.times_a_day)) for words, dose in told]


def _for_nurse(case: Case[Call], say: Phrases) -> Section:
    """What was dangerous, good and missing, and what this caller would understand."""
    leaflet, told = case.scenario.leaflet, _told(case)
    wrong = [words for words, right in told if not right]
    understood = case.transcript.outcome() == "understood"
    plain = spoken(leaflet.tablets, leaflet.times_a_day, case.scenario.style)
    held = case.transcript.of(Violated)
    return say.in_short(
        danger=[say("held back", words=quoted(each.words), why=each.rationale) for each in held],
        good=[say("right dose", words=words) for words, right in told if right][:1],
        missing=[
            *(say("wrong dose", words=words) for words in wrong[:1]),
            *([] if understood else [say("not understood")]),
        ],
        next_step=say("other caller") if understood and not wrong else say("say it so", plain=plain),
    )


def _for_caller(case: Case[Call], say: Phrases) -> Section:
    """The caller is not scored; the feedback only says whether they accepted the right dose."""
    told = _told(case)
    understood = case.transcript.outcome() == "understood"
    last, right = told[-1] if told else ("", False)
    return say.in_short(
        danger=[say("you accepted wrong", words=last)] if last and understood and not right else (),
        good=[say("you accepted", words=last)] if understood and right else (),
        missing=[say("you refused", words=words) for words, fits in told if fits] if not understood else (),
        next_step=say("say it back"),
        unmeasured="caller",
    )
