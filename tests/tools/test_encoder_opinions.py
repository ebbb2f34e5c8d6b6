"""Texts that nobody has labelled, and a language model's opinions about them, as lessons for a network."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import cast

import numpy as np
import orjson
import pytest

from polyclinic.core.reading import Question
from polyclinic.reading.label_training import LabelledText
from polyclinic.reading.sets import Labelled
from polyclinic.reading.tuned import AnswerScores
from polyclinic.runner.readings import all_kinds
from tests.tools.small_lessons import LABELS, PAIR, small_start
from tests.tools.small_package import write_lite, write_minilm
from tools.encoder.batches import EncoderSettings
from tools.encoder.opinions import Opinion, open_opinions, opinion_of, save_opinions
from tools.encoder.pack import as_encoder
from tools.encoder.pool import FALSE, SUPPORTED, Unlabelled, messages, open_pool, save_pool, statements, turns
from tools.encoder.pool_changes import Change, changes
from tools.encoder.readings import answered, chances_of, figures, save_statements
from tools.encoder.tiny import write_model

SOURCES = (
    "# Oxygen. The nurse brings oxygen on two days.",
    "# Oxygen. The nurse takes oxygen away.",
    "# Pets. No dogs here.",
)
KOREAN_SOURCE = "# 산소. 산소는 두 시간 쓸 수 있습니다."
KINDS = all_kinds()


def said_beside(text: str, source: str, label: bool, lang: str = "en") -> Labelled:
    return Labelled(KINDS[SUPPORTED].ask(source=source), text, label, "A", "train", lang, source)


def test_one_word_of_a_statement_is_changed() -> None:
    assert {Change("The nurse will come.", False), Change("The doctor may come.", False)} < set(
        changes("The nurse may come.")
    )
    assert Change("It takes six days.", True) in set(changes("It takes two days."))
    assert Change("It is not 12 mg.", True) in set(changes("It is 12 mg."))
    assert Change("Take 8 of them.", True) in set(changes("Take 1.5 or 12 of them.".replace("1.5 or ", "")))
    assert not any("1." in one.text and one.text[0] != "1" for one in changes("1.5 mg"))
    assert not list(changes("Hello there."))


def test_korean_statements_are_changed_too() -> None:
    assert Change("세 시간 쓸 수 있습니다.", True) in set(changes("두 시간 쓸 수 있습니다."))
    assert Change("두 시간 쓸 수 없습니다.", True) in set(changes("두 시간 쓸 수 있습니다."))
    assert Change("저녁에 옵니다.", False) in set(changes("아침에 옵니다."))
    assert Change("집에서 합니다.", True) in set(changes("집에서 하지 않습니다."))


def test_statements_stand_beside_other_sources_and_changed_beside_their_own() -> None:
    lines = [
        said_beside("She is here on two days.", SOURCES[0], True),
        said_beside("Dogs may come.", SOURCES[2], False),
    ]
    lines.append(said_beside("It is taken away.", SOURCES[1], True))
    found = list(statements(lines, Random(1)))
    by_text = {(one.text, one.facts[0][1]): one for one in found}
    assert ("Dogs may come.", SOURCES[0]) in by_text and by_text["Dogs may come.", SOURCES[0]].known is None
    assert by_text["No dogs here.", SOURCES[2]].known is True, "a source's own sentence is supported"
    assert by_text["Dogs will come.", SOURCES[2]].known is None, "it was not supported before the change"
    supported = {one.text for one in found if one.known is False}
    assert "She is not here on two days." in supported and not any("Dogs" in text for text in supported)
    assert {one.kind for one in found} == {SUPPORTED} and all(one.question(KINDS).fact("source") for one in found)


def test_korean_sentences_come_from_korean_sources() -> None:
    lines = [
        said_beside("산소를 씁니다.", KOREAN_SOURCE, True, "ko"),
        said_beside("간호사가 옵니다.", SOURCES[0], True, "ko"),
    ]
    found = list(statements(lines, Random(1)))
    assert {one.lang for one in found} == {"ko"} and not any(one.text.isascii() for one in found)
    assert Unlabelled("산소는 두 시간 쓸 수 없습니다.", "ko", SUPPORTED, (("source", KOREAN_SOURCE),), False) in found


def test_a_changed_turn_of_a_tutor_has_no_known_answer() -> None:
    facts = [{"case": f"Case {n}.", "why": "W.", "pitfalls": "wrong: A; right: B"} for n in range(2)]
    lines = [
        Labelled(KINDS[FALSE].ask(**one), "The pulse is 60.", False, "A", "train", about=one["case"]) for one in facts
    ]
    found = list(turns(lines, Random(1)))
    assert any(one.text == "The pulse is not 60." for one in found) and all(one.known is None for one in found)
    assert all(one.question(KINDS).kind == FALSE for one in found)


def test_the_pool_is_the_same_after_writing_and_reading(tmp_path: Path) -> None:
    found = [Unlabelled("약", "ko"), Unlabelled("It is.", "en", SUPPORTED, (("source", "S"),), True)]
    save_pool(tmp_path / "pool.jsonl", found)
    assert open_pool(tmp_path / "pool.jsonl") == found


def test_messages_are_what_was_said_and_what_lines_are_made_of() -> None:
    labelled = ["I am tired. I want to stop.", "It hurts."]
    found = [one.text for one in messages(labelled, ["I have a cough."], Random(2))]
    assert found[:3] == ["I have a cough.", "I am tired.", "I want to stop."]
    assert any(text.startswith("It hurts. ") for text in found)


def _opinions(folder: Path) -> Path:
    statement = Unlabelled("my chest", kind=SUPPORTED, facts=(("source", "my chest pain"),))
    path = folder / "opinions.jsonl"
    save_opinions(
        path,
        [
            Opinion("pain", "en", "", "", [0.9, 0.1]),
            Opinion("no pain", "en", "", "", [0.2, 0.8]),
            opinion_of(statement, [0.25, 0.75], "my chest pain"),
        ],
    )
    return path


def test_opinions_are_lessons_about_messages_and_about_statements(tmp_path: Path) -> None:
    write_minilm(tmp_path)
    start = small_start(tmp_path, [PAIR._replace(kind=SUPPORTED, column=SUPPORTED)])
    found = open_opinions([_opinions(tmp_path)], start.names, 16)
    assert found.labels.tolist() == pytest.approx(np.array([[0.9, 0.1], [0.2, 0.8]]))
    assert found.yes.tolist() == [0.75] and start.names.columns[found.columns[0]] == SUPPORTED
    assert found.texts.lengths[found.seconds[0]] > found.texts.lengths[found.statements[0]] > 0


def test_a_network_without_such_a_column_learns_no_statements(tmp_path: Path) -> None:
    write_lite(tmp_path)
    found = open_opinions([_opinions(tmp_path)], small_start(tmp_path).names, 16)
    assert len(found.messages) == 2 and not len(found.yes)


class OneAnswer:
    """A reader for which every answer is as likely yes; it keeps what it was asked."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def chances(self, asked: Sequence[tuple[str, Question]]) -> list[float]:
        """The same for all."""
        self.asked += [text for text, _ in asked]
        return [0.6] * len(asked)


