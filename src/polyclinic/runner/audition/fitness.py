"""Compute a verdict for each role from the played scenes, and the cost of a whole run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from polyclinic.core.model import NANO, ModelKind, total
from polyclinic.eval.sections import Block, Cell, Details, Dialogue, Line, Paragraph, Section, Table
from polyclinic.runner.audition.perform import Performance

EPISODES = 100
_LEAST = {
    "read": 0.95,
    "first": 0.85,
    "whole": 0.95,
    "part": 0.95,
    "tools": 0.8,
    "closed": 0.85,
    "right": 0.8,
    "length": 0.8,
    "seen": 1.0,
}
_MUST = frozenset(("read", "tools", "part", "right", "seen"))
_SAID = {
    "read": "replies stay unreadable",
    "first": "often asked again",
    "whole": "replies cut or repeated",
    "part": "falls out of the part",
    "tools": "tools used wrongly",
    "closed": "closed choices missed",
    "right": "wrong where the answer is known",
    "length": "too long",
    "seen": "does not see pictures",
}


@dataclass(frozen=True)
class RoleFitness:
    """How well a model did in one role of one clinic. A share is None if no scene measures it."""

    clinic: str
    role: str
    model: str
    kind: ModelKind
    performances: tuple[Performance, ...]
    calls_per_episode: float

    @property
    def shares(self) -> dict[str, float | None]:
        """The figures, each as a share of the scenes that it applies to."""
        plays = [play for play in self.performances if play.seen is None]
        stopped = sum(play.faults("cut", "run-on") for play in plays)
        tries = sum(len(play.tries) for play in plays)
        return {
            "read": _share(plays, lambda play: play.taken),
            "first": _share(plays, lambda play: play.first),
            "whole": 1 - stopped / tries if tries else None,
            "part": _share(self.performances, lambda play: play.in_part),
            "tools": _share(self.performances, lambda play: play.tool_right),
            "closed": _share(plays, lambda play: play.closed_right),
            "right": _share(plays, lambda play: play.right),
            "length": _share(plays, lambda play: play.length_kept),
            "seen": _share(self.performances, lambda play: play.seen),
        }

    @property
    def agrees(self) -> float | None:
        """How often closed choices are the same as the understudy's.

        This proves nothing: an understudy may be wrong.
        """
        return _share(self.performances, lambda play: play.agrees if play.seen is None else None)

    @property
    def faults(self) -> list[str]:
        """The figures that are too low for this role, the worst first."""
        low = [name for name, share in self.shares.items() if share is not None and share < _LEAST[name]]
        return sorted(low, key=lambda name: name not in _MUST)

    @property
    def fit(self) -> Literal["fit", "usable", "not fit"]:
        """Whether the model can play this role."""
        faults = self.faults
        return "not fit" if _MUST.intersection(faults) else "usable" if faults else "fit"

    @property
    def verdict(self) -> str:
        """`fit`, and what is wrong if anything is."""
        faults = ", ".join(_SAID[name] for name in self.faults)
        return f"{self.fit}: {faults}" if faults else self.fit

    @property
    def seconds(self) -> float:
        """The mean seconds for one reply, with all its tries."""
        return sum(play.seconds for play in self.performances) / max(1, len(self.performances))

    @property
    def tokens(self) -> tuple[float, float]:
        """The mean tokens read and written for one reply, with all its tries."""
        used = total([play.usage for play in self.performances])
        count = max(1, len(self.performances))
        return used.input_tokens / count, used.output_tokens / count

    @property
    def cost_usd(self) -> float:
        """The mean cost of one reply, with all its tries."""
        return total([play.usage for play in self.performances]).cost_nano_usd / NANO / max(1, len(self.performances))

    def as_json(self) -> dict[str, object]:
        """The figures as plain data for JSON."""
        read, wrote = self.tokens
        return {
            "clinic": self.clinic,
            "role": self.role,
            "model": self.model,
            "scenes": len(self.performances),
            "verdict": self.verdict,
            "shares": self.shares,
            "agrees": self.agrees,
            "seconds": self.seconds,
            "input_tokens": read,
            "output_tokens": wrote,
            "cost_usd": self.cost_usd,
            "calls_per_episode": self.calls_per_episode,
            "transcripts": [_plain(play) for play in self.performances],
        }


def _share(plays: Sequence[Performance], right: Callable[[Performance], bool | None]) -> float | None:
    known = [found for found in map(right, plays) if found is not None]
    return sum(known) / len(known) if known else None


def _plain(play: Performance) -> dict[str, object]:
    return {
        "prompt": play.scene.prompt,
        "asked": [{"role": message.role, "content": message.content} for message in play.scene.request.messages],
        "tries": [
            {
                "text": played.completion.text,
                "tools": [call.name for call in played.completion.tool_calls],
                "finish": played.completion.finish,
                "fault": played.fault,
            }
            for played in play.tries
        ],
        "taken": play.taken,
        "why": play.why,
    }


def fitness_table(found: Sequence[RoleFitness]) -> Table:
    """One row for each role."""
    rows: list[list[Cell]] = [
        [
            role.clinic,
            role.role,
            len(role.performances),
            *[_percent(share) for share in role.shares.values()],
            _percent(role.agrees),
            role.verdict,
        ]
        for role in found
    ]
    names = ["read", "first try", "whole", "in part", "tools", "closed", "right", "length", "pictures", "as understudy"]
    note = (
        "Each figure is a share of the scenes that it applies to. Read: the reply was accepted, after at most two"
        " retries. Whole: the reply was neither cut nor repeated. Tools: the right tool, with valid arguments. Closed:"
        " a choice from the list, at the first try. Right: the correct answer, in scenes where it is known. As"
        " understudy: the same choice as the understudy's, which is a hint and no proof."
    )
    return Table("Fitness by role", ["clinic", "role", "scenes", *names, "verdict"], rows, note)


def cost_table(found: Sequence[RoleFitness]) -> Table:
    """The cost of one call and of a whole run."""
    rows: list[list[Cell]] = []
    for role in found:
        read, wrote = role.tokens
        calls = role.calls_per_episode * EPISODES
        rows.append(
            [
                role.clinic,
                role.role,
                f"{role.seconds:.2f}",
                round(read),
                round(wrote),
                f"{role.cost_usd:.5f}",
                round(calls),
                *_whole_run([role]),
            ]
        )
    for clinic in dict.fromkeys(role.clinic for role in found):
        mine = [role for role in found if role.clinic == clinic]
        calls = round(sum(role.calls_per_episode for role in mine) * EPISODES)
        rows.append([clinic, "all roles", *[None] * 4, calls, *_whole_run(mine)])
    columns = ["clinic", "role", "s", "tokens in", "out", "USD", "calls", "tokens", "USD in all"]
    note = (
        f"The first figures are for one reply with all its tries, the last three for {EPISODES} episodes."
        " The number of calls is that of understudies: a model that must be asked again, or talks longer, takes more."
        " The reader's calls are the readings that judges and checks need."
    )
    return Table("What it costs", columns, rows, note)


def _whole_run(roles: Sequence[RoleFitness]) -> tuple[int, str]:
    """The tokens and the money that these roles take in a run."""
    tokens = sum(role.calls_per_episode * EPISODES * sum(role.tokens) for role in roles)
    return round(tokens), f"{sum(role.calls_per_episode * EPISODES * role.cost_usd for role in roles):.2f}"


def audition_sections(found: Sequence[RoleFitness]) -> list[Section]:
    """The tables, and the transcripts from which every figure comes."""
    sections = [Section("Fitness", [fitness_table(found), cost_table(found)])]
    for role in found:
        body: list[Block] = [Paragraph(f"{role.model}: {role.verdict}.")]
        body += [_scene(number, play) for number, play in enumerate(role.performances, start=1)]
        sections.append(Section(f"{role.clinic}: {role.role}", body))
    return sections


def _scene(number: int, play: Performance) -> Details:
    lines = [Line(message.role, message.content) for message in play.scene.request.messages]
    for played in play.tries:
        said = played.completion.text or ", ".join(call.name for call in played.completion.tool_calls)
        lines.append(Line("model", said, aside=played.fault, tone="warning" if played.fault else "plain"))
    if play.why:
        lines.append(Line("audition", play.why, tone="note"))
    mark = "accepted" if play.first else "accepted after a retry" if play.taken else "not accepted"
    return Details(
        f"{number}. {play.scene.prompt}: {mark}{f' ({play.why[:80]})' if play.why else ''}", [Dialogue(lines)]
    )


def _percent(share: float | None) -> str | None:
    return None if share is None else f"{share:.0%}"
