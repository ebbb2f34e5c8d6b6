"""A clinic: everything the engine needs to know about one simulator, in one object that its package exports."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, Literal

from pydantic import TypeAdapter

from polyclinic.core.authoring import Writing, one_line
from polyclinic.core.campaign import Shared
from polyclinic.core.judge import Case, Judge, Metric
from polyclinic.core.known_scene import KnownScene
from polyclinic.core.model import role_of
from polyclinic.core.prompt import Prompt
from polyclinic.core.reading import READER, ReadingKind
from polyclinic.core.scenario import S_co, V_co
from polyclinic.core.services import Services
from polyclinic.core.understudy import Understudy
from polyclinic.errors import ConfigError, DataError, Owner, UnknownName

if TYPE_CHECKING:
    from polyclinic.core.board import BoardRoom
    from polyclinic.core.dataset import TrainedWeights, TrainingData
    from polyclinic.core.episode import Episode, EpisodeSpec
    from polyclinic.core.live import LiveService
    from polyclinic.eval.evaluation import Evaluate, WhatIf
    from polyclinic.eval.results import RunResults
    from polyclinic.eval.sections import Section
    from polyclinic.retrieval.pages import Page

Side = Literal["tested", "simulated", "judge", "reader"]

_OWNERS: Mapping[Side, Owner] = {"tested": "reply", "simulated": "simulated_user", "judge": "judge", "reader": "reader"}


@dataclass(frozen=True)
class Role:
    """A role in a clinic. `side` decides who owns a reply that cannot be read.

    With `seats`, several players have the role at the same time (``student-1``, ``student-2`` …), and a person takes
    one seat. `seats` names the field of the variant that says how many there are. `metrics` are those that say how well
    this role was played, for a person who played it. A role that the usual episode does not ask is not offered to
    people who want to practise: `asked_in` says where it is asked.
    """

    name: str
    about: str
    side: Side = "tested"
    seats: str = ""
    metrics: tuple[str, ...] = ()
    asked_in: str = ""

    @property
    def offered(self) -> bool:
        """Whether the usual episode asks this role."""
        return not self.asked_in

    @property
    def owner(self) -> Owner:
        """Which party is responsible for this role's unreadable replies."""
        return _OWNERS[self.side]

    @property
    def for_people(self) -> bool:
        """Whether people who practise can take this role and get feedback in words."""
        return self.side in ("tested", "simulated") and self.offered


READER_ROLE = Role(READER, "says what a text means", side="reader", asked_in="every reading of a text")


@dataclass(frozen=True)
class Mistake:
    """A named mistake that a role's understudy can be told to make, and what must notice it.

    With `metric`, this metric of a judge must be worse than in a clean run. With `rule`, a `Violated` event of that
    rule must appear. With `owner`, there must be a failure that this party owns. `variant` and `scenarios` say where
    the mistake can be seen, if the defaults do not show it.
    """

    name: str
    role: str
    about: str
    metric: str = ""
    rule: str = ""
    owner: Owner | None = None
    variant: str = ""
    scenarios: str = ""


