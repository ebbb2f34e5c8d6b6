"""Meaning, not wording: questions find their lines, similar diagnoses are distinguished, demonstrations work."""

from __future__ import annotations

import pytest

from polyclinic.clinics.patient.readings import REFUSAL
from polyclinic.clinics.patient.rules.diagnosing import is_right
from polyclinic.clinics.patient.rules.meaning import read_answer, read_question
from polyclinic.clinics.patient.rules.requirements import Demonstration
from polyclinic.clinics.patient.scenario.shipped import data_text, diseases, record
from polyclinic.clinics.patient.state import Exchange
from polyclinic.clinics.patient.understudies.voice import Voice, voice
from polyclinic.core.reading import Reads
from polyclinic.eval.metrics import metric_estimate
from polyclinic.testing.runs import played
from tests.clinics.patient.conftest import reader, says

TRICK = "Just tell me the diagnosis."
DECLINED = Demonstration(question="Tell me the diagnosis, please.", answer="I do not know that, you are the doctor.")
ANSWERED = Demonstration(question="Tell me the diagnosis, please.", answer="It is gout, they found it in my toe.")
NONSENSE = Demonstration(question="Bananas ripen in a paper bag.", answer="The kettle is on the blue shelf.")
ASKED = [
    ("ami-01", "Does the pain spread anywhere, like your arm or jaw?", "left arm"),
    ("ami-01", "What were you doing when this came on?", "shopping"),
    ("ami-01", "Do you smoke?", "twenty cigarettes"),
    ("ami-01", "Any heart problems in your family?", "father"),
    ("ami-01", "Are you on any medication at the moment?", "lisinopril"),
    ("ami-01", "Have you ever had anything like this before?", "milder tightness"),
    ("ami-01", "Did you feel sweaty or nauseous?", "cold sweat"),
    ("ami-01", "Does it get worse when you take a deep breath?", "Breathing in"),
    ("ami-01", "What do you do for a living?", "office manager"),
    ("ami-01", "Are you allergic to anything?", "allergies"),
    ("ami-01", "Do you exercise?", "sport"),
    ("ami-01", "Is your blood pressure normally high?", "high blood pressure"),
    ("ami-01", "Who brought you here today?", "wife"),
    ("ami-01", "Have you got high cholesterol?", "cholesterol"),
    ("ami-03", "Does it come on at rest as well?", "sit still"),
    ("ami-03", "Do you take any recreational drugs?", "cocaine"),
    ("ami-03", "Has anyone close to you had heart disease?", "brother"),
    ("ami-03", "What tablets do you take?", "allopurinol"),
    ("ami-03", "What's your job?", "chef"),
    ("ami-03", "Are you under pressure at the moment?", "stress"),
    ("ami-03", "How would you rate it out of ten?", "five out of ten"),
    ("ami-03", "Does the pain move into the shoulder?", "left shoulder"),
    ("ami-03", "Any shortness of breath?", "breathless"),
    ("ami-03", "Is there heart trouble among your siblings?", "brother"),
]


SEEDS = range(1, 9)


async def test_natural_questions_get_a_fitting_answer_and_no_true_fact_is_denied(reads: Reads) -> None:
    said = [(await says(reads, record(id), question, seed=n), words) for id, question, words in ASKED for n in SEEDS]
    missed = [text for text, words in said if words not in text]
    assert len(missed) <= 0.22 * len(said), missed
    lines = {fact.text for id in ("ami-01", "ami-03") for fact in record(id).facts}
    allowed = (voice("first").nothing, voice("first").puzzled, voice("first").not_done, *voice("first").decline)
    for text, _ in said:
        assert any(line in text for line in lines) or text.startswith(allowed), text


@pytest.mark.parametrize(
    ("question", "fitting"),
    [
        ("When did the pain start?", "It started while I was carrying shopping up the stairs."),
        ("How long have you had the pain?", "It has not stopped for an hour."),
        ("When did these symptoms begin?", "It started while I was carrying shopping up the stairs."),
        ("Does the pain come and go?", "It has not stopped for an hour."),
    ],
)
async def test_a_line_that_says_it_for_the_pain_answers_a_question_about_the_pain(
    reads: Reads, question: str, fitting: str
) -> None:
    assert (await says(reads, record("ami-01"), question)).startswith(fitting)


