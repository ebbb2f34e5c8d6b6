"""Cases from other collections: MedXpertQA (both of its schemas), MedQA, MVME. Files stay where they are; nothing is
fetched.

What a collection lacks (steps, script, meaning of the pictures) stays empty; the author role writes it in the episode.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from polyclinic.clinics.rounds.scenario.case import CaseImage, Demographics, TeachingCase
from polyclinic.clinics.rounds.scenario.shipped import parse_cases
from polyclinic.core.files import bad_file, first_fault, json_lines, parse_json, read_text
from polyclinic.people.vignette import stated_age, stated_sex
from polyclinic.text.sentences import sentences

_CHOICES = re.compile(r"\s*\n?Answer Choices:.*\Z", re.DOTALL)


def split_vignette(text: str) -> tuple[str, str]:
    """The vignette and the question at its end; the printed answer choices of MedXpertQA are left out."""
    body = _CHOICES.sub("", text).strip()
    parts = sentences(body, lines=False)
    return (" ".join(parts[:-1]), parts[-1]) if len(parts) > 1 else (body, body)


def stated_demographics(text: str) -> Demographics | None:
    """Age and sex only where the text states them; None when it states neither."""
    age, sex = stated_age(text), stated_sex(text)
    return None if age is None and sex is None else Demographics(age=age, sex=sex)


def _rows(text: str, path: Path) -> Iterable[tuple[int, dict[str, Any]]]:
    """The objects of a JSONL file, or of a JSON file that holds a list."""
    if text.lstrip()[:1] == "[":
        return enumerate(parse_json(text, path), start=1)
    return json_lines(text, path)


def _options(row: Mapping[str, Any]) -> dict[str, str]:
    """Options as letter to words, from a mapping (hub, MedQA) or from a list of letter/content pairs (repository)."""
    options = row["options"]
    if isinstance(options, Mapping):
        return {str(letter): str(words) for letter, words in sorted(options.items())}
    return {str(option["letter"]): str(option["content"]) for option in options}


def _label(row: Mapping[str, Any]) -> str:
    label = row["label"]
    return str(label[0] if isinstance(label, list) else label)


def medxpertqa(row: Mapping[str, Any], folder: Path) -> TeachingCase:
    """MedXpertQA. Hub: options as a mapping and label as a letter. Repository: lists of letter/content and of one
    letter.
    """
    vignette, question = split_vignette(str(row["question"]))
    images = tuple(
        CaseImage(id=f"image-{n}", file=str(name), modality="image", caption=f"Figure {n}")
        for n, name in enumerate(row.get("images") or (), start=1)
    )
    return TeachingCase(
        id=str(row["id"]),
        title=str(row["id"]),
        specialty=str(row.get("body_system") or "general"),
        source="MedXpertQA",
        split="test",
        vignette=vignette,
        question=question,
        options=_options(row),
        answer=_label(row),
        images=images,
        tags=tuple(str(row[key]) for key in ("medical_task", "question_type") if row.get(key)),
        image_folder=str(folder / "images") if images else "",
    )


def medqa(row: Mapping[str, Any], folder: Path) -> TeachingCase:
    """MedQA (USMLE): question, options as a mapping, answer_idx; ids are not given and come from the line."""
    del folder
    vignette, question = split_vignette(str(row["question"]))
    return TeachingCase(
        id=str(row.get("id") or f"medqa-{row['_line']}"),
        title=f"MedQA {row['_line']}",
        specialty="general",
        source="MedQA",
        split="test",
        vignette=vignette,
        question=question,
        options=_options(row),
        answer=str(row["answer_idx"]),
        tags=tuple(str(row[key]) for key in ("meta_info",) if row.get(key)),
    )


_MVME_PARTS = ("一般资料", "主诉", "现病史", "既往史", "个人史", "家族史", "查体", "辅助检查")


def mvme(row: Mapping[str, Any], folder: Path) -> TeachingCase:
    """MVME: a Chinese hospital record; the open question is the diagnosis, and the record has the answer."""
    del folder
    record = row["medical_record"]
    vignette = "\n".join(f"{part}: {str(record[part]).strip()}" for part in _MVME_PARTS if record.get(part))
    answer = str(record.get("初步诊断") or record.get("诊断结果") or record["诊断"]).strip()
    return TeachingCase(
        id=f"mvme-{row['id']}",
        title=str(record.get("主诉") or row["id"]).strip(),
        specialty=str(row.get("department") or "general"),
        source="MVME",
        split="test",
        vignette=vignette,
        question="最可能的诊断是什么？",
        answer=answer,
        gives_away=(answer,),
        explanation=str(record.get("诊断依据") or "").strip(),
        tags=("zh",),
    )


LOADERS: Mapping[str, Callable[[Mapping[str, Any], Path], TeachingCase]] = {
    "medxpertqa": medxpertqa,
    "medqa": medqa,
    "mvme": mvme,
}


def sniff(row: Mapping[str, Any]) -> str:
    """Which collection a row comes from, by its fields."""
    if not isinstance(row, Mapping):
        raise ValueError("this entry is not an object with fields")
    if "medical_record" in row:
        return "mvme"
    if "answer_idx" in row:
        return "medqa"
    if {"question", "options", "label"} <= row.keys():
        return "medxpertqa"
    raise ValueError("its fields fit none of MedXpertQA, MedQA and MVME")


def load_cases(path: Path) -> list[TeachingCase]:
    """Every case of a file: our own YAML, or a JSON or JSONL file of one of the collections."""
    text = read_text(path)
    if path.suffix in {".yaml", ".yml"}:
        return parse_cases(text, str(path), str(path.parent / "images"))
    cases = []
    for number, row in _rows(text, path):
        line, field = (0, f"entry {number}") if text.lstrip()[:1] == "[" else (number, "")
        try:
            cases.append(LOADERS[sniff(row)]({**row, "_line": number}, path.parent))
        except KeyError as error:
            raise bad_file(path, f"the field {error} is missing or unknown", line=line, field=field) from None
        except ValidationError as error:
            raise first_fault(error, path, line=line, field=field) from None
        except (ValueError, TypeError) as error:
            raise bad_file(path, str(error).splitlines()[0], line=line, field=field) from None
    if not cases:
        raise bad_file(path, "the file has no cases")
    return cases
