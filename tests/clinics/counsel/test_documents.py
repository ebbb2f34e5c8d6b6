"""The shipped documents, and whether a patient's questions find them."""

from __future__ import annotations

import json
import re
from importlib import resources
from typing import Any

import pytest

from polyclinic.clinics.counsel.agents.counsellor import shown
from polyclinic.clinics.counsel.documents import SourcedPage, documents, shipped
from polyclinic.clinics.counsel.prompts.counsellor import CounsellorCites, CounsellorReplies
from polyclinic.clinics.counsel.prompts.replies import SourceShown
from polyclinic.clinics.counsel.prompts.reviewers import CriticJudges
from polyclinic.clinics.counsel.scenario import Lang
from polyclinic.clinics.counsel.tools import Knowledge, knowledge
from polyclinic.core.prompt import Prompt
from polyclinic.errors import DataError
from polyclinic.retrieval.chunking import by_paragraph
from polyclinic.retrieval.embedders import embedder
from polyclinic.retrieval.hybrid import Document, HybridIndex

SMALL_TALK: dict[Lang, tuple[str, ...]] = {
    "en": ("Hello, who are you?", "Good morning.", "Thank you so much.", "I am frightened.", "Are you a real person?"),
    "ko": ("안녕하세요, 누구세요?", "고맙습니다.", "무서워요.", "오늘 비가 오네요.", "진짜 사람이에요?"),
}
TOPICS = {"cancer", "palliative", "acp", "law", "intervention"}