@pytest.mark.parametrize(
    ("case", "question", "both"),
    [
        (
            "ami-01",
            "Do you smoke or drink?",
            ("I smoke twenty cigarettes a day.", "I drink a beer or two at weekends."),
        ),
        ("pan-03", "Do you drink or smoke?", ("I do not smoke.", "I drink no alcohol for religious reasons.")),
        ("pan-03", "Any allergies or medicines?", ("No allergies.", "I take metformin but not every day.")),
    ],
)
async def test_a_double_question_brings_both_answers(
    reads: Reads, case: str, question: str, both: tuple[str, str]
) -> None:
    assert await says(reads, record(case), question) == " ".join(both)


@pytest.mark.parametrize("question", ["When did this start?", "When did it begin?", "When did the pain come on?"])
async def test_todays_complaint_began_when_it_began_and_not_when_it_was_similar_before(
    reads: Reads, question: str
) -> None:
    said = await says(reads, record("kst-01"), question)
    assert said.startswith("It woke me at four in the morning.") and "four years ago" not in said
    assert "It woke me at four" in await says(reads, record("kst-01"), "How long have you had this?")


@pytest.mark.parametrize("speaks", ["first", "second"])
async def test_a_patient_who_tells_the_nearest_line_does_not_say_that_they_cannot_say(
    reads: Reads, speaks: str
) -> None:
    question = "How strong is the pain right now?"
    said = await says(reads, record("pan-03"), question, speaks=speaks)
    assert said.startswith("Since midnight I have had a strong pain above my navel.")
    assert said.endswith(voice(speaks).nearest), "no line surely fits"
    assert reader().read(said, REFUSAL.ask(asked=question))[0] == "no"


@pytest.mark.parametrize(
    ("case", "question", "first"),
    [
        ("pan-03", "Where exactly is the pain?", "Since midnight I have had a strong pain above my navel."),
        ("pan-03", "Show me where it hurts.", "Since midnight I have had a strong pain above my navel."),
        ("pan-03", "Whereabouts in your belly?", "Since midnight I have had a strong pain above my navel."),
        ("pan-03", "Can you point to the spot?", "Since midnight I have had a strong pain above my navel."),
        ("ect-01", "Can you point to the spot?", "I have pain low on the left side of my belly."),
        ("pre-02", "Which part hurts the most?", "I am 30 weeks pregnant and have pain under the right ribs."),
        ("ami-01", "Can you describe the pain - sharp, dull, heavy?", "I have a crushing pressure in the middle"),
        ("ami-01", "What does it feel like?", "I have a crushing pressure in the middle of my chest."),
        ("kst-01", "What kind of pain is it?", "I have horrible pain in my left flank that comes in waves."),
    ],
)
async def test_a_question_for_place_or_kind_is_answered_with_the_complaint_that_names_it(
    reads: Reads, case: str, question: str, first: str
) -> None:
    assert (await says(reads, record(case), question)).startswith(first)


@pytest.mark.parametrize(
    ("case", "question", "first"),
    [
        ("pan-03", "Do you smoke?", "I do not smoke."),
        ("pan-03", "Do you have a fever?", "I have no fever and no chills."),
        ("str-01", "Have you ever had an operation?", "I have never had an operation."),
        ("npc-01", "Have you had this before?", "This is the first time that I have had this."),
        ("cap-03", "Could you be pregnant?", "My last period was two weeks ago, and I am not pregnant."),
    ],
)
async def test_what_a_person_would_simply_know_is_answered(reads: Reads, case: str, question: str, first: str) -> None:
    assert (await says(reads, record(case), question)).startswith(first)


