"""The first words of feedback, the same in every clinic: danger, what was good, what is missing, the next step.

Fixed sentences are in tables, each in English and in Korean, so that feedback is in the language of the page. What
people said and what a case holds stays in its own language.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from polyclinic.eval.sections import Block, Paragraph, Section

LONGEST = 240
MOST = 3
LANGUAGES = ("en", "ko")
Sentences = Mapping[str, tuple[str, str]]
"""Fixed sentences by name: English, then Korean. Blanks are in braces."""
COMMON: Sentences = {
    "in short": ("In short", "요약"),
    "danger": ("This was dangerous: {words}", "위험했습니다: {words}"),
    "unsure": ("This may break a rule; look at it again: {words}", "규칙에 어긋날 수 있으니 다시 살펴보세요: {words}"),
    "unsafe": ("This may be unsafe; look at it again: {words}", "안전하지 않을 수 있으니 다시 살펴보세요: {words}"),
    "good": ("Good: {words}", "잘한 점: {words}"),
    "missing": ("Missing: {words}", "부족한 점: {words}"),
    "next": ("Next step: {words}", "다음 단계: {words}"),
    "caution": (
        "Your words are read by meaning, and the reader is not always right: judge for yourself.",
        "말씀은 뜻으로 읽으며, 읽는 쪽이 늘 옳지는 않습니다. 스스로 판단해 주세요.",
    ),
    "unmeasured": (
        "How well the part “{part}” is played is not measured. This is what the session recorded.",
        "이 역할을 얼마나 잘했는지는 측정하지 않습니다. 기록에 남은 것만 적습니다.",
    ),
    "your words": ("What you said", "하신 말씀"),
    "no words": ("You said nothing.", "아무 말씀도 하지 않으셨습니다."),
}


class Phrases:
    """The fixed sentences of a clinic's feedback in one language."""

    def __init__(self, language: str, own: Sentences) -> None:
        self._table = {**COMMON, **own}
        self._at = LANGUAGES.index(language)

    def __call__(self, name: str, /, **blanks: object) -> str:
        """The sentence of this name with its blanks filled in."""
        return self._table[name][self._at].format(**blanks)

    def in_short(
        self,
        *,
        danger: Sequence[str] = (),
        good: Sequence[str] = (),
        unsafe: Sequence[str] = (),
        unsure: Sequence[str] = (),
        missing: Sequence[str] = (),
        next_step: str = "",
        unmeasured: str = "",
    ) -> Section:
        """What a person reads first. What was dangerous comes first, as a warning, and none of it is left out. There
        are no filler sentences.
        `unsafe` and `unsure` are what the reader is not sure of: the person is asked to look at it again, and blamed
        for nothing.
        `unmeasured` names a part for which there is no measure; the feedback then says so.
        """
        blocks: list[Block] = []
        if unmeasured:
            blocks.append(Paragraph(self("unmeasured", part=unmeasured), tone="note"))
        blocks += [Paragraph(self("danger", words=words), tone="warning") for words in danger]
        blocks += [Paragraph(self("good", words=words)) for words in good[:MOST]]
        for name, doubted in (("unsafe", unsafe), ("unsure", unsure)):
            blocks += [Paragraph(self(name, words=words)) for words in doubted[:MOST]]
        blocks += [Paragraph(self("missing", words=words)) for words in missing[:MOST]]
        if next_step:
            blocks.append(Paragraph(self("next", words=next_step)))
        return Section(self("in short"), blocks)

    def your_words(self, said: Sequence[str]) -> Section:
        """What the person said, line by line, without a judgement."""
        lines = [Paragraph(quoted(text)) for text in said]
        return Section(self("your words"), lines or [Paragraph(self("no words"))])


def quoted(words: str) -> str:
    """Somebody's words in quotation marks, cut if they are long."""
    flat = " ".join(words.split())
    return f"“{flat if len(flat) <= LONGEST else flat[:LONGEST].rstrip() + '…'}”"
