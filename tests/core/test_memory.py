from __future__ import annotations

from polyclinic.core.memory import Memory, RememberedLine, cut


async def talkative(old: str, turns: list[RememberedLine]) -> str:
    return f"{old} and {len(turns)} more things were said at great length, word after word after word"


async def test_memory_stays_bounded_over_two_hundred_turns() -> None:
    memory = Memory(recent=10, every=10, summary_chars=200, summarise=talkative)
    for number in range(200):
        await memory.remember("patient" if number % 2 else "doctor", f"utterance {number}")
        assert len(memory.window()) <= 19
        assert len(memory.summary) <= 200
    assert memory.summary.startswith("and 10 more things")
    assert memory.turns[-1].text == "utterance 199"
    assert memory.count == 200


async def test_nothing_is_summarised_before_it_leaves_the_window() -> None:
    asked: list[int] = []

    async def count(old: str, turns: list[RememberedLine]) -> str:
        asked.append(len(turns))
        return old

    memory = Memory(recent=2, every=3, summarise=count)
    for number in range(8):
        await memory.remember("a", str(number))
    assert asked == [3, 3]


def test_a_slot_says_what_it_replaced() -> None:
    memory = Memory()
    assert memory.keep("allergy", "penicillin") is None
    assert memory.keep("allergy", "penicillin") is None
    assert memory.keep("allergy", "none") == "penicillin"
    memory.forget("allergy")
    assert memory.slots == {}


def test_shortening_marks_the_cut_and_never_exceeds_the_bound() -> None:
    assert cut("a  b", 10) == "a b"
    assert cut("one two three four", 10) == "one two…"
    assert len(cut("x" * 50, 10)) == 10
