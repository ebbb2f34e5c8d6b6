"""Chunking never loses a character and cuts at the ends of sentences and paragraphs."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polyclinic.retrieval.chunking import by_characters, by_paragraph

GUIDE = """# Breathing

Breathlessness is common. Dr. Lee uses 2.5 mg of morphine. It helps!

Open a window.

## At night

밤에 숨이 차면 상체를 높이세요. 창문을 여세요. 도움이 됩니다.
"""
TEXTS = st.text(alphabet=st.sampled_from("ab .!?\n#가나。\t"), max_size=300)


@given(TEXTS, st.integers(1, 40), st.integers(0, 39))
@settings(max_examples=150, deadline=None)
def test_character_windows_cover_every_character_and_overlap_as_requested(text: str, size: int, overlap: int) -> None:
    overlap = min(overlap, size - 1)
    chunks = by_characters(text, size, overlap)
    assert "".join(c.text if i == 0 else c.text[overlap:] for i, c in enumerate(chunks)) == text
    assert all(len(chunk.text) <= size and text[chunk.start : chunk.end] == chunk.text for chunk in chunks)


@given(TEXTS, st.integers(1, 60))
@settings(max_examples=150, deadline=None)
def test_the_chunks_together_are_the_whole_text(text: str, size: int) -> None:
    chunks = by_paragraph(text, size)
    assert "".join(chunk.text for chunk in chunks) == text
    assert all(
        chunk.text and len(chunk.text) <= size and text[chunk.start : chunk.end] == chunk.text for chunk in chunks
    )


def test_paragraphs_stay_under_their_heading() -> None:
    chunks = by_paragraph(GUIDE)
    assert [chunk.heading for chunk in chunks] == ["Breathing", "At night"]
    assert chunks[1].text.startswith("## At night")


def test_sentences_end_at_stops_but_not_at_abbreviations_or_decimals() -> None:
    text = "Dr. Lee uses 2.5 mg of morphine. It helps! 창문을 여세요. 끝."
    assert "".join(chunk.text.strip() for chunk in by_paragraph(text, 1)) == text.replace(" ", "")
    whole = [chunk.text.strip() for chunk in by_paragraph(text, 33)]
    assert whole == ["Dr. Lee uses 2.5 mg of morphine.", "It helps! 창문을 여세요. 끝."]


def test_a_long_paragraph_is_cut_at_sentences() -> None:
    text = "One short sentence here. Another short one here. And a third one.\n\nEnd."
    assert [c.text for c in by_paragraph(text, 30)] == [
        "One short sentence here. ",
        "Another short one here. ",
        "And a third one.\n\n",
        "End.",
    ]


def test_a_record_is_cut_into_chunks_of_120_with_40_overlap() -> None:
    chunks = by_characters("x" * 300, 120, 40)
    assert [(chunk.start, chunk.end) for chunk in chunks] == [(0, 120), (80, 200), (160, 280), (240, 300)]


@pytest.mark.parametrize(("size", "overlap"), [(0, 0), (10, 10), (10, -1)])
def test_an_overlap_that_would_cause_endless_chunks_is_refused(size: int, overlap: int) -> None:
    with pytest.raises(ValueError, match="overlap must be"):
        by_characters("text", size, overlap)
