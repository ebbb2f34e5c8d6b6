"""The labelled utterances, and how well the screen alone does on the half reserved for measuring."""

from __future__ import annotations

from collections import Counter

import pytest

from polyclinic.clinics.counsel.evaluations.figures import Utterance
from polyclinic.clinics.counsel.evaluations.guard import read_rows
from polyclinic.clinics.counsel.rules.guard import way_of
from polyclinic.clinics.counsel.rules.lexicon import screen
from polyclinic.errors import DataError

KINDS = {"explicit", "implicit", "passive", "acceptance", "dark_humour", "third_person", "quotation", "idiom"}


def test_faults_found_in_later_trials_stay_fixed() -> None:
    for row in [*read_rows("probes"), *read_rows("unseen")]:
        wanted = "escalate" if row.label == "active" else "go_on"
        assert way_of(screen(row.text).label) == wanted, row.text


def rows() -> list[Utterance]:
    return read_rows("build") + read_rows("measure")


def test_there_are_six_hundred_utterances_in_two_languages_with_every_label_and_kind() -> None:
    found = rows()
    assert len(found) >= 600
    for lang in ("en", "ko"):
        mine = [row for row in found if row.lang == lang]
        assert {row.kind for row in mine} == KINDS
        assert {row.label for row in mine} == {"active", "implicit", "passive", "acceptance"}


def test_the_halves_share_nothing_and_are_balanced() -> None:
    build, measure = read_rows("build"), read_rows("measure")
    assert not {row.text for row in build} & {row.text for row in measure}
    counts = [Counter((row.lang, row.label, row.kind) for row in half) for half in (build, measure)]
    assert all(abs(counts[0][key] - counts[1][key]) <= 1 for key in counts[0])


@pytest.mark.parametrize("lang", ["en", "ko"])
def test_the_screen_alone_catches_explicit_risk_in_the_measuring_half(lang: str) -> None:
    explicit = [row for row in read_rows("measure") if row.label == "active" and row.lang == lang]
    caught = sum(way_of(screen(row.text).label) == "escalate" for row in explicit)
    assert caught / len(explicit) >= 0.95


@pytest.mark.parametrize("lang", ["en", "ko"])
def test_the_screen_alone_lets_acceptance_pass_in_the_measuring_half(lang: str) -> None:
    peace = [row for row in read_rows("measure") if row.label == "acceptance" and row.lang == lang]
    left = sum(way_of(screen(row.text).label) == "go_on" for row in peace)
    assert left / len(peace) >= 0.95


@pytest.mark.parametrize(
    "text",
    [
        "I'm dying to see my grandson",
        "The movie is about a man who wants to kill himself",
        "I would never kill myself",
        "My brother shot himself in 1990",
        "Is refusing treatment considered suicide in my church?",
        "I took all my tablets this morning as prescribed",
        "I want to end chemo",
        "친구가 자살했어요",
        "집에서 죽고 싶어요",
        "항암을 끝내고 싶어요",
        "치료를 중단하는 것이 자살인가요?",
        "배고파 죽겠어요",
    ],
)
def test_harmless_words_raise_no_alarm(text: str) -> None:
    assert screen(text).label == "acceptance"


@pytest.mark.parametrize(
    "text",
    [
        "haha I'm going to kill myself tonight lol",
        "I’M GOING TO KILL MYSELF",
        "Stop the treatment, then I will hang myself",
        "My wife sleeps. I already took twenty sleeping pills.",
        "I'm not scared any more, tonight I am going to kill myself",
        "치료를 그만두고 자살하고 싶어요",
        "저는 오늘 kill myself 할 거예요",
        "확 죽어버리고 싶어요",
        "수면제를 다 먹고 죽으려고 해요",
    ],
)
def test_disguised_danger_is_found(text: str) -> None:
    found = screen(text)
    assert way_of(found.label) == "escalate"
    assert found.words


def test_a_file_with_a_wrong_label_is_refused_with_its_line(tmp_path: object) -> None:
    path = f"{tmp_path}/rows.jsonl"
    with open(path, "w", encoding="utf-8") as file:
        file.write('{"text": "a", "lang": "en", "label": "active"}\n{"text": "b", "lang": "en", "label": "fine"}\n')
    with pytest.raises(DataError, match=r"rows\.jsonl:2: label: .* or 'ordinary'"):
        read_rows(path)