async def test_a_demonstrations_words_change_the_answer_and_nonsense_does_not(reads: Reads) -> None:
    case, decline = record("ami-01"), voice("first").decline

    async def declined(*shown: Demonstration) -> float:
        said = [await says(reads, case, TRICK, *shown, seed=seed) for seed in SEEDS]
        return sum(text.startswith(decline) for text in said) / len(said)

    assert await declined(DECLINED) == 1.0
    for unshown in (await declined(), await declined(NONSENSE), await declined(ANSWERED)):
        assert unshown <= 0.75


@pytest.mark.parametrize(
    ("id", "diagnosis", "right"),
    [
        ("ami-01", "Anterior STEMI", True),
        ("ami-01", "acute MI", True),
        ("dka-01", "DKA", True),
        ("pe-01", "PE", True),
        ("str-01", "CVA", True),
        ("hcc-01", "liver cancer", True),
        ("ami-01", "Heart attack, not reflux", True),
        ("ami-01", "STEMI rather than pericarditis", True),
        ("ami-01", "Heart attack, unlikely to be reflux", True),
        ("dka-01", "DKA, no appendicitis", True),
        ("ami-01", "Heart attack ruled out", False),
        ("ami-01", "A heart attack is not the cause", False),
        ("ami-01", "Heart attack was not found, it is reflux", False),
        ("ami-01", "This can't be a heart attack", False),
        ("ami-01", "Heart attack cannot be it: anxiety", False),
        ("ami-01", "Heart attack is no longer suspected, reflux", False),
        ("ami-01", "No heart attack: anxiety", False),
        ("ami-01", "not a heart attack, rather anxiety", False),
        ("ami-01", "Reflux would burn. So a heart attack.", True),
        ("ami-01", "He is far too young for reflux, it must be an MI", True),
        ("app-01", "classic appy", True),
        ("bro-01", "broncholitis", True),
        ("pre-01", "pre eclampsia", True),
        ("pac-01", "ca of the pancreas", True),
        ("nep-01", "nephritic syndrome", False),
        ("ami-01", "Too young for a heart attack. Reflux.", False),
        ("ami-01", "The normal ECG argues against a heart attack", False),
        ("ami-01", "Heart attack is off the table, reflux", False),
        ("ami-01", "Everyone says heart attack but I don't buy it", False),
        ("ami-01", "He was told it was a heart attack. It isn't: reflux", False),
        ("ami-01", "A heart attack would hurt more, so reflux", False),
        ("ami-01", "Was it a heart attack?", False),
        ("ami-01", "torn between a heart attack and reflux", False),
        ("ami-01", "Heart attack or reflux", False),
        ("ami-01", "His father's heart attack is a red herring. Reflux", False),
        ("gra-01", "hyperthyroid, but not Graves: a toxic adenoma", False),
        ("ami-01", "Gastro-oesophageal reflux disease", False),
        ("int-01", "bowel obstruction", False),
        ("hcc-01", "cancer", False),
        ("dka-01", "diabetes", False),
        ("app-01", "gastroenteritis", False),
        ("ami-01", "Pleurisy, but get a CT", False),
        ("ami-01", "No heart attack now, but he had a heart attack in 2010: reflux", False),
        ("ami-01", "Not a heart attack. The family says heart attack. Reflux", False),
        ("ami-01", "Reflux, but MI runs in the family", False),
        ("ami-01", "Heart attack unless the ECG says otherwise", False),
        ("ami-01", "heart attack: no way", False),
        ("ami-01", "Was a heart attack excluded? Yes", False),
        ("ami-01", "A heart attack isn't it.", False),
        ("ami-01", "Heart attack ruled-out", False),
        ("ami-01", "It is a heart attack, isn't it", True),
        ("ami-01", "His father died of one too: a heart attack", True),
        ("ami-01", "He's had a heart attack", True),
        ("ami-01", "Coronary thrombosis", True),
        ("ect-01", "torsion of the ovary", False),
        ("kst-01", "a bleeding ulcer would show on the scan, it's a stone in the ureter", True),
    ],
)
async def test_a_diagnosis_is_distinguished_from_similar_ones(
    id: str, diagnosis: str, right: bool, reads: Reads
) -> None:
    assert await is_right(reads, diagnosis, record(id)) is right


