"""Rules for drafts: facts need a source that was shown, objections need a quotation, revisions follow the feedback."""

from __future__ import annotations

from typing import Any, Literal

import pytest

from polyclinic.clinics.counsel.prompts.counsellor import CounsellorCites, CounsellorComforts
from polyclinic.clinics.counsel.prompts.replies import NONE, Cited, Criticism, DeskSays, SourceShown
from polyclinic.clinics.counsel.rules.messages import fallback
from polyclinic.clinics.counsel.rules.notes import LeftOut, ObjectionDropped
from polyclinic.clinics.counsel.rules.risk import Draft, draft_fault, stands
from polyclinic.core.read_text import Findings, findings_type
from polyclinic.core.reading import Finding
from polyclinic.core.reply import read_reply
from polyclinic.core.transcript import Called, Reviewed, Violated

SOURCES = (
    SourceShown(id="pain-relief", title="Pain", text="Pain can be eased."),
    SourceShown(id="cpr", title="", text=""),
)


def test_only_shown_sources_or_no_source_can_be_cited() -> None:
    form = CounsellorCites(lang="en", said="Pain can be eased.", sources=SOURCES).reply_form()
    read = read_reply('{"reason": "it says so", "source": "none"}', form)
    assert isinstance(read, Cited) and read.source == "none"
    with pytest.raises(Exception, match="source"):
        read_reply('{"reason": "", "source": "hospice-care"}', form)


@pytest.mark.parametrize(
    ("found", "hurt", "cited", "borne_out", "risk"),
    [
        (Draft(), False, "", False, 0),
        (Draft(), True, "", False, 0),
        (Draft(claim="Pain can be eased."), False, "pain-relief", True, 0),
        (Draft(claim="Pain can be eased."), False, "", False, 1),
        (Draft(claim="Pain can be eased."), False, "cpr", False, 1),
        (Draft(slip="You must sign."), False, "", False, 2),
        (Draft(slip="Calm down.", feeling=False), True, "", False, 3),
        (Draft(feeling=False), True, "", False, 3),
        (Draft(feeling=False), False, "", False, 0),
    ],
)
def test_a_greeting_or_a_feeling_needs_no_source_and_a_fact_does(
    found: Draft, hurt: bool, cited: str, borne_out: bool, risk: int
) -> None:
    fault = draft_fault(found, hurt, cited, borne_out, "en")
    assert fault.risk == risk and bool(fault.feedback) == bool(risk)
    assert fault.words in fault.feedback


def test_a_quotation_that_is_not_in_the_draft_is_no_evidence() -> None:
    assert stands("you MUST  sign", "Well, you must sign today.")
    assert not stands("", "Well.") and not stands("you will die", "Well.")


class CalmReader:
    """A reader that finds nothing in any text, except the kinds of finding given to it, in the words given to it."""

    name, kind = "calm", "reader"

    def __init__(self, yes: tuple[str, ...] = (), words: str = "") -> None:
        self._yes, self._words = yes, words

    async def answer(self, request: Any) -> Any:
        prompt = request.prompt
        made: type[Findings] = findings_type(len(prompt.questions))
        fields: dict[str, str] = {}
        for number, question in enumerate(prompt.questions, start=1):
            says = "yes" if question.kind in self._yes and self._words in prompt.text else "no"
            fields |= {f"q{number}_words": (self._words or prompt.text) if says == "yes" else "", f"q{number}": says}
        from polyclinic.core.model import Completion, Usage

        return Completion(text=made(**fields).model_dump_json(), usage=Usage(input_tokens=1, output_tokens=1))


def test_an_unclear_finding_does_not_count_as_yes() -> None:
    assert Finding("yes", "words").yes and not Finding("unclear").yes


