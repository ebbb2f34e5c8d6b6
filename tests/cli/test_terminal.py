"""The commands in a real terminal: colour, width, line editing and history; and none of it in a pipe."""

from __future__ import annotations

import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from fcntl import ioctl
from itertools import pairwise
from pathlib import Path

import pytest

from polyclinic.text.layout import columns_of, filled

STYLE = re.compile("\x1b\\[[0-9;]*m")
ANY_CODE = re.compile(rb"\x1b\[[0-9;?]*[a-zA-Z]")
PATIENCE_S = 60.0
POLYCLINIC = (sys.executable, "-m", "polyclinic")


def in_terminal(folder: Path, words: tuple[str, ...], keys: tuple[str, ...], columns: int = 80, **extra: str) -> str:
    """What a terminal of this width shows. Each line of keys is typed when a prompt appears."""
    ours, theirs = pty.openpty()
    ioctl(ours, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    clean = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "COLUMNS", "LINES")}
    environment = {**clean, "TERM": "xterm-256color", "LC_ALL": "C.UTF-8", **extra}
    shown, waiting, seen, until = b"", list(keys), 0, time.monotonic() + PATIENCE_S
    with subprocess.Popen(
        (*POLYCLINIC, *words), cwd=folder, env=environment, stdin=theirs, stdout=theirs, stderr=theirs
    ) as command:
        os.close(theirs)
        while time.monotonic() < until:
            if select.select([ours], [], [], 0.2)[0]:
                try:
                    shown += os.read(ours, 65536)
                except OSError:  # the command has ended
                    break
            if waiting and re.search(rb"\S> $", ANY_CODE.sub(b"", shown[seen:])):
                seen = len(shown)
                os.write(ours, waiting.pop(0).encode())
            if command.poll() is not None and not select.select([ours], [], [], 0)[0]:
                break
        command.kill()
    os.close(ours)
    assert not waiting, shown.decode(errors="replace")
    return shown.decode(errors="replace").replace("\r\n", "\n")


def test_arrow_keys_home_end_and_history_edit_a_line(tmp_path: Path) -> None:
    typed = ("ood morning\x1b[HG\x1b[F to yu\x1b[Do\r", "\x1b[A again\r", "/quit\r")
    shown = in_terminal(tmp_path, ("play", "demo", "--role", "nurse"), typed)
    assert "nurse> Good morning to you again" in STYLE.sub("", shown)
    assert "You left." in shown and "\x1b[1mcaller\x1b[0m" in shown


def test_the_terminal_echoes_again_after_ctrl_c(tmp_path: Path) -> None:
    ours, theirs = pty.openpty()
    before, shown, until = termios.tcgetattr(ours)[3], b"", time.monotonic() + PATIENCE_S
    words = (*POLYCLINIC, "play", "demo", "--role", "caller")
    environment = {**os.environ, "TERM": "xterm-256color", "LC_ALL": "C.UTF-8"}
    with subprocess.Popen(words, cwd=tmp_path, env=environment, stdin=theirs, stdout=theirs, stderr=theirs) as command:
        while not shown.endswith(b"> ") and time.monotonic() < until:
            if select.select([ours], [], [], 0.2)[0]:
                shown = ANY_CODE.sub(b"", shown + os.read(ours, 65536))
        assert not termios.tcgetattr(ours)[3] & termios.ECHO, "line editing echoes by itself"
        command.send_signal(signal.SIGINT)
        while command.poll() is None and time.monotonic() < until:
            if select.select([ours], [], [], 0.2)[0]:
                shown += os.read(ours, 65536)
        command.kill()
    assert command.returncode == 130 and b"stopped; the conversation is saved" in shown, shown
    assert termios.tcgetattr(ours)[3] == before
    os.close(ours)
    os.close(theirs)


def test_no_color_means_no_colour_in_a_terminal(tmp_path: Path) -> None:
    commands: list[tuple[tuple[str, ...], tuple[str, ...]]] = [
        (("play", "demo", "--role", "nurse"), ("/quit\r",)),
        (("doctor",), ()),
    ]
    for words, keys in commands:
        coloured, plain = in_terminal(tmp_path, words, keys), in_terminal(tmp_path, words, keys, NO_COLOR="1")
        assert STYLE.search(coloured) and not STYLE.search(plain), words


def test_a_pipe_gets_no_codes(tmp_path: Path) -> None:
    for words in (("play", "demo", "--role", "nurse"), ("doctor",)):
        done = subprocess.run((*POLYCLINIC, *words), cwd=tmp_path, input="/quit\n", capture_output=True, text=True)
        assert done.stdout and "\x1b" not in done.stdout + done.stderr, words


@pytest.mark.parametrize(("columns", "language"), [(40, "C"), (120, "C"), (40, "ko_KR"), (80, "ko_KR")])
def test_lines_fit_in_english_and_in_korean(tmp_path: Path, columns: int, language: str) -> None:
    play, env = ("play", "counsel", "--role", "patient"), {"LC_ALL": f"{language}.UTF-8", "PYTHONUTF8": "1"}
    shown = in_terminal(tmp_path, play, ("/quit\r",), columns, **env).splitlines()
    lines = [line for line in shown if "polyclinic play --resume" not in line]
    assert lines and [line for line in lines if columns_of(line) > columns] == []
    assert any("가" <= char <= "힣" for line in lines for char in line) == (language == "ko_KR")


@pytest.mark.parametrize("width", [40, 80, 120])
def test_wrapping_counts_wide_characters_and_not_styles(width: int) -> None:
    for text in ("환자에게 언제부터 아팠는지 물어보세요 " * 8, "Ask when the pain began, and what it is like. " * 8):
        lines = filled(f"\x1b[2m{text}\x1b[0m", width, "  ").splitlines()
        assert len(lines) > 1 and all(columns_of(line) <= width for line in lines)
        assert STYLE.sub("", " ".join(lines)).split() == text.split()
        assert all(columns_of(f"{line} {after.split()[0]}") > width for line, after in pairwise(lines))


def test_a_word_that_is_wider_than_the_line_stays_whole() -> None:
    assert filled("see https://example.org/a/long/address now", 12).splitlines() == [
        "see",
        "https://example.org/a/long/address",
        "now",
    ]


@pytest.mark.parametrize(
    ("columns", "apart"),
    [
        (40, "The conversation is saved;\ncontinue with:\n  polyclinic"),
        (60, "continue with:\n  polyclinic"),
        (120, "continue with: polyclinic"),
    ],
)
def test_a_command_to_copy_is_never_broken_by_a_narrow_terminal(tmp_path: Path, columns: int, apart: str) -> None:
    words = ("play", "demo", "--role", "nurse", "--store", "mine.db")
    shown = in_terminal(tmp_path, words, ("1 x 2: take one tablet twice a day\r", "/quit\r"), columns)
    assert f"{apart} play --resume demo-" in shown
