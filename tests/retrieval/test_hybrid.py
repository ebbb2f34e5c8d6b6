"""Search by meaning and by words together, with sources."""

from __future__ import annotations

from polyclinic.retrieval.embedders import embedder
from polyclinic.retrieval.hybrid import Document, HybridIndex, fuse

DOCUMENTS = [
    Document("a", "# Breathlessness\n\nA fan on the face and an open window ease breathlessness.", "Guide A"),
    Document("b", "# Morphine\n\nA low dose of morphine eases breathlessness near the end of life.", "Guide B"),
    Document("c", "# 사전연명의료의향서\n\n사전연명의료의향서는 등록기관에서 작성합니다.", "안내서 C"),
    Document("d", "# Visiting\n\nFamilies may visit at any hour.\n\nDogs are welcome.", ""),
]


def test_the_right_passage_comes_first_with_its_source() -> None:
    index = HybridIndex(embedder("wordllama"), DOCUMENTS)
    assert index.search("What dose of morphine helps?", 1)[0].source == "Guide B"
    assert index.search("사전연명의료의향서를 어디서 쓰나요?", 1)[0].source == "안내서 C"
    visiting = index.search("May my family visit at night?", 1)[0]
    assert visiting.source == "d"
    assert DOCUMENTS[3].text[visiting.chunk.start : visiting.chunk.end] == visiting.chunk.text


def test_off_topic_passages_are_rejected_by_the_threshold() -> None:
    model = embedder("wordllama")
    index = HybridIndex(model, DOCUMENTS)
    assert index.search("quarterly tax invoice", 3)
    assert index.search("quarterly tax invoice", 3, min_similarity=model.threshold(0.8)) == []


def test_fusion_prefers_what_is_high_in_both_rankings() -> None:
    assert [item for item, _ in fuse([[1, 2, 3], [3, 2, 9]])] == [3, 2, 1, 9]
    assert [item for item, _ in fuse([[1], [2]])] == [1, 2]
    assert fuse([[1], [2]], [1.0, 2.0])[0][0] == 2


def test_an_empty_index_and_blank_documents_find_nothing() -> None:
    assert HybridIndex(embedder("hashing")).search("pain") == []
    assert len(HybridIndex(embedder("hashing"), [Document("e", " \n ")])) == 0