def test_only_unknown_answers_are_asked_and_each_stands_beside_what_it_is_compared_with(tmp_path: Path) -> None:
    source, case = (("source", "my chest"),), {"case": "C.", "why": "W.", "pitfalls": "wrong: A pain; right: No pain"}
    texts = [
        Unlabelled("pain", "en", SUPPORTED, source, True),
        Unlabelled("no pain", "en", SUPPORTED, source),
        Unlabelled("no", "en", SUPPORTED, source, False),
        Unlabelled("A pain.", "en", FALSE, tuple(case.items())),
    ]
    reader = OneAnswer()
    chances = answered(cast(AnswerScores, reader), texts)
    assert reader.asked == ["no pain", "A pain."]
    assert chances[1] == chances[3] == 0.6 and chances[0] > 0.9 and chances[2] < 0.1
    save_statements(tmp_path / "statements.jsonl", texts, chances)
    rows = [orjson.loads(line) for line in (tmp_path / "statements.jsonl").read_bytes().splitlines()]
    assert [row["second"] for row in rows] == ["my chest"] * 3 + ["A pain No pain"]
    assert [row["says"][1] for row in rows] == [0.97, 0.6, 0.03, 0.6]


@pytest.mark.slow
def test_a_teacher_learns_labels(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("transformers", reason="training needs torch: install the extra 'train'")
    from tools.encoder import teacher

    texts = {"passive": "I wish to be gone.", "ordinary": "The soup is warm.", "acceptance": "편안하게 가고 싶어요."}
    lines = [LabelledText(text, "en", label, "A") for label, text in texts.items()]
    monkeypatch.setattr(teacher, "_RATE", 1e-2)
    model = teacher.Teacher(str(write_model(tmp_path, [*texts.values()] * 20)))
    assert model.learn([model.lesson(line) for line in lines] * 8, 5, 8, 120.0) == 15
    lessons = [model.lesson(line) for line in lines]
    said = model.says([lesson.tokens for lesson in lessons])
    assert all(sum(chances) == pytest.approx(1, abs=1e-3) and len(chances) == 8 for chances in said)
    assert teacher.right_by_language(lessons, said) == {"en, 3 lines": 1.0}


@pytest.mark.slow
def test_a_network_learns_what_the_language_model_says(tmp_path: Path) -> None:
    pytest.importorskip("torch", reason="training needs torch: install the extra 'train'")
    from tools.encoder.train import train_encoder

    write_minilm(tmp_path)
    start = small_start(tmp_path, [PAIR._replace(kind=SUPPORTED, column=SUPPORTED)] * 2, LABELS)
    settings = EncoderSettings(
        layers="01", inner=12, seconds=8, batch=2, label_batch=0, warm_up=10, rate=4e-3, new_rate=4e-3
    )
    trained = train_encoder(
        start, replace(settings, opinions=str(_opinions(tmp_path)), message_batch=8, statement_batch=4)
    )
    encoder = as_encoder(trained, labels=True)
    said = {label: encoder.alone("no pain", f"guard|{label}", "", "") for label in start.names.labels}
    assert max(said, key=lambda label: said[label] or 0.0) == start.names.labels[1]


def test_the_figures_come_from_the_chances_that_are_written() -> None:
    class Sure:
        def chances(self, asked: Sequence[tuple[str, Question]]) -> list[float]:
            return [0.912345 if "dogs" in text else 0.123456 for text, _ in asked]

    lines = [
        said_beside("No dogs.", SOURCES[2], True),
        said_beside("Two dogs.", SOURCES[2], False),
        said_beside("It is taken away.", SOURCES[0], False),
    ]
    chances = chances_of(cast(AnswerScores, Sure()), lines)
    assert chances == [0.9123, 0.9123, 0.1235]
    found = figures(lines, chances).kinds[SUPPORTED]
    assert (found.n, found.balanced) == (3, 0.75), "one yes of one, one no of two"
