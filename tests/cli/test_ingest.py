"""A user's folder becomes sources. Hidden files and files outside are not read, and unreadable files are reported."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from polyclinic.cli.ingest import command
from polyclinic.clinics.counsel.documents import documents
from polyclinic.clinics.counsel.tools import Knowledge
from polyclinic.errors import DataError
from polyclinic.retrieval.embedders import embedder
from polyclinic.retrieval.pages import read_page
from polyclinic.text.normal import Lang


def pdf(words: str) -> bytes:
    """A small correct PDF with one line of text."""
    stream = f"BT /F1 12 Tf 20 200 Td ({words}) Tj ET"
    objects = [
        "<</Type/Catalog/Pages 2 0 R>>",
        "<</Type/Pages/Kids[3 0 R]/Count 1>>",
        "<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 300]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>>>",
        f"<</Length {len(stream)}>>stream\n{stream}\nendstream",
        "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
    ]
    made, places = "%PDF-1.4\n", []
    for number, body in enumerate(objects, 1):
        places.append(len(made))
        made += f"{number} 0 obj{body}endobj\n"
    table = "".join(f"{place:010d} 00000 n \n" for place in places)
    made += f"xref\n0 6\n0000000000 65535 f \n{table}trailer<</Root 1 0 R/Size 6>>\nstartxref\n{len(made)}\n%%EOF\n"
    return made.encode("latin-1")


def fill(folder: Path) -> None:
    (folder / "deep").mkdir(parents=True)
    (folder / "a.md").write_text("# Axolotl care\n\nAxolotl care is offered on Mondays.", encoding="utf-8")
    (folder / "deep" / "b.txt").write_text("고래 치료는 화요일에 합니다. 고래 치료 안내입니다.", encoding="utf-8")
    (folder / "c.html").write_text(
        "<html><head><title>Numbat news</title><script>var x = 'secret';</script></head>"
        "<body><nav>menu</nav><h1>Numbat</h1><p>The numbat &amp; its friends eat termites.</p></body></html>",
        encoding="utf-8",
    )
    (folder / "d.pdf").write_bytes(pdf("Quokka therapy is given twice a year."))
    (folder / "e.docx").write_text("not read", encoding="utf-8")
    (folder / ".hidden.md").write_text("# Hidden\n\nsecret", encoding="utf-8")
    (folder / "empty.txt").write_text("  \n", encoding="utf-8")
    (folder / "broken.pdf").write_text("%PDF-1.4 nothing", encoding="utf-8")


def test_every_kind_of_file_is_found_by_its_words(tmp_path: Path) -> None:
    pytest.importorskip("pypdf")
    fill(tmp_path / "own")
    out = tmp_path / "documents.jsonl"
    done = CliRunner().invoke(command, [str(tmp_path / "own"), "--out", str(out), "--json"], standalone_mode=False)
    assert done.exception is None, done.output
    told = json.loads(done.output)
    assert told["documents"] == 4
    assert len(told["left_out"]) == 2 and any("empty.txt" in line for line in told["left_out"])
    pages = documents(str(out))
    assert {page.title for page in pages} >= {"Axolotl care", "Numbat"}
    assert all("secret" not in page.text and "menu" not in page.text for page in pages)
    sources = Knowledge(embedder("hashing"), pages)
    for question, lang, title in (
        ("When is axolotl care offered?", "en", "Axolotl care"),
        ("What does the numbat eat?", "en", "Numbat"),
        ("How often is quokka therapy given?", "en", "Quokka therapy is given twice a year."),
        ("고래 치료는 언제 하나요?", "ko", "고래 치료는 화요일에 합니다. 고래 치료 안내입니다."),
    ):
        assert sources.search(question, lang, 1)[0].title == title  # type: ignore[arg-type]


def test_the_same_folder_gives_the_same_bytes(tmp_path: Path) -> None:
    (tmp_path / "own").mkdir()
    for name in ("z", "a", "m"):
        (tmp_path / "own" / f"{name}.md").write_text(f"# {name}\n\ntext of {name}", encoding="utf-8")
    made = []
    for name in ("one", "two"):
        CliRunner().invoke(command, [str(tmp_path / "own"), "--out", str(tmp_path / name)], standalone_mode=False)
        made.append((tmp_path / name).read_bytes())
    assert made[0] == made[1] and made[0].count(b"\n") == 3


def test_an_empty_folder_is_refused_with_a_hint(tmp_path: Path) -> None:
    done = CliRunner().invoke(command, [str(tmp_path)], standalone_mode=False)
    assert isinstance(done.exception, DataError) and ".pdf" in str(done.exception)


def test_files_that_cannot_be_read_are_named_also_if_there_are_no_others(tmp_path: Path) -> None:
    pytest.importorskip("pypdf")
    (tmp_path / "broken.pdf").write_bytes(b"%PDF-1.4")
    done = CliRunner().invoke(command, [str(tmp_path)], standalone_mode=False)
    assert isinstance(done.exception, DataError)
    assert done.stderr.startswith("left out: ") and "broken.pdf: not a readable PDF" in done.stderr


def test_links_that_lead_out_of_the_folder_are_not_followed(tmp_path: Path) -> None:
    (tmp_path / "own").mkdir()
    (tmp_path / "outside.md").write_text("# Outside\n\nsecret", encoding="utf-8")
    (tmp_path / "own" / "in.md").write_text("# Inside\n\nfine", encoding="utf-8")
    (tmp_path / "own" / "link.md").symlink_to(tmp_path / "outside.md")
    out = tmp_path / "d.jsonl"
    CliRunner().invoke(command, [str(tmp_path / "own"), "--out", str(out)], standalone_mode=False)
    assert [page.title for page in documents(str(out))] == ["Inside"]


@pytest.mark.parametrize(
    ("text", "lang"),
    [
        ("완화의료는 통증을 덜어 줍니다", "ko"),
        ("Palliative care (완화) eases pain and much more than that", "en"),
        ("ECOG 3, CT: 간 전이", "ko"),
        ("12.5 / 30", "en"),
    ],
)
def test_the_language_is_recognised_by_its_script(tmp_path: Path, text: str, lang: Lang) -> None:
    (tmp_path / "page.txt").write_text(text, encoding="utf-8")
    assert read_page(tmp_path / "page.txt", tmp_path, "auto", "").lang == lang
