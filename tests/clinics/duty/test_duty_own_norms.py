"""A user's own norm on a user's own shift: the reader is asked about it as about the shipped ones."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path

from polyclinic.clinics.duty.rules.notes import NormsShown
from polyclinic.clinics.duty.scenario import by_id, shipped
from polyclinic.core.execute import EpisodeResult
from polyclinic.core.transcript import Called, Violated

NORM = """\
- id: HOUSE-1
  roles: [doctor]
  tasks: [T1]
  category: comm_safety
  if: a patient is worried
  then: nobody is told what they should have known
  severity: 5
  check: exact
  words: {if_says: [known better]}
  remind: Blame nobody.
- id: HOUSE-2
  roles: [doctor]
  tasks: [T1]
  category: disclosure
  if: a result is not there
  then: it is not given
  severity: 3
  check: reading
  remind: Give no result that is not there.
"""
Play = Callable[..., Awaitable[EpisodeResult]]


async def test_a_users_norms_are_read_and_their_exact_words_are_found(play: Play, tmp_path: Path) -> None:
    (tmp_path / "norms.yaml").write_text(NORM, "utf-8")
    shift = by_id(shipped())["t1-01-potassium"].model_copy(update={"calm": True})
    options = {"norms": str(tmp_path / "norms.yaml")}
    rude = await play(shift, mistakes={"doctor": {"brushes_off": 1.0}}, options=options)
    kind = await play(shift, options=options)
    assert "HOUSE-1" in {event.rule for event in rude.transcript.of(Violated)}
    assert "HOUSE-1" not in {event.rule for event in kind.transcript.of(Violated)}
    (noted,) = kind.transcript.notes(NormsShown)
    assert {"HOUSE-1", "HOUSE-2"} <= {norm.id for norm in noted.read_norms()}
    assert any(call.role == "reader" for call in kind.transcript.of(Called))
