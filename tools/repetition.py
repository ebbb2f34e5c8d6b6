"""Count the lines of the package and how many of them are repeated, now or at earlier commits.

    python tools/repetition.py                    # the working tree
    python tools/repetition.py 1d26ae02 HEAD      # commits

A line is repeated if it is in a block of six lines that is somewhere else too. Two blocks are the same if their text
is the same, or if only names, strings and numbers differ (the same shape). Empty lines, comments, docstrings and
imports are not compared.
"""

from __future__ import annotations

import io
import keyword
import re
import subprocess
import sys
import tarfile
import tokenize
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).parent.parent
BLOCK = 6
_SKIPPED = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER}


def sources(commit: str = "") -> dict[str, str]:
    """The Python files under `src` at a commit, or in the working tree."""
    if not commit:
        return {str(path): path.read_text(encoding="utf-8") for path in sorted((ROOT / "src").rglob("*.py"))}
    packed = subprocess.run(["git", "archive", commit, "src"], cwd=ROOT, capture_output=True, check=True).stdout
    with tarfile.open(fileobj=io.BytesIO(packed)) as files:
        found = ((each.name, files.extractfile(each)) for each in files.getmembers() if each.name.endswith(".py"))
        return {name: file.read().decode() for name, file in found if file is not None}


def compared(text: str) -> tuple[list[str], list[str]]:
    """The lines of a file that are compared, and the shape of each."""
    shapes: dict[int, list[str]] = {}
    imports = False
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        first = token.line[: token.start[1]].strip() == ""
        if first and token.type == tokenize.NAME:
            imports = token.string in ("import", "from")
        if token.type in _SKIPPED or imports or (first and token.type == tokenize.STRING):
            continue
        shapes.setdefault(token.start[0], []).append(_shape(token))
    lines = text.splitlines()
    return [lines[number - 1].strip() for number in shapes], [" ".join(shape) for shape in shapes.values()]


def _shape(token: tokenize.TokenInfo) -> str:
    if token.type == tokenize.NAME and not keyword.iskeyword(token.string):
        return "name"
    return {tokenize.STRING: "text", tokenize.NUMBER: "0"}.get(token.type, token.string)


def repeated(files: list[list[str]]) -> int:
    """How many lines are in a block that occurs more than once."""
    blocks = [["\n".join(lines[at : at + BLOCK]) for at in range(len(lines) - BLOCK + 1)] for lines in files]
    times = Counter(block for each in blocks for block in each if re.search(r"\w", block))
    return sum(
        len({at + inside for at, block in enumerate(each) if times[block] > 1 for inside in range(BLOCK)})
        for each in blocks
    )


def main() -> int:
    """Print one row for each commit."""
    print(
        "| commit | files | lines | repeated to the letter | repeated in shape |\n| --- | ---: | ---: | ---: | ---: |"
    )
    for commit in sys.argv[1:] or [""]:
        texts = sources(commit)
        both = [compared(text) for text in texts.values()]
        lines = sum(text.count("\n") for text in texts.values())
        counts = [repeated([each[kind] for each in both]) for kind in (0, 1)]
        told = " | ".join(f"{count:,} ({1000 * count / lines:.1f} of 1,000)" for count in counts)
        print(f"| `{commit or 'now'}` | {len(texts)} | {lines:,} | {told} |")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
