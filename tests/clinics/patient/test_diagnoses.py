"""Whether a person's diagnosis is the record's: inverted names, acronyms, mimics and broader names."""

from __future__ import annotations

import pytest

from polyclinic.clinics.patient.rules.diagnosing import is_broader, is_right
from polyclinic.clinics.patient.scenario.shipped import record, shipped_records
from polyclinic.core.reading import Reads

RIGHT, WRONG, BROADER = "right", "wrong", "broader"
DIAGNOSES: dict[str, dict[str, tuple[str, ...]]] = {
    "ami-01": {
        RIGHT: ("infarction, myocardial", "infarction, acute myocardial", "attack, heart", "MI mimicking reflux"),
        WRONG: (
            *("pericarditis mimicking MI", "oesophageal spasm mimicking a heart attack", "an MI mimic: pericarditis"),
            *("takotsubo, simulating an infarct", "panic attack, mistaken for a heart attack", "MI-like chest pain"),
            *("pericarditis resembling a heart attack", "reflux disguised as a heart attack"),
        ),
    },
    "str-01": {
        RIGHT: ("stroke, ischaemic", "stroke, ischemic, acute", "It looks like a stroke", "infarction, cerebral"),
        WRONG: (
            *("stroke, haemorrhagic", "stroke, hemorrhagic", "Stroke, haemorrhagic.", "seizure looking like a stroke"),
            *("a stroke mimic", "migraine imitating a stroke", "뇌졸중, 출혈성"),
        ),
    },
    "pan-01": {RIGHT: ("pancreatitis, acute", "pancreatitis, severe acute"), WRONG: ("pancreatitis, chronic",)},
    "acg-01": {RIGHT: ("glaucoma, acute angle-closure",), WRONG: ("glaucoma, open-angle",), BROADER: ("glaucoma",)},
    "mdd-01": {RIGHT: ("depression, major", "disorder, major depressive"), WRONG: ("depression, bipolar",)},
    "cap-01": {WRONG: ("pneumonia, aspiration",), BROADER: ("chest infection", "It is a lung infection.")},
    "pe-01": {RIGHT: ("embolism, pulmonary", "embolism, acute pulmonary")},
    "cir-01": {WRONG: ("cirrhosis, biliary", "SBP"), BROADER: ("liver failure", "alcoholic liver disease")},
    "cir-03": {RIGHT: ("SBP", "cirrhosis with SBP", "spontaneous bacterial peritonitis")},
    "nep-01": {RIGHT: ("MCD",), WRONG: ("nephropathy, membranous",), BROADER: ("glomerular disease",)},
    "chf-01": {RIGHT: ("HFrEF", "failure, heart")},
    "chf-02": {RIGHT: ("HFpEF",)},
    "gra-01": {
        RIGHT: (
            "Graves disease",
            "disease, Graves",
            "hyperthyroidism due to Graves disease",
            "hyperthyroidism: Graves",
        ),
        BROADER: (
            *("hyperthyroidism", "thyrotoxicosis", "an overactive thyroid", "I think it is hyperthyroidism."),
            *("severe hyperthyroidism", "Hyperthyroidism, most likely", "갑상선기능항진증"),
        ),
    },
    "dka-01": {BROADER: ("diabetes", "new type 1 diabetes"), RIGHT: ("ketoacidosis, diabetic",)},
    "int-01": {BROADER: ("bowel obstruction", "obstruction, bowel")},
    "pkd-01": {RIGHT: ("Parkinson's",), BROADER: ("parkinsonism",)},
}


@pytest.mark.parametrize(
    ("case", "diagnosis", "meant"),
    [(case, words, meant) for case, of in DIAGNOSES.items() for meant, said in of.items() for words in said],
)
async def test_a_diagnosis_is_right_broader_or_wrong(reads: Reads, case: str, diagnosis: str, meant: str) -> None:
    assert await is_right(reads, diagnosis, record(case)) is (meant == RIGHT)
    assert is_broader(diagnosis, record(case)) is (meant == BROADER)


async def test_the_exact_names_of_every_disease_stay_right(reads: Reads) -> None:
    for case in shipped_records():
        names = [name for name in case.disease.diagnoses if name not in case.unlike]
        wrong = [name for name in names if not await is_right(reads, name, case)]
        assert not wrong, (case.id, wrong)
