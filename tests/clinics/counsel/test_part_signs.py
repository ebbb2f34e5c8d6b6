"""What the clinic itself knows about lines of a patient that fall out of character."""

from __future__ import annotations

import pytest

from polyclinic.clinics.counsel.prompts.other import PatientSpeaks
from polyclinic.clinics.counsel.rules.part import SIGNS
from polyclinic.clinics.counsel.scenario import personas
from polyclinic.core.message import assistant, compose, user
from polyclinic.core.part_signs import Part, broken_by


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("I thank the counsellor for the opportunity.", ""),
        ("I would like to know more about how I can help.", ""),
        ("안녕하세요. 당신이 약값이 들까 봐 걱정합니다.", ""),
        ("그분은 아픔에 대해 믿고 있습니다.", ""),
        ("그런 말이 필요하시나요?", "어떤 도움이 필요하시나요?"),
    ],
)
def test_lines_of_a_small_model_are_out_of_character(line: str, said: str) -> None:
    assert broken_by(line, Part(own=("patient",), others=("counsellor", "상담자"), said=said, signs=SIGNS)) is not None


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("Thank you. I would like to help my son, if I can.", ""),
        ("그래서 내가 그랬지, 여보, 내가 뭘 도와주면 당신이 좀 편하겠어, 하고.", ""),
        ("어떤 도움을 받을 수 있나요?", "어떤 도움이 필요하시나요?"),
    ],
)
def test_ordinary_lines_stay_in_character(line: str, said: str) -> None:
    assert broken_by(line, Part(own=("patient",), others=("counsellor", "상담자"), said=said, signs=SIGNS)) is None


@pytest.mark.parametrize("name", ["korean", "elsewhere"])
def test_a_korean_patient_has_told_their_story_before_the_counsellor_speaks(name: str) -> None:
    """A card in the form of notes was recited by small models, so the card is what the person has said before."""
    for person in personas(name):
        told = person.told_in("ko")
        prompt = PatientSpeaks(lang="ko", persona=told, voices="", last=False, said="오늘은 어떠세요?", opening="")
        messages = compose(prompt.render(), [user("안녕하세요?"), assistant("네, 안녕하세요.")])
        spoken = [message.content for message in messages if message.role == "assistant"]
        assert spoken[-1] == "네, 안녕하세요."
        assert told.family in spoken and told.burden in spoken
        assert all(words.endswith((".", "?")) for words in spoken)
        assert all(
            broken_by(words, Part(own=(told.name,), others=("상담자",), signs=SIGNS)) is None for words in spoken
        )
        assert messages[-1].role == "user" and messages[-1].content.startswith("오늘은 어떠세요?")