async def test_an_objection_with_a_quotation_causes_another_draft_and_one_without_is_dropped(
    play: Any, talk: Any, scripted: Any
) -> None:
    def objects(words: str) -> Any:
        return scripted(lambda request: Criticism(reason="hm", fault="choice", words=words, feedback="Change it."))

    calm = CalmReader(yes=("counsel-feeling",))
    vague = await play(talk(lang="en", turns=1), models={"critic": objects("nobody wrote this"), "reader": calm})
    assert vague.transcript.notes(ObjectionDropped) and all(e.approved for e in vague.transcript.of(Reviewed))
    shown = await play(talk(lang="en", turns=1), models={"critic": scripted(_objects_to_the_first), "reader": calm})
    assert [event.code for event in shown.transcript.of(Reviewed)] == ["r2"] * 3
    assert shown.transcript.said("counsellor")[0].text == "Would that be all right?"
    assert [note.why for note in shown.transcript.notes(ObjectionDropped)] == ["it is about a question"]


def _objects_to_the_first(request: Any) -> Criticism:
    """Object to the first words of every draft, also after sentences were cut from it."""
    return Criticism(reason="hm", fault="choice", words=request.prompt.draft[:12], feedback="Change it.")


async def test_the_sentence_objected_to_in_the_last_draft_is_left_out_and_the_rest_is_said(
    play: Any, talk: Any, scripted: Any
) -> None:
    def objects(request: Any) -> Criticism:
        at_fault = "You must sign" in request.prompt.draft
        fault: Literal["choice", "none"] = "choice" if at_fault else "none"
        return Criticism(reason="hm", fault=fault, words="You must sign", feedback="Leave it out.")

    drafts = scripted(lambda request: "You must sign today. What matters most to you?")
    calm = CalmReader(yes=("counsel-feeling",))
    models = {"critic": scripted(objects), "counsellor": drafts, "reader": calm}
    result = await play(talk(lang="en", turns=1), models=models)
    assert [event.code for event in result.transcript.of(Reviewed)] == ["r2"] * 3
    assert result.transcript.said("counsellor")[0].text == "What matters most to you?"
    assert [note.words for note in result.transcript.notes(LeftOut)] == ["You must sign today."]
    alone = scripted(lambda request: "You must sign today.")
    nothing_left = await play(talk(lang="en", turns=1), models={**models, "counsellor": alone})
    assert "fallback" in nothing_left.transcript.said("counsellor")[0].data


async def test_a_fact_without_a_source_that_is_left_out_is_still_a_violation(
    play: Any, talk: Any, scripted: Any
) -> None:
    fact = "Dialysis cleans the blood when kidneys fail."

    def drafts(request: Any) -> Any:
        if isinstance(request.prompt, CounsellorCites):
            return Cited(reason="nothing of these was used", source=NONE)
        return f"{fact} What matters most to you?"

    content = scripted(lambda request: Criticism(reason="", fault="none", words="", feedback=""))
    claims = CalmReader(yes=("counsel-claim",), words=fact)
    models = {"counsellor": scripted(drafts), "critic": content, "reader": claims}
    result = await play(talk(lang="en", turns=1), models=models)
    assert [note.words for note in result.transcript.notes(LeftOut)] == [fact]
    assert [event.rule for event in result.transcript.of(Violated)] == ["unresolved_r1"]


@pytest.mark.parametrize("utterance", ["I am worried about my family.", "I wish I were dead."])
async def test_the_last_draft_of_a_language_model_comforts_unless_a_wish_to_be_dead_is_asked_about(
    play: Any, talk: Any, scripted: Any, utterance: str
) -> None:
    asked: list[str] = []

    def writes(request: Any) -> str:
        asked.append(type(request.prompt).__name__)
        return "You must sign today."

    counsellor = scripted(writes)
    counsellor.kind = "llm"
    models = {
        "patient": scripted(lambda request: utterance),
        "critic": scripted(_objects_to_the_first),
        "counsellor": counsellor,
        "reader": CalmReader(yes=("counsel-feeling",)),
    }
    await play(talk(lang="en", turns=1), models=models)
    last = "CounsellorReplies" if "dead" in utterance else "CounsellorComforts"
    assert asked[:3] == ["CounsellorReplies", "CounsellorReplies", last]


