"""What a reader already found in an episode."""

from __future__ import annotations

from dataclasses import dataclass, field

from polyclinic.core.reading import Finding, Question


@dataclass
class Memo:
    """Findings that an episode already has: the same question about the same text is asked only once.

    Concurrent branches do not see each other's findings until they are joined. So the questions that are asked never
    depend on which branch was quicker.
    """

    own: dict[tuple[str, Question], Finding] = field(default_factory=dict)
    before: Memo | None = None

    def get(self, text: str, question: Question) -> Finding | None:
        """A finding of this branch, or from before the branch started."""
        found = self.own.get((text, question))
        return found if found is not None or self.before is None else self.before.get(text, question)

    def branch(self) -> Memo:
        """A memo for a branch that starts now. Later findings of this memo are not visible in it."""
        return Memo(before=Memo(dict(self.own), self.before))