@dataclass(frozen=True)
class Clinic(Generic[S_co, V_co]):
    """One simulator. `flow` is its whole control flow; the other fields describe it.

    `scenario_type` is the class of its scenarios, or a `TypeAdapter` if there are several classes; such a clinic has
    `own_writings`. `scenarios(selector, seed)` answers ``--scenarios``: a number, a name, ``name:count``, a file's
    path. `open_campaign` makes the shared state of a new campaign; committed effects are then applied to it. `prepare`
    creates what must exist before the campaign's first episode (a hospital in the records). It may be called again on
    resume. It gets the first episode, which names the run, variant and trial. `polyclinic evolve --cases N` runs
    `evolve_variant` over the scenarios ``evolve_selector:N``. `settings` are the names that ``--set`` takes; any other
    is refused. `check_settings` refuses a wrong value before a run is saved; fields of a variant need no such check.
    `needs` names the services that must be there (``records``: the hospital's FHIR records). `demo_settings` are the
    settings that ``polyclinic demo`` changes in a run with the demo's scenarios and variants, so that its report shows
    what the clinic is about. With `demo_learns`, it first learns from that many cases and uses what was learned.
    `demo_shows` are the titles of the report's sections that the demo shows unfolded.
    `play_scenarios` is what a person plays who chose no scenario. `play_by_role` replaces it for roles that do not
    appear there. If conversations can be in several languages, `in_language(selector, language)` is the person's
    selection (empty if they chose none) in their language (``en``, ``ko``). `service` says how live sessions with
    people are served, and `dataset` how episodes become training data. `documents` reads what
    `polyclinic ingest` wrote (the setting ``documents`` names the file). `readings` are the kinds of question that its
    flow and judges ask the reader. `known_scenes()` are questions to roles whose right answers are known, for
    auditions. `asked_in` says for a prompt that the first scenario does not ask in which scenarios and which variant it
    is asked (``polyclinic prompts show``); two empty texts mean the known scenes. `trainings` make the weights that a
    clinic ships, into the package or a file; each is a command (``polyclinic train guard``) whose help is its
    docstring. `whatif(asked)` simulates the clinic's operation, without conversations, under many settings
    (``polyclinic whatif``). `board` shows it as an operation that runs by its simulated clock. `report(results)`
    returns extra report sections, `headline` names the metrics that a report begins with. `own_writings` are the kinds
    of file that an author writes, if they are not scenarios as JSON lines. `left_out(selector)` says what a user's file
    holds that becomes no scenario. `rulebook()` shows the rules that people in
    this clinic must follow. `feedback(case, part, language)` is for a person who played this part (a role, or a seat of
    it), in the language of their page (``en``, ``ko``). `performance(case, role)` gives their own figures if the role's
    metrics do not have them; `own_metrics` says in words what these figures are. `misleading(case, role)` names figures
    that are not shown beside the feedback, because they seem to praise what it warns of. `ending(case, role)` says how
    the episode ended if the outcome's name says too little; `outcomes` says it in lists of episodes. `all_scenarios`
    selects all that are written, where the usual selection is smaller.
    """

    name: str
    title: str
    summary: str
    paper: str
    roles: tuple[Role, ...]
    scenario_type: type[S_co] | TypeAdapter[S_co]
    scenarios: Callable[[str, int], Sequence[S_co]]
    variants: Mapping[str, V_co]
    flow: Callable[[Episode[S_co, V_co]], Awaitable[str]]
    judges: Callable[[], Sequence[Judge[S_co, V_co]]]
    prompts: tuple[type[Prompt[Any]], ...]
    understudies: Mapping[str, type[Understudy]]
    mistakes: tuple[Mistake, ...] = ()
    libraries: tuple[str, ...] = ()
    needs: tuple[Literal["records"], ...] = ()
    open_campaign: Callable[[Sequence[S_co], V_co, int, Services], Shared] | None = None
    prepare: Callable[[Sequence[S_co], V_co, EpisodeSpec, Services], Awaitable[None]] | None = None
    report: Callable[[RunResults[S_co]], Sequence[Section]] | None = None
    feedback: Callable[[Case[S_co, V_co], str, str], Sequence[Section]] | None = None
    performance: Callable[[Case[S_co, V_co], str], Mapping[str, float]] | None = None
    own_metrics: tuple[Metric, ...] = ()
    misleading: Callable[[Case[S_co, V_co], str], Collection[str]] | None = None
    ending: Callable[[Case[S_co, V_co], str], str] | None = None
    outcomes: Mapping[str, str] = field(default_factory=dict)
    lint: Callable[[str], Sequence[str]] | None = None
    left_out: Callable[[str], Sequence[str]] | None = None
    own_writings: tuple[Writing, ...] = ()
    rulebook: Callable[[], Sequence[Section]] | None = None
    evaluations: Mapping[str, Evaluate] = field(default_factory=dict)
    whatif: WhatIf | None = None
    board: BoardRoom[S_co] | None = None
    service: LiveService[S_co] | None = None
    dataset: TrainingData[S_co] | None = None
    documents: Callable[[str], Sequence[Page]] | None = None
    trainings: Mapping[str, Callable[[Path | None], TrainedWeights]] = field(default_factory=dict)
    readings: tuple[ReadingKind, ...] = ()
    known_scenes: Callable[[], Sequence[KnownScene]] = tuple
    asked_in: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    settings: tuple[str, ...] = ()
    check_settings: Callable[[Services], None] | None = None
    default_variant: str = ""
    evolve_variant: str = ""
    evolve_selector: str = "evolve"
    demo_scenarios: str = "4"
    all_scenarios: str = ""
    play_scenarios: str = "1"
    play_by_role: Mapping[str, str] = field(default_factory=dict)
    in_language: Callable[[str, str], str] | None = None
    demo_variants: tuple[str, ...] = ()
    demo_settings: Mapping[str, Any] = field(default_factory=dict)
    demo_learns: int = 0
    demo_shows: tuple[str, ...] = ()
    headline: tuple[str, ...] = ()

    @cached_property
    def _by_name(self) -> dict[str, Role]:
        return {role.name: role for role in (READER_ROLE, *self.roles)}

    def role(self, name: str) -> Role:
        """The role. The error for an unknown role lists the names. ``student-2`` is played by the role ``student``."""
        role = self._by_name.get(name) or self._by_name.get(role_of(name))
        if role is not None:
            return role
        raise UnknownName("role in {1}", name, (role.name for role in self.roles), of=self.name)

    def read_scenario(self, body: str) -> S_co:
        """A scenario from the JSON that a store holds. Raises pydantic's `ValidationError`."""
        kind = self.scenario_type
        return kind.validate_json(body) if isinstance(kind, TypeAdapter) else kind.model_validate_json(body)

    def faults_in(self, path: str) -> list[str]:
        """The faults that `lint` finds in a user's file. A file that cannot be read at all counts as one fault."""
        if self.lint is None:
            raise ConfigError(f"{self.name} does not read case files")
        try:
            return list(self.lint(path))
        except DataError as error:
            return [str(error)]

    def notes_on(self, selector: str) -> list[str]:
        """Notes on what the user's file of a selection holds that becomes no scenario."""
        return [f"note: {line}" for line in self.left_out(selector)] if self.left_out else []

    @cached_property
    def writings(self) -> tuple[Writing, ...]:
        """The kinds of file that an author can write for this clinic; empty if the clinic reads no files."""
        kind = self.scenario_type
        if self.own_writings or self.lint is None or isinstance(kind, TypeAdapter):
            return self.own_writings
        return (one_line(kind, lambda: {case.id: case for case in self.scenarios("", 0)}),)

    def to_play(self, role: str, language: str, chosen: str = "") -> str:
        """The selection of scenarios for a person who speaks this language and may have chosen one."""
        wanted = chosen or self.play_by_role.get(role_of(role), "")
        return (self.in_language(wanted, language) if self.in_language else wanted) or self.play_scenarios

    def seats(self, role: str, variant: str) -> list[str]:
        """The seats of a role in a variant: ``student-1``, ``student-2`` …; empty for a role without seats."""
        field = self.role(role).seats
        many = int(getattr(self.variant(variant), field)) if field else 0
        return [f"{role_of(role)}-{number}" for number in range(1, many + 1)]

    def variant(self, name: str) -> V_co:
        """The variant. The error for an unknown variant lists the available names."""
        if name not in self.variants:
            raise UnknownName("variant of {1}", name, self.variants, of=self.name)
        return self.variants[name]

    @property
    def first_variant(self) -> str:
        """The variant that runs when none is named."""
        return self.default_variant or next(iter(self.variants))
