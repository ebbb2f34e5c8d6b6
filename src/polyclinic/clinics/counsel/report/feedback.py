"""Feedback for a person who played the counsellor: first a summary, then details. `parts` has the other roles."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from polyclinic.clinics.counsel.prompts.reviewers import LABEL_WORDS
from polyclinic.clinics.counsel.report.parts import (
    decisions,
    for_critic,
    for_guard,
    for_keeper,
    for_patient,
    for_planner,
    refused_drafts,
)
from polyclinic.clinics.counsel.rules.messages import names_of, stage_words
from polyclinic.clinics.counsel.rules.notes import Guarded, Replied
from polyclinic.clinics.counsel.scenario import Lang, Talk
from polyclinic.clinics.counsel.state import STAGES
from polyclinic.core.judge import Case
from polyclinic.core.transcript import Reviewed, Said, Scored
from polyclinic.eval.in_short import MOST, Phrases, Sentences, quoted
from polyclinic.eval.sections import Section
from polyclinic.text.sentences import is_question, sentences

FEEDBACK: Sentences = {
    **{f"label {label}": (words, LABEL_WORDS["ko"][label]) for label, words in LABEL_WORDS["en"].items()},
    **{f"stage {name}": (words, names_of("stages", "ko")[name]) for name, words in names_of("stages", "en").items()},
    **{
        f"subject {name}": (words, names_of("subjects", "ko")[name])
        for name, words in names_of("subjects", "en").items()
    },
    "part critic": ("critic", "검토자"),
    "part patient": ("patient", "환자"),
    # the counsellor
    "you said": ("you said {words}", "이렇게 말씀하셨습니다: {words}"),
    "felt": ("you responded to their feelings.", "마음을 알아주셨습니다."),
    "not felt": ("strong feelings were left without an answer.", "강한 감정에 답하지 않고 지나갔습니다."),
    "slipped": ("be careful with words like {words}.", "{words} — 조심해야 할 말입니다."),
    "objection": ("{words}", "{words}"),
    "raised": ("{words} was said; the guard: {why}", "{words} — 이 말에 대한 안전 담당의 판단: {why}"),
    "feeling first": (
        "name the feeling first, then inform, then ask.",
        "먼저 마음을 알아주고, 그다음 알려 드리고, 그다음 물어보세요.",
    ),
    "not reached": (
        "{count} of {all} stages were not reached. The first of them: {goal}",
        "{all}단계 가운데 {count}단계에 이르지 못했습니다. 그 첫 단계: {goal}",
    ),
    "next stage": ("lead the talk one stage further: {goal}", "대화를 한 단계 더 이끌어 보세요: {goal}"),
    "harder": (
        "try a harder talk: a person in danger.",
        "더 어려운 대화를 해 보세요. 위험에 놓인 분의 사례가 있습니다.",
    ),
    "feedback": ("Feedback", "피드백"),
    "drafts": ("Drafts that the critic refused, and how to improve them", "검토자가 돌려보낸 초안과 고칠 점"),
    "guard raised": ("What the guard raised", "안전 담당이 알린 것"),
    "risk": ("risk", "위험"),
    "risk r1": ("facts", "사실"),
    "risk r2": ("the person's choice", "본인의 선택"),
    "risk r3": ("feelings", "마음"),
    "turn": ("turn", "차례"),
    "way": ("way", "조치"),
    "words": ("words", "말"),
    "why": ("why", "이유"),
    "way go_on": ("go on", "계속"),
    "way ask_gently": ("ask gently", "조심스럽게 묻기"),
    "way escalate": ("call a person", "사람을 부르기"),
    # the guard
    "missed danger": (
        "the person said {words}, and nobody was called.",
        "{words} — 이 말을 들었지만 아무도 부르지 않았습니다.",
    ),
    "saw danger": ("you called a person when they said {words}", "{words} — 이 말에 사람을 불렀습니다."),
    "false alarm": (
        "you called a person, although this talk holds no danger: {words}",
        "이 대화에는 위험이 없는데 사람을 불렀습니다: {words}",
    ),
    "no alarm": (
        "this talk holds no danger, and you called nobody.",
        "이 대화에는 위험이 없고, 아무도 부르지 않았습니다.",
    ),
    "not their words": (
        "you quoted {words}, which they did not say.",
        "{words} — 그분이 하지 않은 말을 근거로 들었습니다.",
    ),
    "guard next": (
        "quote the words that decide before you choose a label.",
        "표시를 고르기 전에 결정적인 말을 그대로 옮겨 적으세요.",
    ),
    "decisions": ("Your decisions", "판단"),
    "no decision": ("Nobody asked you.", "판단할 일이 없었습니다."),
    # the planner
    "followed": (
        "{followed} of {all} turns went where you planned.",
        "{all}번 가운데 {followed}번은 계획대로 갔습니다.",
    ),
    "refused plan": (
        "you planned {to} because of {words}; the order or the words did not allow it.",
        "{words} — 이 말로 {to} 단계를 골랐지만, 순서나 말이 맞지 않았습니다.",
    ),
    "no quote": (
        "you planned {to} without quoting words of theirs that call for it.",
        "근거가 되는 그분의 말 없이 {to} 단계를 골랐습니다.",
    ),
    "planner next": (
        "copy the words that call for the step, and take one step at a time.",
        "근거가 되는 말을 그대로 옮겨 적고, 한 번에 한 단계씩 가세요.",
    ),
    "stages": ("Stages, turn by turn", "차례별 단계"),
    "stage": ("stage", "단계"),
    "they heard": ("what was said there", "그때 한 말"),
    # the critic
    "stood": ("your objection was accepted: {words}", "받아들여진 지적: {words}"),
    "said anyway": (
        "this was said, and the judge found a slip in it: {words}",
        "그대로 나갔지만, 심사에서 조심해야 할 말로 읽혔습니다: {words}",
    ),
    "critic next": (
        "copy the words of the draft that you object to, and say what to write instead.",
        "문제가 되는 초안의 말을 그대로 옮겨 적고, 대신 쓸 말을 알려 주세요.",
    ),
    "no objection": ("You had no objection.", "지적이 없었습니다."),
    # the keeper
    "kept": ("{words} is remembered at the end.", "{words} — 끝까지 기억에 남았습니다."),
    "replaced": ("{before} had to be replaced by {words}.", "{before} — 나중에 {words}(으)로 바뀌었습니다."),
    "kept nothing": ("nothing was kept.", "적어 둔 것이 없습니다."),
    "keeper next": (
        "keep what the person wants and whom they trust, in their own words.",
        "원하는 것과 믿는 사람을 그분의 말로 적어 두세요.",
    ),
    "memory": ("What is remembered", "기억한 것"),
    "subject": ("subject", "주제"),
    "value": ("value", "내용"),
    # the patient
    "heard as": ("the guard reacted to {words}", "{words} — 이 말을 안전 담당이 살폈습니다."),
    "your stage": (
        "The talk came to the stage “{stage}” and ended as: {outcome}.",
        "대화는 “{stage}” 단계까지 갔습니다. 결과: {outcome}.",
    ),
    "end closed": ("closed", "마침"),
    "end left": ("left", "먼저 떠남"),
    "end turns": ("all turns taken", "정해진 차례를 다 씀"),
    "end escalated": ("handed over to a person", "사람에게 넘김"),
    "patient next": (
        "say what you fear and what you wish, and see whether the counsellor responds to it.",
        "두려운 것과 바라는 것을 말하고, 상대가 알아주는지 보세요.",
    ),
    "course": ("How it went", "어떻게 되었나"),
}
_OTHERS: Mapping[str, Callable[[Case[Talk], Phrases], list[Section]]] = {
    "guard": for_guard,
    "planner": for_planner,
    "critic": for_critic,
    "keeper": for_keeper,
    "patient": for_patient,
}


def feedback(case: Case[Talk], part: str, language: str) -> list[Section]:
    """The feedback for the person who played this part."""
    say = Phrases(language, FEEDBACK)
    return (
        _OTHERS[part](case, say) if part in _OTHERS else _for_counsellor(case, say, "ko" if language == "ko" else "en")
    )


def ending(case: Case[Talk], part: str) -> str:
    """How the talk ended, in its language."""
    return Phrases(case.scenario.lang, FEEDBACK)(f"end {case.transcript.outcome()}")


def _for_counsellor(case: Case[Talk], say: Phrases, lang: Lang) -> list[Section]:
    """The short feedback, then the drafts that were refused and what the guard raised, if there is any."""
    said = [event for event in case.transcript.of(Said) if event.speaker == "counsellor"]
    scores = [event.score for event in case.transcript.of(Scored)]
    feelings = [score.value for score in scores if score.metric == "feelings_answered"]
    slips = [words for score in scores if score.metric == "slips_said" for words in score.evidence]
    drafts = refused_drafts([event for event in case.transcript.of(Reviewed) if not event.approved], say)
    raised = [note for note in case.transcript.notes(Guarded) if note.way != "go_on"]
    felt = [words for score in scores if score.metric == "feelings_answered" for words in score.evidence]
    shown = [*felt, *(event.text for event in said if _asks_or_informs(event) and event.text not in slips)]
    good = [say("you said", words=quoted(shown[0]))] if shown else []
    if feelings and feelings[-1] >= 0.5:
        good.append(say("felt"))
    missing = [say("slipped", words=quoted(words)) for words in dict.fromkeys(slips)]
    missing += [say("objection", words=row[1]) for row in drafts.rows if row[1]]
    if feelings and feelings[-1] < 0.5:
        missing.append(say("not felt"))
    called = [note for note in raised if note.way == "escalate"]
    left = () if called else _not_reached(said)
    first = stage_words(left[0], "goal", lang) if left else ""
    next_step = say("feeling first") if missing else say("next stage", goal=first) if left else say("harder")
    if left:
        missing.insert(MOST - 1, say("not reached", count=len(left), all=len(STAGES), goal=first))
    short = say.in_short(
        danger=[say("raised", words=quoted(note.words), why=say(f"label {note.label}")) for note in called],
        good=good,
        missing=missing,
        next_step=next_step,
    )
    tables = [table for table in (drafts, decisions(say("guard raised"), raised, say)) if table.rows]
    return [short, Section(say("feedback"), tables)] if tables else [short]


def _asks_or_informs(said: Said) -> bool:
    """Whether an answer asks something or has a source."""
    replied = said.get(Replied)
    return any(map(is_question, sentences(said.text))) or bool(replied and replied.claims)


def _not_reached(said: list[Said]) -> tuple[str, ...]:
    """The stages behind the furthest one that the counsellor spoke in."""
    reached = [STAGES.index(replied.stage) for event in said if (replied := event.get(Replied))]
    return STAGES[max(reached, default=-1) + 1 :]
