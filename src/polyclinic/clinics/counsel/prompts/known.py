"""Questions whose right answers are known: what a model is asked before it may be the guard or the critic."""

from __future__ import annotations

from typing import Any

from polyclinic.clinics.counsel.prompts.counsellor import CounsellorComforts
from polyclinic.clinics.counsel.prompts.other import DeskWaits
from polyclinic.clinics.counsel.prompts.replies import Cue
from polyclinic.clinics.counsel.prompts.reviewers import CriticJudges, GuardChecks
from polyclinic.clinics.counsel.scenario import data
from polyclinic.core.known_scene import KnownScene


def known_scenes() -> tuple[KnownScene, ...]:
    """For the guard: messages with and without danger. For the critic: drafts with and without a fault. For the
    counsellor: the prompt for the last draft, because episodes with a good counsellor never reach that prompt. For the
    desk: what it is asked in a live conversation.
    """
    asked: dict[str, list[dict[str, Any]]] = data("audition")
    guard = [
        KnownScene(
            "guard",
            GuardChecks(lang=part["lang"], summary="", recent=(), utterance=said),
            {"label": tuple(part["right"])},
        )
        for part in asked["guard"]
        for said in part["says"]
    ]
    critic = [
        KnownScene(
            "critic",
            CriticJudges(lang=part["lang"], sources=(), asked="", utterance=part["says"], draft=draft),
            {"fault": tuple(part["right"])},
        )
        for part in asked["critic"]
        for draft in part["drafts"]
    ]
    comfort = [
        KnownScene(
            "counsellor", CounsellorComforts(lang=part["lang"], utterance=part["says"], cue=Cue(stage="opening"))
        )
        for part in (asked["critic"][0], asked["critic"][4])
    ]
    live = KnownScene("desk", DeskWaits(lang="en", step=1, control="agent"), auditioned=False)
    return (*guard, *critic, *comfort, live)