async def test_facts_without_a_source_are_sent_back_even_if_the_critic_approves(
    play: Any, talk: Any, scripted: Any
) -> None:
    content = scripted(lambda request: Criticism(reason="", fault="none", words="", feedback=""))
    claims = CalmReader(yes=("counsel-claim", "counsel-feeling"))
    result = await play(talk(lang="en", turns=1), models={"critic": content, "reader": claims})
    assert {event.code for event in result.transcript.of(Reviewed)} == {"r1"}


async def test_a_greeting_triggers_no_search_and_cites_nothing(play: Any, talk: Any) -> None:
    result = await play(talk(lang="en", turns=1), models={"reader": CalmReader(yes=("counsel-feeling",))})
    assert result.transcript.said("counsellor")[0].data["looked_up"] == []
    assert not [call for call in result.transcript.of(Called) if call.prompt == "CounsellorCites"]


async def test_a_revision_does_what_the_feedback_says_and_nonsense_changes_nothing(
    play: Any, talk: Any, scripted: Any
) -> None:
    calm = CalmReader(yes=("counsel-feeling",))

    def objecting(feedback: Any) -> Any:
        def judges(request: Any) -> Criticism:
            first = request.prompt.draft.split(". ")[0]
            return Criticism(reason="hm", fault="choice", words=first, feedback=feedback(first))

        return scripted(judges)

    drafts: dict[str, list[str]] = {}
    ways = {"clear": lambda words: f"Leave out '{words}.'", "nonsense": lambda words: "'Purple' elephants whistle."}
    for name, way in ways.items():
        result = await play(talk(lang="en", turns=1), models={"critic": objecting(way), "reader": calm})
        drafts[name] = [call.text for call in result.transcript.of(Called) if call.prompt == "CounsellorReplies"]
    assert len(set(drafts["clear"])) > 1 and len(set(drafts["nonsense"])) == 1


@pytest.mark.parametrize("echoes", [True, False])
async def test_a_counsellor_who_echoed_the_patient_twice_is_not_shown_those_words_again(
    play: Any, talk: Any, scripted: Any, echoes: bool
) -> None:
    told = "I was a nurse in this town for forty years."
    shown: list[str] = []

    def writes(request: Any) -> str:
        if isinstance(request.prompt, CounsellorComforts):
            shown.append(request.prompt.render()[-1].content)
        return told if echoes else "You must sign today."

    counsellor = scripted(writes)
    counsellor.kind = "llm"
    models = {
        "patient": scripted(lambda request: told),
        "critic": scripted(_objects_to_the_first),
        "counsellor": counsellor,
        "reader": CalmReader(yes=("counsel-feeling",)),
    }
    await play(talk(lang="en", turns=1), models=models)
    # After one echo the next draft already comforts; after two echoes the person's words are not shown again.
    assert [told in words for words in shown] == ([True, False] if echoes else [True])


async def test_a_draft_that_recites_the_instructions_is_not_said(play: Any, talk: Any, scripted: Any) -> None:
    recited = "첫 번째 문장: 많이 힘드셨겠어요. 두 번째 문장: 마음을 묻습니다."
    asks = "많이 힘드셨겠어요. 요즘 무엇이 가장 마음에 걸리세요?"
    counsellor = scripted(lambda request: asks if isinstance(request.prompt, CounsellorComforts) else recited)
    counsellor.kind = "llm"
    models = {
        "patient": scripted(lambda request: "밤이 길고 무섭습니다."),
        "critic": scripted(lambda request: Criticism(reason="fine", fault="none", words="", feedback="")),
        "counsellor": counsellor,
        "reader": CalmReader(yes=("counsel-feeling",)),
    }
    result = await play(talk(lang="ko", turns=1), models=models)
    said = [said.text for said in result.transcript.said("counsellor")]
    assert asks in said
    assert not [text for text in said if "문장" in text]