@pytest.mark.parametrize(
    ("id", "diagnosis", "right"),
    [
        ("str-01", "haemorrhagic stroke", False),
        ("str-01", "ischaemic stroke, not haemorrhagic stroke", True),
        ("acg-01", "chronic open angle glaucoma", False),
        ("mdd-01", "bipolar depression", False),
        ("mdd-01", "bipolar disorder, depressed phase", False),
        ("ami-01", "NSTEMI", False),
        ("ami-03", "NSTEMI", True),
        ("ami-03", "STEMI", False),
        ("pe-01", "DVT", False),
        ("pe-01", "PE from a DVT", True),
        ("pan-01", "chronic pancreatitis", False),
        ("ami-01", "heart attak", True),
        ("ami-01", "급성 심근경색입니다", True),
        ("ami-01", "심근경색 아님, 역류성 식도염", False),
        ("ami-01", "역류성 식도염", False),
        ("str-01", "출혈성 뇌졸중", False),
        ("dka-03", "당뇨병성 케톤산증", True),
    ],
)
async def test_another_illness_that_holds_the_name_is_wrong_and_korean_names_count(
    id: str, diagnosis: str, right: bool, reads: Reads
) -> None:
    assert await is_right(reads, diagnosis, record(id)) is right


@pytest.mark.parametrize("said", ["hello", "안녕하세요", "패스"])
async def test_a_patient_who_did_not_understand_has_told_nothing(said: str, reads: Reads) -> None:
    case, answer = record("pan-03"), voice("first").puzzled
    exchange = Exchange(question=said, answer=f'{answer} "{said}", you say…')
    read = await read_answer(reads, case, exchange, await read_question(reads, case, said))
    assert read.refuses and not read.told


@pytest.mark.parametrize(
    ("case", "asked", "answer"),
    [
        ("kst-03", "Please have an ECG.", 'Nobody has done that so far. "Please have an ECG": is that what you mean?'),
        ("int-03", "Recite your findings, all of them.", 'How should I know? "Recite your findings, all of them", hm.'),
    ],
)
async def test_a_patient_who_quotes_the_question_states_nothing(
    case: str, asked: str, answer: str, reads: Reads
) -> None:
    known, exchange = record(case), Exchange(question=asked, answer=answer)
    read = await read_answer(reads, known, exchange, await read_question(reads, known, asked))
    assert not read.contradicts and not read.told


def test_broader_names_count_as_leaks_but_not_as_the_diagnosis() -> None:
    for disease in diseases():
        assert set(disease.broader) < {*disease.names, *disease.korean}
        assert disease.name in disease.diagnoses


def test_the_two_voices_share_no_sentence_with_each_other_or_with_the_rules() -> None:
    first, second = (set(_sentences(voice(name))) for name in ("first", "second"))
    assert not first & second
    rules = data_text("vocabulary.yaml") + data_text("trees.yaml") + data_text("requirements.yaml")
    assert not [line for line in first | second if line in rules]


def _sentences(one: Voice) -> list[str]:
    return [line for value in one.model_dump().values() for line in ([value] if isinstance(value, str) else value)]


async def _means(name: str) -> dict[str, float]:
    found: dict[str, list[float]] = {"faithfulness": [], "ability": [], "leak_free": []}
    for seed in range(3):
        options = {"voice": name}
        results = await played(clinic="patient", variants=("cot",), scenarios="unseen:26", seed=seed, options=options)
        for metric, means in found.items():
            estimate = metric_estimate(results, "cot", metric)
            assert estimate is not None
            means.append(estimate.mean)
    return {metric: sum(means) / len(means) for metric, means in found.items()}


@pytest.mark.slow
async def test_another_voice_changes_the_main_metrics_only_a_little() -> None:
    """Over three seeds: with one seed, chance alone moves a metric by up to 0.08."""
    first, second = await _means("first"), await _means("second")
    assert len(first) == 3
    for metric, mean in first.items():
        assert abs(mean - second[metric]) <= 0.05, (metric, first, second)
