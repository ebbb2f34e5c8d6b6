"""The pages that raters read: instructions, then transcripts or single texts under anonymous ids, and questions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape

from polyclinic.eval.criteria import Criterion
from polyclinic.eval.html import page
from polyclinic.eval.html_blocks import render_block
from polyclinic.eval.sections import Cell, Dialogue, Line, Paragraph, Table

_HOW = (
    "Read one transcript at a time and answer every question with a whole number in your sheet (ratings_….csv), on "
    "the row with the transcript's code. Go through them in your sheet's order. Judge only what the transcript "
    "says, and each question separately. Leave a cell empty if you cannot tell. Please do not talk to other raters "
    "before all sheets are collected."
)

_HOW_TO_READ = (
    "For each code there is a text, what it is about, and one question. Answer in your sheet (ratings_….csv), on the "
    "row with this code, with one word: yes, no or unclear. Go through them in your sheet's order. Judge only what the "
    "text means, in whatever words: who merely touches the subject has not said it. Write unclear where a careful "
    "person could not tell; leave a cell empty if you skip it. Please do not talk to other raters before all sheets "
    "are collected."
)


def readings_page(items: Mapping[str, tuple[str, str, str]]) -> str:
    """Texts, each with its context and question, as one self-contained page; in order of their codes."""
    codes = sorted(items)
    contents = "".join(f'<li><a href="#{code}">{code}</a></li>' for code in codes)
    body = render_block(Paragraph(_HOW_TO_READ)) + "".join(_reading(code, *items[code]) for code in codes)
    nav = f'<nav aria-label="Texts"><ul>{contents}</ul></nav>'
    return page(f"Texts to read: {len(codes)}", nav, body)


def _reading(code: str, context: str, text: str, question: str) -> str:
    around = render_block(Paragraph(context, tone="note")) if context else ""
    said = "".join(f"<p>{escape(part)}</p>" for part in text.split("\n"))
    return (
        f'<section aria-labelledby="{code}"><h2 id="{code}">{code}</h2>{around}<blockquote>{said}</blockquote>'
        f"<p><strong>{escape(question)}</strong></p></section>"
    )


def packet_page(questions: Sequence[Criterion], items: Mapping[str, Sequence[Line]]) -> str:
    """The packet as one self-contained page; transcripts in order of their codes."""
    asked = "".join(_question(question) for question in questions)
    codes = sorted(items)
    contents = "".join(f'<li><a href="#{code}">{code}</a></li>' for code in codes)
    texts = "".join(
        f'<section aria-labelledby="{code}"><h2 id="{code}">Transcript {code}</h2>{render_block(Dialogue(items[code]))}'
        f'<p><a href="#questions">Back to the questions</a></p></section>'
        for code in codes
    )
    body = (
        f"{render_block(Paragraph(_HOW))}<section aria-labelledby=questions><h2 id=questions>Questions</h2>{asked}"
        f"</section>{texts}"
    )
    return page(f"Transcripts to rate: {len(codes)}", f'<nav aria-label="Transcripts"><ul>{contents}</ul></nav>', body)


def _question(question: Criterion) -> str:
    rows: list[list[Cell]] = [[levels.replace("..", " to "), words] for levels, words in question.anchors.items()]
    title = f"{question.id}: {question.question}"
    return f"<h3>{escape(title)}</h3>{render_block(Table('', ['score', 'looks like'], rows))}"