def questions() -> list[dict[str, object]]:
    text = resources.files("polyclinic.clinics.counsel").joinpath("data/questions.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


def test_there_are_at_least_sixty_documents_with_a_sentence_to_say_and_a_date() -> None:
    pages = shipped()
    assert len(pages) >= 60
    assert len({page.id for page in pages}) == len(pages)
    assert {page.topic for page in pages} == TOPICS
    assert all(page.say and page.as_of and len(page.text) > 150 for page in pages)


def test_the_law_of_korea_and_of_another_country_is_dated() -> None:
    law = [page for page in shipped() if page.topic == "law"]
    assert {"KR", "US", "GB"} <= {page.country for page in law}
    assert all(page.country and page.as_of for page in law)
    assert any(page.lang == "ko" for page in law)


def test_no_number_in_a_spoken_sentence_is_missing_from_its_document() -> None:
    for page in shipped():
        for number in re.findall(r"\d+", page.say):
            assert number in page.text, f"{page.id}: {number}"


@pytest.mark.parametrize("lang", ["en", "ko"])
def test_questions_find_their_document_among_the_first_three(lang: str) -> None:
    rows = [row for row in questions() if row["lang"] == lang]
    sources = Knowledge(embedder(), shipped())
    hits = [
        any(found.id in row["documents"] for found in sources.search(row["question"], lang, 3))  # type: ignore[operator,arg-type]
        for row in rows
    ]
    assert len(questions()) >= 100
    assert sum(hits) / len(hits) >= 0.9


@pytest.mark.parametrize("lang", ["en", "ko"])
def test_how_a_document_is_shown_does_not_change_what_is_found(lang: Lang) -> None:
    """The search reads title, keywords and the sentence to say; this test builds its own index from them."""
    pages = [page for page in shipped() if page.lang == lang]
    searched = [Document(page.id, f"{page.title}. {page.keywords} {page.say}\n\n{page.text}") for page in pages]
    weight = {"en": 0.7, "ko": 0.01}[lang]
    made = embedder("hashing")
    index = HybridIndex(made, searched, chunk=lambda text: by_paragraph(text, 700), vector_weight=weight)
    sources = Knowledge(made, pages)
    for row in questions():
        if row["lang"] == lang:
            asked = str(row["question"])
            wanted = list(dict.fromkeys(passage.document.id for passage in index.search(asked, k=12)))[:3]
            assert [found.id for found in sources.search(asked, lang, 3)] == wanted, asked


@pytest.mark.parametrize("lang", ["en", "ko"])
def test_a_shown_source_has_title_and_sentence_once_and_no_keywords(lang: Lang) -> None:
    """Sources are found by keywords or by text. The prompts of counsellor, citations and critic show them."""
    pages = {page.id: page for page in shipped() if page.lang == lang}
    sources = Knowledge(embedder("hashing"), pages.values())
    for page in pages.values():
        for query in (f"{page.title} {page.keywords}", page.text.splitlines()[-1]):
            for found in sources.search(query, lang, 2):
                assert len(found.text) > 40, found.id
                assert found.text in " ".join(pages[found.id].text.split()), found.id
                assert "#" not in found.text, found.id
        (itself,) = (each for each in sources.search(f"{page.title} {page.keywords}", lang, 5) if each.id == page.id)
        for prompt in _prompts(lang, shown([itself])):
            text = "\n".join(message.content for message in prompt.render())
            assert text.count(f"{page.title}: {page.say}") == 1, page.id
            assert text.count(page.say) == 1, page.id
            assert not page.keywords or page.keywords not in text, page.id


def _prompts(lang: Lang, sources: tuple[SourceShown, ...]) -> tuple[Prompt[Any], ...]:
    replies = CounsellorReplies(
        lang=lang,
        goal="",
        facts=(),
        summary="",
        sources=sources,
        gentle="",
        utterance="",
        refused="",
        feedback="",
        last_draft=False,
    )
    judges = CriticJudges(lang=lang, sources=sources, asked="", utterance="", draft="")
    return replies, judges, CounsellorCites(lang=lang, said="", sources=sources)


def test_a_users_own_page_is_shown_with_the_text_below_its_heading() -> None:
    text = "# Zebrafish therapy\n\n## When\n\nIt is offered on Tuesdays.\n\n## Where\n\nIn the east wing."
    page = SourcedPage(id="own", title="Zebrafish therapy", lang="en", text=text, keywords="fins")
    (found,) = Knowledge(embedder("hashing"), [page]).search("fins", "en", 1)
    assert found.text == "When It is offered on Tuesdays."


@pytest.mark.parametrize("lang", ["en", "ko"])
def test_small_talk_needs_no_source_and_questions_keep_their_sources(lang: Lang) -> None:
    sources = Knowledge(embedder(), shipped())
    assert [words for words in SMALL_TALK[lang] if sources.search(words, lang, 2, relevant=True)] == []
    asked = [str(row["question"]) for row in questions() if row["lang"] == lang]
    kept = [words for words in asked if sources.search(words, lang, 2, relevant=True)]
    assert len(kept) / len(asked) >= 0.95


def test_korean_documents_are_dated_and_written_in_korean() -> None:
    korean = [page for page in shipped() if page.lang == "ko"]
    assert all(page.as_of and page.country == "KR" for page in korean)
    assert all(re.search("[가-힣]{2}", page.say) and len(page.text) > 150 for page in korean)
    assert all(page.text.startswith(f"# {page.title}\n") for page in korean)


def test_every_english_subject_has_exactly_one_korean_match() -> None:
    english = [page.id for page in shipped() if page.lang == "en"]
    matched = [page.matches for page in shipped() if page.lang == "ko"]
    assert len(matched) >= len(english) >= 91
    assert sorted(matched) == sorted(english)


def test_documents_on_foreign_law_are_matched_by_documents_on_korean_law() -> None:
    pages = {page.id: page for page in shipped()}
    for page in pages.values():
        if page.lang == "ko" and pages[page.matches].country in {"US", "GB"}:
            assert page.topic == "law", page.id
            assert "2025년 6월 기준" in page.text, page.id


def test_korean_documents_name_no_telephone_number_that_was_not_checked() -> None:
    """A wrong number in front of a person in danger is the worst error a document can have."""
    known = {"109", "119", "132", "1388", "1577-0199", "1577-1000", "1577-8899", "1670-2545", "1855-0075"}
    for page in shipped():
        if page.lang == "ko":
            named = set(re.findall(r"\d{4}-\d{4}|(?<![\d.-])1\d\d(?![\d년만])|1388", page.text))
            assert named <= known, (page.id, named - known)


def test_the_same_question_finds_the_same_passages_after_any_other_questions() -> None:
    made = [Knowledge(embedder("hashing"), shipped()) for _ in range(2)]
    made[0].search("What about pain?", "en", 3)
    assert made[0].search("Does morphine shorten life?", "en", 3) == made[1].search(
        "Does morphine shorten life?", "en", 3
    )


def test_ingested_documents_are_found_beside_the_shipped_ones(tmp_path: object) -> None:
    path = f"{tmp_path}/own.jsonl"
    page = {
        "id": "own-1",
        "title": "Zebrafish therapy",
        "lang": "en",
        "text": "Zebrafish therapy is offered on Tuesdays.",
    }
    with open(path, "w", encoding="utf-8") as file:
        file.write(json.dumps(page) + "\n")
    found = knowledge(embedder("hashing"), path).search("When is zebrafish therapy offered?", "en", 3)
    assert found[0].id == "own-1"


def test_the_error_for_a_missing_or_broken_document_file_says_how_to_fix_it(tmp_path: object) -> None:
    with pytest.raises(DataError, match="polyclinic ingest"):
        documents(f"{tmp_path}/nothing.jsonl")
