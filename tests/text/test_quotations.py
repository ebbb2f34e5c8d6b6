"""Words that a speaker quotes."""

from __future__ import annotations

import pytest

from polyclinic.text.quotations import without_echo


@pytest.mark.parametrize(
    ("text", "heard", "own"),
    [
        ('"Please have an ECG": is that what you mean?', "Please have an ECG.", ": is that what you mean?"),
        ('I know. "… in colour or amount", you say…', "Any change in colour or amount?", "I know. , you say…"),
        ('They said "it is cancer" to me.', "What did they say?", 'They said "it is cancer" to me.'),
        ('"Do you smoke?"', "Do you smoke?", '"Do you smoke?"'),
        ("I don't, and she doesn't.", "Do you smoke?", "I don't, and she doesn't."),
    ],
)
def test_only_what_was_just_heard_is_left_out(text: str, heard: str, own: str) -> None:
    assert without_echo(text, heard) == own
