"""What the teaching dataset is made from, what is reserved for testing, and what its card says."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from polyclinic.clinics.rounds.dataset.rows import TeachingRow, rows_of
from polyclinic.clinics.rounds.judges.reward import metric_name, plain_reward, rubric_reward
from polyclinic.clinics.rounds.rewards import CRITERIA, PENALTY
from polyclinic.clinics.rounds.rules.view import TurnContext
from polyclinic.clinics.rounds.scenario.case import TeachingCase
from polyclinic.clinics.rounds.scenario.choose import base_id
from polyclinic.clinics.rounds.scenario.loaders import load_cases
from polyclinic.clinics.rounds.scenario.shipped import data_folder, shipped_cases
from polyclinic.core.dataset import GradeOutput, OutputReward, Pictures, Split, TrainingData, counted
from polyclinic.core.judge import Bench
from polyclinic.core.seed import stream
from polyclinic.core.transcript import Score, Transcript

_WEAK = "understudy:mistake="


class TeachingData(TrainingData[TeachingCase, TeachingRow]):
    """Every draft of a tutor with its reward, and whole sessions as the students heard them."""

    title = "ClinTeach rounds"
    about = "Socratic teaching turns of a tutor for groups of medical students, in chat format, made by simulation."
    filters = "drafts of a tutor that thinks in tags, refused ones too, each with the reward of its own text"
    row = TeachingRow
    variants = ("full", "one-student", "students-2", "students-4", "students-5")
    scenarios = "all"
    judges = ("reward",)
    least_reward = float(PENALTY)
    most_reward = 14.0
    rows_per_episode = 4.0
    casts = (
        "all=understudy",
        f"tutor={_WEAK}tells@0.4+ignores@0.5,all=understudy",
        f"tutor={_WEAK}false_fact@0.4+harm@0.2+aimless@0.3,all=understudy",
        f"tutor={_WEAK}bad_form@0.4+leak@0.4+stubborn@0.3,all=understudy",
    )
    role = "tutor"
    rewards = ("rubric", "plain")
    penalty = float(PENALTY)

    async def graded_rows(
        self, scenario: TeachingCase, transcript: Transcript, episode: str, scores: Sequence[Score], grade: GradeOutput
    ) -> list[TeachingRow]:
        """The rows: each draft alone, and the session as one conversation if it has several turns."""
        return await rows_of(transcript, episode, scores, grade)

    async def grade(self, context: str, output: str, bench: Bench, reward: str = "") -> OutputReward:
        """The three-axis reward with its veto, or one plain score."""
        moment = TurnContext.model_validate_json(context)
        if reward == "plain":
            return OutputReward(await plain_reward(moment, output, bench))
        made = await rubric_reward(moment, output, bench)
        judged = CRITERIA if "IS-1" not in made.vetoed else ("IS-1",)
        return OutputReward(made.value, {metric_name(name): made.scores[name] for name in judged}, made.vetoed)

    def case(self, scenario: TeachingCase) -> str:
        """The id of the case itself: a case that is repeated under another id is the same case."""
        return base_id(scenario.id)

    def split(self, scenario: TeachingCase, test_share: float) -> Split:
        """Our own test cases are always held out. Where a larger share is wanted, more of our cases are held out too,
        chosen by their id like cases of other collections.
        """
        chance = stream("dataset-split", scenario.source, self.case(scenario)).random()
        if scenario.source != "polyclinic":
            return "test" if chance < test_share else "train"
        sides = [case.split for case in shipped_cases()]
        already = sides.count("test") / len(sides)
        more = (test_share - already) / (1 - already)
        return "test" if scenario.split == "test" or chance < more else "train"

    def question(self, scenario: TeachingCase) -> str:
        """What a student would be asked."""
        return scenario.public_text()

    def held_out(self, files: Sequence[Path]) -> Sequence[TeachingCase]:
        """Our own test cases, and those of the user's files (MedXpertQA, MedQA, MVME, YAML)."""
        own = [case for case in shipped_cases() if case.split == "test"]
        return own + [case for path in files for case in load_cases(path)]

    def player(self, row: Mapping[str, Any]) -> str:
        """The tutor, if the row holds the first draft of a turn; else empty."""
        return str(row["tutor"]) if row["draft"] == 1 else ""

    def pictures(self, scenarios: Iterable[TeachingCase]) -> Pictures:
        """Finds a picture by its file name: in the cases' folders, then among the shipped ones."""
        folders = sorted({case.image_folder for case in scenarios if case.image_folder})

        def read(name: str) -> bytes:
            for folder in folders:
                if Path(folder, name).is_file():
                    return Path(folder, name).read_bytes()
            return data_folder().joinpath("images", name).read_bytes()

        return read

    def counts(self, rows: Sequence[TeachingRow]) -> dict[str, dict[str, int]]:
        """Where cases come from, specialties, sizes of the groups, and who tutored."""
        return {
            "sources": counted(row.source for row in rows),
            "specialties": counted(row.specialty for row in rows),
            "students": counted(str(len(row.students)) for row in rows),
            "tutors": counted(row.tutor for row in rows),
            "heard by students": counted("yes" if row.approved else "no" for row in rows),
            "vetoed by": counted(name for row in rows for name in (row.vetoed or ("nothing",))),
        }


dataset = TeachingData()
