"""Questions of medical picture exams in the forms in which they are published: MedXpertQA, MMMU, PMC-VQA.

Files stay where they are; nothing is fetched. JSON, JSON lines, CSV and Parquet are read. Pictures are in the file
(Parquet) or in the folder `images` beside it.
"""

from __future__ import annotations

import ast
import csv
import io
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from polyclinic.clinics.rounds.scenario.loaders import load_cases
from polyclinic.clinics.rounds.scenario.shipped import image_bytes, image_kind
from polyclinic.core.files import bad_file, json_lines, parse_json, read_text
from polyclinic.core.message import Frozen, Image

LETTERS = "ABCDEFGHIJ"


class ExamQuestion(Frozen):
    """A question with lettered options; one of them is right."""

    id: str
    source: str
    question: str
    options: dict[str, str]
    answer: str
    pictures: tuple[Image, ...] = ()


def load_exam(path: Path) -> list[ExamQuestion]:
    """Every question of a file that has options; open questions are left out."""
    rows = list(_rows(path))
    if not rows:
        raise bad_file(path, "the file has no questions")
    first = rows[0] if isinstance(rows[0], Mapping) else {}
    if "Question" in first:
        questions = _each(_pmc_vqa, rows, path)
    elif "answer" in first and "question_type" in first:
        questions = _each(_mmmu, rows, path)
    elif path.suffix in (".parquet", ".csv"):
        raise bad_file(path, "its columns fit none of MedXpertQA, MMMU and PMC-VQA")
    else:
        questions = _cases(path)
    for question in questions:
        if question.answer not in question.options:
            raise bad_file(path, f"the answer {question.answer!r} is not one of its options", field=question.id)
    return questions


def _each(
    read: Callable[[int, Mapping[str, Any], Path], ExamQuestion | None], rows: Sequence[dict[str, Any]], path: Path
) -> list[ExamQuestion]:
    """The questions that `read` makes of the rows; an error names the row."""
    questions = []
    for number, row in enumerate(rows, start=1):
        try:
            question = read(number, row, path)
        except KeyError as error:
            raise bad_file(path, f"the field {error} is missing or unknown", field=f"entry {number}") from None
        except (ValueError, TypeError, SyntaxError) as error:
            raise bad_file(path, str(error).splitlines()[0], field=f"entry {number}") from None
        if question is not None:
            questions.append(question)
    return questions


def _rows(path: Path) -> Iterator[dict[str, Any]]:
    if path.suffix == ".parquet":
        import arro3.io

        yield from arro3.io.read_parquet(str(path)).read_all().to_struct_array().to_pylist()
        return
    text = read_text(path)
    if path.suffix == ".csv":
        yield from csv.DictReader(io.StringIO(text))
    elif text.lstrip()[:1] == "[":
        yield from parse_json(text, path)
    else:
        yield from (row for _, row in json_lines(text, path))


def _cases(path: Path) -> list[ExamQuestion]:
    """MedXpertQA and other collections that the rounds teach from."""
    return [
        ExamQuestion(
            id=case.id,
            source=case.source,
            question=case.public_text(),
            options=case.options,
            answer=case.answer,
            pictures=tuple(Image.from_bytes(image_bytes(case, image), image_kind(image.file)) for image in case.images),
        )
        for case in load_cases(path)
        if case.options
    ]


def _mmmu(number: int, row: Mapping[str, Any], path: Path) -> ExamQuestion | None:
    """MMMU: options as the text of a list, pictures in image_1 to image_7."""
    if row["question_type"] != "multiple-choice":
        return None
    given = row["options"]
    options = ast.literal_eval(given) if isinstance(given, str) else list(given)
    held = [row.get(f"image_{place}") for place in range(1, 8)]
    return ExamQuestion(
        id=str(row.get("id") or number),
        source="MMMU",
        question=str(row["question"]),
        options={LETTERS[place]: str(words) for place, words in enumerate(options)},
        answer=str(row["answer"]).strip(),
        pictures=tuple(_picture(one, path) for one in held if one is not None),
    )


def _pmc_vqa(number: int, row: Mapping[str, Any], path: Path) -> ExamQuestion:
    """PMC-VQA: four choices in columns, the answer as a letter or in words."""
    options = {}
    for letter in "ABCD":
        words = str(row[f"Choice {letter}"]).strip()
        options[letter] = words.removeprefix(f"{letter}:").removeprefix(f"{letter}.").strip()
    said = str(row.get("Answer_label") or row["Answer"]).strip()
    answer = said if said in options else next((at for at, words in options.items() if words == said), said)
    return ExamQuestion(
        id=str(row.get("index") or number),
        source="PMC-VQA",
        question=str(row["Question"]).strip(),
        options=options,
        answer=answer,
        pictures=(_picture(str(row["Figure_path"]), path),),
    )


def _picture(given: Any, path: Path) -> Image:
    """A picture that is in the row, or that the row names."""
    if isinstance(given, Mapping) and given.get("bytes"):
        return Image.from_bytes(given["bytes"], image_kind(str(given.get("path") or "")))
    name = str(given["path"] if isinstance(given, Mapping) else given)
    for folder in (path.parent / "images", path.parent):
        if (folder / name).is_file():
            return Image.from_bytes((folder / name).read_bytes(), image_kind(name))
    raise bad_file(path, f"picture '{name}' not found: put it next to this file or in a folder 'images' there")