async def test_one_echo_before_the_last_draft_hides_the_words_too(play: Any, talk: Any, scripted: Any) -> None:
    told = "I was a nurse in this town for forty years."
    shown: list[str] = []

    def writes(request: Any) -> str:
        if isinstance(request.prompt, CounsellorComforts):
            shown.append(request.prompt.render()[-1].content)
        return told if request.prompt.prompt_name() == "CounsellorReplies" else "You must sign today."

    counsellor = scripted(writes)
    counsellor.kind = "llm"
    models = {
        "patient": scripted(lambda request: told),
        "critic": scripted(_objects_to_the_first),
        "counsellor": counsellor,
        "reader": CalmReader(yes=("counsel-slip",)),
    }
    await play(talk(lang="en", turns=1), models=models)
    assert [told in words for words in shown] == [True, False]


async def test_a_language_model_that_repeats_itself_is_asked_again_without_the_history(
    play: Any, talk: Any, scripted: Any
) -> None:
    histories: list[int] = []

    def speaks(request: Any) -> str:
        histories.append(len(request.messages))
        return "I am tired of all this." if len(request.messages) > 2 or len(histories) == 1 else "My son comes later."

    patient = scripted(speaks)
    patient.kind = "llm"
    result = await play(talk(lang="en", turns=2), models={"patient": patient})
    said = [event.text for event in result.transcript.said("patient")]
    assert said == ["I am tired of all this.", "My son comes later."]
    assert histories[1] > 2 and histories[2] == 2


@pytest.mark.parametrize(
    ("draft", "drafts"),
    [
        ("Good morning, I am glad that you came. How are you today?", 1),
        ("Good morning, I am glad that you came. You have three months left.", 3),
    ],
)
async def test_a_fact_found_in_a_greeting_does_not_count_if_only_a_question_follows(
    play: Any, talk: Any, scripted: Any, draft: str, drafts: int
) -> None:
    """The reader reports the greeting in both drafts; only the second draft has another sentence that may be a fact."""
    models = {
        "patient": scripted(lambda request: "I have been ill for a year."),
        "critic": scripted(lambda request: Criticism(reason="", words="", fault="none", feedback="")),
        "counsellor": scripted(lambda request: draft),
        "reader": CalmReader(yes=("counsel-claim", "counsel-feeling"), words="I am glad that you came"),
    }
    result = await play(talk(lang="en", turns=1), models=models)
    (said,) = result.transcript.said("counsellor")
    assert said.data["drafts"] == drafts


@pytest.mark.parametrize(
    "odd", ['{"label": "calm"}', "As an AI language model, I cannot help with that.", "출처: 없음."]
)
async def test_a_real_person_hears_the_safe_sentence_when_a_model_never_speaks(
    play: Any, talk: Any, scripted: Any, odd: str
) -> None:
    counsellor = scripted(lambda request: odd)
    counsellor.kind = "llm"
    says = iter([DeskSays(kind="patient", text="I was at the market this morning."), DeskSays(kind="close")])
    models = {"counsellor": counsellor, "desk": scripted(lambda request: next(says))}
    result = await play(talk(lang="en", live=True), models=models)
    (said,) = result.transcript.said("counsellor")
    assert said.text == fallback(1, "en")
    calls = [call for call in result.transcript.of(Called) if call.role == "counsellor"]
    assert len(calls) == 3 and all(call.fault for call in calls)


async def test_a_model_that_speaks_at_the_second_try_is_heard(play: Any, talk: Any, scripted: Any) -> None:
    tries = iter(['{"reply": "Hello"}', "Good morning. How are you today?"])
    counsellor = scripted(lambda request: next(tries))
    counsellor.kind = "llm"
    says = iter([DeskSays(kind="patient", text="Good morning."), DeskSays(kind="close")])
    models = {"counsellor": counsellor, "desk": scripted(lambda request: next(says)), "reader": CalmReader()}
    result = await play(talk(lang="en", live=True), models=models)
    assert [said.text for said in result.transcript.said("counsellor")] == ["Good morning. How are you today?"]
