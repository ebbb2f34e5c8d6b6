"""Long-term memory holds at most one fact for each subject, keeps the turn it came from, and is bounded."""

from __future__ import annotations

from typing import Any

from polyclinic.clinics.counsel.prompts.replies import DeskSays, Remembers
from polyclinic.clinics.counsel.state import MAX_FACTS, Charts, Fact, MemoryChange, PatientMemory, canonical_subject
from polyclinic.core.episode import Campaign
from polyclinic.core.journal import MemoryJournal
from polyclinic.core.transcript import Called

SUBJECTS = (
    "worry", "Fear", "fears", "religion", "faith", "Church", "job", "work", "wife", "family", "CPR", "preference_cpr",
    "ventilator", "breathing machine", "Preferences.ECMO", "ecmo", "home", "place", "proxy", "who decides",
)  # fmt: skip


def scripted_updates() -> list[MemoryChange]:
    """Two hundred operations (add, update, delete, keep) that use many names for few subjects."""
    actions = ("add", "update", "add", "delete", "keep")
    return [
        MemoryChange(
            action=actions[(i * 7 + i // 5) % 5], subject=SUBJECTS[(i * 3) % len(SUBJECTS)], value=f"value {i}"
        )
        for i in range(200)
    ]


def test_two_hundred_updates_leave_no_contradiction_and_agree_with_a_plain_dictionary() -> None:
    memory = PatientMemory()
    plain: dict[str, tuple[str, int]] = {}
    for turn, operation in enumerate(scripted_updates()):
        memory.apply([operation], turn)
        subject = canonical_subject(operation.subject)
        if operation.action == "delete":
            plain.pop(subject, None)
        elif operation.action != "keep":
            plain[subject] = (operation.value, turn)
        assert all(key == canonical_subject(fact.subject) for key, fact in memory.facts.items()), "one fact a subject"
    assert {fact.subject: (fact.value, fact.turn) for fact in memory.listed()} == plain


def test_adding_a_known_subject_is_reported_as_an_update_with_the_old_value() -> None:
    memory = PatientMemory()
    memory.apply([MemoryChange(action="add", subject="CPR", value="wants")], 3)
    (change,) = memory.apply([MemoryChange(action="add", subject="resuscitation", value="declines")], 9)
    assert (change.action, change.before, change.value, change.turn) == ("update", "wants", "declines", 9)


def test_memory_is_bounded_and_never_drops_a_choice_about_treatment() -> None:
    memory = PatientMemory()
    memory.apply([MemoryChange(action="add", subject="cpr", value="declines")], 0)
    memory.apply([MemoryChange(action="add", subject=f"thing {i}", value="x" * 500) for i in range(100)], 1)
    assert len(memory.facts) == MAX_FACTS
    assert memory.facts["preference_cpr"].value == "declines"
    assert all(len(fact.value) <= 160 for fact in memory.listed())


async def test_scripted_updates_survive_a_restart_in_the_middle(play: Any, talk: Any, scripted: Any) -> None:
    updates = scripted_updates()
    keeper = scripted(
        lambda request: (
            Remembers(words="", **updates[len(request.prompt.facts)].model_dump())
            if request.prompt.prompt_name() == "KeeperRemembers"
            else "short"
        )
    )
    journal = MemoryJournal()
    whole = await play(talk(turns=12), models={"keeper": keeper})
    await play(talk(turns=5), models={"keeper": keeper}, journal=journal)
    resumed = await play(talk(turns=12), models={"keeper": keeper}, journal=journal)
    assert resumed.transcript.events[-1] is not None
    assert _facts(whole) == _facts(resumed) != []


def _facts(result: Any) -> list[dict[str, Any]]:
    from polyclinic.core.transcript import Ended

    facts: list[dict[str, Any]] = result.transcript.of(Ended)[0].data["facts"]
    return facts


async def test_context_stays_bounded_over_two_hundred_turns(play: Any, talk: Any, scripted: Any) -> None:
    sizes: list[int] = []

    def says(request: Any) -> str:
        sizes.append(sum(len(message.content) for message in request.messages))
        return "What matters most to me is my garden. " * 20

    inputs: list[int] = []
    result = await play(talk(lang="en", turns=200), models={"patient": scripted(says)}, variant="full")
    inputs = [event.usage.input_tokens for event in result.transcript.of(Called) if event.prompt == "CounsellorReplies"]
    assert len(result.transcript.said("patient")) == 200
    assert max(inputs[100:]) <= 1.1 * max(inputs[:60])
    summaries = [event for event in result.transcript.of(Called) if event.prompt == "KeeperSummarises"]
    assert len(summaries) >= 18 and all(len(event.text) <= 200 for event in summaries)
    assert max(sizes[100:]) <= 1.1 * max(sizes[:60])


async def test_a_later_visit_remembers_the_earlier_one(play: Any, talk: Any) -> None:
    campaign = Campaign(shared=Charts())
    first = await play(talk(id="visit1", turns=20), campaign=campaign)
    for effect in first.effects:
        campaign.apply(effect)
    assert isinstance(campaign.shared, Charts)
    kept = campaign.shared.facts["kr-seoul-retired-teacher"]
    assert any(fact.subject == "values" for fact in kept)
    second = await play(talk(id="visit2", turns=2), campaign=campaign)
    assert _facts(second)[0]["subject"] in {fact.subject for fact in kept}


def test_facts_and_desk_messages_are_plain_data() -> None:
    assert Fact.model_validate_json(Fact(subject="faith", value="Buddhist", turn=2).model_dump_json()).turn == 2
    assert DeskSays(kind="close").text == ""
