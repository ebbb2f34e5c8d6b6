"""A user's own documents as pages of text: Markdown, plain text, HTML and PDF files. Nothing leaves this machine."""

from __future__ import annotations

import hashlib
import logging
import re
from collections.abc import Callable, Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Literal

from polyclinic.core.extras import install_hint
from polyclinic.core.files import bad_file
from polyclinic.core.message import Frozen
from polyclinic.errors import ConfigError
from polyclinic.text.normal import Lang, language_of

MOST_BYTES = 50_000_000
_BLANK = re.compile(r"\n{3,}")
_SKIPPED_TAGS = frozenset({"script", "style", "nav", "header", "footer", "noscript", "template", "svg", "form"})
_BLOCK_TAGS = frozenset(
    {"p", "div", "li", "tr", "section", "article", "br", "table", "ul", "ol", "blockquote", "dd", "dt"}
)
_HEADINGS = {f"h{level}": "#" * level for level in range(1, 7)}


class Page(Frozen):
    """A document: its title, its language, its text, and its origin as it is cited."""

    id: str
    title: str
    lang: Lang
    text: str
    origin: str


class _Words(HTMLParser):
    """The readable text of a page, with headings as Markdown, without scripts and other parts for machines."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.title, self.parts = "", list[str]()
        self._skipped, self._in_title = 0, False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Handle an opening tag: headings and blocks start a new line."""
        if tag in _SKIPPED_TAGS:
            self._skipped += 1
        elif tag == "title":
            self._in_title = True
        elif tag in _HEADINGS:
            self.parts.append(f"\n\n{_HEADINGS[tag]} ")
        elif tag in _BLOCK_TAGS:
            self.parts.append("\n\n" if tag == "p" else "\n")

    def handle_endtag(self, tag: str) -> None:
        """Handle a closing tag: end the heading, paragraph, title or skipped part."""
        if tag in _SKIPPED_TAGS:
            self._skipped = max(0, self._skipped - 1)
        elif tag == "title":
            self._in_title = False
        elif tag in _HEADINGS or tag == "p":
            self.parts.append("\n\n")

    def handle_data(self, data: str) -> None:
        """Add the text."""
        if self._in_title:
            self.title += data
        elif not self._skipped:
            self.parts.append(re.sub(r"\s+", " ", data))


def _read_text(path: Path) -> str:
    raw = path.read_bytes()
    for encoding in ("utf-8-sig", "cp949"):
        try:
            return raw.decode(encoding)
        except UnicodeDecodeError:
            continue
    raise bad_file(path, "neither UTF-8 nor CP949", fix="save it as UTF-8")


def _read_html(path: Path) -> str:
    reader = _Words()
    reader.feed(_read_text(path))
    reader.close()
    text = "".join(reader.parts)
    title = " ".join(reader.title.split())
    return f"# {title}\n\n{text}" if title and not re.match(r"\s*# ", text) else text


def _read_pdf(path: Path) -> str:
    try:
        from pypdf import PdfReader
        from pypdf.errors import PyPdfError
    except ImportError:
        raise ConfigError(f"PDF files need the extra 'pdf': {install_hint('pdf')}") from None
    logging.getLogger("pypdf").setLevel(logging.CRITICAL)  # what it cannot read is reported below, with the file's name
    try:
        return "\n\n".join(page.extract_text() or "" for page in PdfReader(path).pages)
    except (PyPdfError, ValueError, KeyError, TypeError, OSError, RecursionError) as error:
        raise bad_file(path, f"not a readable PDF ({type(error).__name__})") from None


READERS: dict[str, Callable[[Path], str]] = {
    ".md": _read_text,
    ".markdown": _read_text,
    ".txt": _read_text,
    ".html": _read_html,
    ".htm": _read_html,
    ".pdf": _read_pdf,
}


def read_page(path: Path, folder: Path, lang: Lang | Literal["auto"], origin: str) -> Page:
    """One file as a document. Raises `DataError` if it has no readable text."""
    if path.stat().st_size > MOST_BYTES:
        raise bad_file(path, f"larger than {MOST_BYTES // 1_000_000} MB", fix="split it")
    text = _BLANK.sub("\n\n", READERS[path.suffix.lower()](path).replace("\x00", "")).strip()
    if not text:
        raise bad_file(path, "no text in it (a scan without text recognition?)")
    inside = path.relative_to(folder).as_posix()
    heading = re.search(r"^#{1,6} +(.+)$", text, re.MULTILINE)
    title = (heading.group(1) if heading else text.splitlines()[0])[:120].strip() or path.stem
    slug = re.sub(r"[^a-z0-9가-힣]+", "-", inside.rpartition(".")[0].lower()).strip("-")[:60]
    mark = hashlib.sha256(inside.encode()).hexdigest()[:6]
    chosen: Lang = (language_of(text, 4) or "en") if lang == "auto" else lang
    return Page(id=f"{slug}-{mark}", title=title, lang=chosen, text=text, origin=origin or folder.name)


def readable_files(folder: Path) -> Iterator[Path]:
    """The readable files below the folder, in a fixed order; no files outside it and no hidden files."""
    root = folder.resolve()
    for path in sorted(folder.rglob("*")):
        hidden = any(part.startswith(".") for part in path.relative_to(folder).parts)
        if path.suffix.lower() in READERS and path.is_file() and not hidden and path.resolve().is_relative_to(root):
            yield path
