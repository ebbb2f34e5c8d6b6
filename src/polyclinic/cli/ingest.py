"""`polyclinic ingest`: a folder of your own documents becomes sources for a clinic, with one command."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import click

from polyclinic.cli.options import NewFile, json_option, print_json
from polyclinic.core.files import bad_file
from polyclinic.errors import DataError
from polyclinic.retrieval.pages import Page, read_page, readable_files
from polyclinic.runner.registry import clinics_with
from polyclinic.text.layout import number_of


@click.command(name="ingest", short_help="Turn a folder of documents into sources for a clinic.")
@click.argument("folder", type=click.Path(exists=True, file_okay=False))
@click.option(
    "--out",
    type=NewFile(),
    default=".polyclinic/documents.jsonl",
    show_default=True,
    metavar="FILE",
    help="File to write.",
)
@click.option(
    "--lang", type=click.Choice(["auto", "en", "ko"]), default="auto", show_default=True, help="Language of all files."
)
@click.option("--origin", default="", help="The origin, as it is cited.  [default: the folder's name]")
@json_option
def command(folder: str, out: str, lang: Literal["auto", "en", "ko"], origin: str, as_json: bool) -> int:
    """Turn a folder of documents into sources for a clinic.

    Reads Markdown, text, HTML and PDF files below FOLDER. Nothing leaves this machine.
    """
    root = Path(folder)
    pages: list[Page] = []
    left_out: list[str] = []
    for path in readable_files(root):
        try:
            pages.append(read_page(path, root, lang, origin))
        except DataError as error:
            left_out.append(str(error))
    for line in () if as_json else left_out:
        click.echo(f"left out: {line}", err=True)
    if not pages:
        raise bad_file(folder, "no documents found", fix="put .md, .txt, .html or .pdf files with text into it")
    target = Path(out)
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text("".join(page.model_dump_json() + "\n" for page in pages), encoding="utf-8")
    if as_json:
        print_json({"documents": len(pages), "file": str(target), "left_out": left_out})
        return 0
    click.echo(f"{number_of(len(pages), 'document')} in {target}. Use them with:")
    for clinic in clinics_with("documents"):
        click.echo(f"  polyclinic run {clinic} --set documents={target}")
    for clinic in sorted({*clinics_with("documents")} & {*clinics_with("service")}):
        click.echo(f"  polyclinic serve {clinic} --documents {target}")
    return 0
