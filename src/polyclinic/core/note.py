"""Notes: what a flow keeps for judges and reports beside what is said, one small class for each topic.

::

    class Offered(Note):
        topic = "offer"
        stage: int
        via: str

    episode.note(Offered(stage=1, via="tool"))
    [offered.via for offered in case.transcript.notes(Offered)]

A transcript holds the topic and the fields as plain data, so it can be read without the clinic. A field that is added
later needs a default, because older transcripts do not have it; one that is dropped is ignored when they are read.
"""

from __future__ import annotations

from typing import ClassVar

from pydantic import ConfigDict

from polyclinic.core.value import Value


class Note(Value):
    """Base of a clinic's notes. `topic` names it in transcripts and never changes."""

    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(extra="ignore")
    topic: ClassVar[str]
