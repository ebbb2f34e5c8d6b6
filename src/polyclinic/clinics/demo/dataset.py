"""Calls as training data: the question, and the answer that was right and understood."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from polyclinic.clinics.demo.scenario import Call
from polyclinic.core.dataset import TrainingData, TrainingRow, chat_turn
from polyclinic.core.transcript import Score, Started, Transcript

INSTRUCTION = "You answer a medicine helpline. Say the dose so that the caller understands it."


class HelplineData(TrainingData[Call]):
    """One row for each call that ended well."""

    title = "Medicine helpline"
    about = "Answers of a nurse on a helpline for invented medicines, in chat format, made by simulation."
    filters = "answers that the caller understood"
    variants = ("tool",)
    judges = ("dose",)
    least_reward = 1.0
    rows_per_episode = 0.5

    def rows(
        self, scenario: Call, transcript: Transcript, episode: str, scores: Sequence[Score]
    ) -> Iterator[TrainingRow]:
        """The caller's question and the nurse's last answer, with the share of right doses as the reward."""
        if transcript.outcome() != "understood":
            return
        question, answer = transcript.said("caller")[0], transcript.said("nurse")[-1]
        yield TrainingRow(
            id=f"{episode}/answer",
            kind="single",
            case=self.case(scenario),
            episode=episode,
            variant=transcript.of(Started)[0].variant,
            messages=(
                chat_turn("system", INSTRUCTION),
                chat_turn("user", question.text),
                chat_turn("assistant", answer.text),
            ),
            reward=next((score.value for score in scores if score.metric == "dose"), None),
        )

    def case(self, scenario: Call) -> str:
        """All calls about one medicine go into the same split, for training or for testing."""
        return scenario.leaflet.medicine


dataset = HelplineData()
