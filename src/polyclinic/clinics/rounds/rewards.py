"""Training rewards for a tutor's output: three axes, seven criteria, integers from -2 to +2, and a veto. Plain
functions.

Where the paper contradicts itself, this module decides as follows:

- the reward is the plain sum of the criteria (the paper speaks of weights and states none);
- the analysis axis has AQ-1 and AQ-2 (not the three criteria that its appendix names);
- ``think_image`` is required exactly when the case has pictures (required in one place of the paper, absent in
  another);
- IS-1 is decided by rule: tags present, in order, one ``think_student`` for each student under the right name, and
  words to the group after them (the paper has "order and JSON" in one place and "tags and names" in another; its JSON
  object with the same two parts is read too);
- any of IS-1, CS-1 and CS-2 below zero makes the reward exactly -15, whatever the rest; otherwise it lies in -8 to
  +14.

A judge that fails gives no reward at all (None): it must never look like a bad tutor.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from polyclinic.clinics.rounds.rules.thinking import NotAsAsked, read_output, read_thinking
from polyclinic.core.message import Frozen

CRITERIA = ("IS-1", "IS-2", "IS-3", "AQ-1", "AQ-2", "CS-1", "CS-2")
JUDGED = CRITERIA[1:]
VETO = ("IS-1", "CS-1", "CS-2")
PENALTY = -15
LOWEST, HIGHEST = -2, 2


class Reward(Frozen):
    """A reward with the scores that it was made from. `vetoed` names the criteria that replaced the sum with the
    penalty.
    """

    value: int
    scores: dict[str, int]
    vetoed: tuple[str, ...] = ()


def structure(output: str, students: Sequence[str], with_images: bool) -> tuple[int, str]:
    """IS-1 by rule, with its reason.

    +2  everything holds;
    +1  everything required holds, but there is a picture part without a picture, or words outside the tags;
    -1  all required tags are there, but out of order, doubled, unclosed, empty, or with wrong or missing student names;
    -2  thinking and words cannot be separated, there are no words, or a required tag is missing.
    """
    try:
        read = read_output(output)
    except NotAsAsked as error:
        return -2, str(error)
    thinking = read_thinking(read.monologue, students, with_images)
    if thinking.missing:
        return -2, f"missing: {', '.join(thinking.missing)}"
    if thinking.faults:
        return -1, "; ".join(thinking.faults)
    if thinking.blemishes:
        return 1, "; ".join(thinking.blemishes)
    return 2, "all tags and names as asked, and words to the group"


def combine(scores: Mapping[str, int]) -> Reward:
    """The reward of seven criterion scores: the sum, or the penalty when a vetoing criterion is below zero."""
    if set(scores) != set(CRITERIA):
        raise ValueError(f"a reward needs exactly the criteria {', '.join(CRITERIA)}; got {', '.join(sorted(scores))}")
    for name, score in scores.items():
        if not LOWEST <= score <= HIGHEST:
            raise ValueError(f"{name} is {score}, outside {LOWEST} to {HIGHEST}")
    ordered = {name: scores[name] for name in CRITERIA}
    vetoed = tuple(name for name in VETO if ordered[name] < 0)
    return Reward(value=PENALTY if vetoed else sum(ordered.values()), scores=ordered, vetoed=vetoed)


def reward(output: str, students: Sequence[str], with_images: bool, judged: Mapping[str, int] | None) -> Reward | None:
    """The reward of one output: IS-1 by rule, the six judged criteria as given; None when the judge failed.

    A structural veto needs no judge: with IS-1 below zero the penalty applies even if the judge failed.
    """
    form, _ = structure(output, students, with_images)
    if judged is None:
        if form >= 0:
            return None
        judged = dict.fromkeys(JUDGED, 0)
    return combine({"IS-1": form, **judged})
