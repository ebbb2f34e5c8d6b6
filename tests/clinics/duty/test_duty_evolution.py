"""Edits stay only if they help, identities change slowly, and both are bounded."""

from __future__ import annotations

import pytest

from polyclinic.clinics.duty.evolve.identity import FROM_START, candidates
from polyclinic.clinics.duty.evolve.prompt_edits import TRIAL_EPISODES, edits_from
from polyclinic.clinics.duty.evolve.reports import R01, R02
from polyclinic.clinics.duty.prompts.replies import Correction
from polyclinic.clinics.duty.rules.norms.checker import NormVerdict
from polyclinic.clinics.duty.rules.norms.norm import inventory
from polyclinic.clinics.duty.rules.traits.compatibility import TraitRisk
from polyclinic.clinics.duty.rules.traits.drift import DriftReport, DriftSettings
from polyclinic.clinics.duty.state.prompt_book import MAX_CHARS, MAX_LINES
from polyclinic.clinics.duty.state.ward import Counted, RoleState
from polyclinic.core.seed import stream
from polyclinic.people.traits import draw_profile
from polyclinic.people.traits_survey import shipped_priors

NORMS = {norm.id: norm for norm in inventory()}
DOCTOR = draw_profile("doctor", shipped_priors()["doctor"], stream(1, "doctor"))
QUIET = DriftReport(distance=0.0, drift=False, top=())


def r01(episode: int, *broken: str, text: str = "Mind this.") -> R01:
    verdicts = tuple(
        NormVerdict(norm=norm, role="doctor", flag=True, severity=NORMS[norm].severity, rationale="r", words="w")
        for norm in broken
    )
    corrections = tuple(Correction(norm=norm, kind="check", text=text) for norm in dict.fromkeys(broken))
    return R01(role="doctor", episode=episode, broken=verdicts, causes=(), corrections=corrections)


def r02(episode: int, drift: DriftReport = QUIET, *risks: TraitRisk) -> R02:
    return R02(role="doctor", episode=episode, heard={}, drift=drift, risks=risks, inconsistent=(), relational=())


def counted(episode: int, **broken: int) -> Counted:
    named = {name.replace("_", "-"): times for name, times in broken.items()}
    return Counted(episode=episode, task="T1", actions=3, broken=named, traits={})


def after(state: RoleState, *reports: R01 | R02) -> RoleState:
    first = next((report for report in reports if isinstance(report, R01)), None)
    second = next((report for report in reports if isinstance(report, R02)), None)
    book = state.book
    for edit in edits_from(state, first, second, NORMS):
        book = book.applied(edit)
    return state.model_copy(update={"book": book})


def fresh() -> RoleState:
    return RoleState(role="doctor", anchor=DOCTOR, profile=DOCTOR)


def test_a_grave_breach_gets_a_line_at_once_and_a_mild_one_only_when_repeated() -> None:
    assert [line.key for line in after(fresh(), r01(1, "ESC-2")).book.lines] == ["norm:ESC-2"]
    assert after(fresh(), r01(1, "SAFE-1")).book.lines == ()
    twice = fresh().model_copy(update={"counted": (counted(1, SAFE_1=1),)})
    assert [line.key for line in after(twice, r01(2, "SAFE-1")).book.lines] == ["norm:SAFE-1"]


def test_a_correction_for_a_norm_that_was_kept_or_does_not_exist_is_ignored() -> None:
    report = r01(1, "ESC-2")
    foreign = Correction(norm="NOPE-1", kind="check", text="x")
    kept = Correction(norm="SAFE-2", kind="check", text="x")
    report = report.model_copy(update={"corrections": (foreign, kept)})
    assert after(fresh(), report).book.lines == ()


def test_a_line_that_changes_nothing_is_removed_after_its_trial_and_one_that_helps_stays() -> None:
    state = after(fresh().model_copy(update={"counted": (counted(1, ESC_2=1),)}), r01(2, "ESC-2"))
    born = state.book.lines[0].born
    useless = state.model_copy(update={"counted": tuple(counted(born + i, ESC_2=1) for i in range(TRIAL_EPISODES))})
    helpful = state.model_copy(update={"counted": tuple(counted(born + i) for i in range(TRIAL_EPISODES))})
    end = r01(born + TRIAL_EPISODES)
    assert after(useless, end).book.lines == ()
    assert "does not help" in after(useless, end).book.edits[-1].reason
    assert len(after(helpful, end).book.lines) == 1


def test_drift_adds_a_line_about_identity_and_a_risky_trait_adds_a_preventive_line() -> None:
    drift = DriftReport(distance=0.4, drift=True, top=(("directness", -0.4), ("shared_decision", 0.1)))
    risk = TraitRisk(dimension="uncertainty_communication", norm="SAFE-2", risk=0.6, suggestion="say how sure you are")
    keys = [line.key for line in after(fresh(), r02(5, drift, risk)).book.lines]
    assert sorted(keys) == ["norm:SAFE-2", "trait:directness"]
    mild = risk.model_copy(update={"risk": 0.1})
    assert after(fresh(), r02(5, QUIET, mild)).book.lines == ()


def test_the_book_stays_bounded_over_two_hundred_episodes_of_endless_breaches() -> None:
    state = fresh()
    names = sorted(NORMS)
    longest = 0
    for episode in range(1, 201):
        rng = stream("bounded", episode)
        broken = rng.sample(names, 4)
        drift = DriftReport(distance=0.5, drift=True, top=((rng.choice(sorted(DOCTOR.traits)), -0.5),))
        state = after(state, r01(episode, *broken, text=f"{'Mind this well. ' * 8}{episode}"), r02(episode, drift))
        state = state.model_copy(
            update={"counted": (*state.counted, counted(episode, **{n.replace("-", "_"): 1 for n in broken}))[-24:]}
        )
        longest = max(longest, state.book.chars)
        assert len(state.book.lines) <= MAX_LINES
    assert 0 < longest <= MAX_CHARS
    assert state.book.at(state.book.version).lines == state.book.lines


def test_candidates_move_each_trait_by_at_most_the_bound_and_stay_recognisable() -> None:
    settings = DriftSettings()
    heard = tuple(counted(i).model_copy(update={"traits": {"directness": 0.95}}) for i in range(6))
    state = fresh().model_copy(update={"counted": heard})
    for _ in range(12):
        options = candidates(state, settings)
        assert options[0].profile == state.profile
        for option in options[1:]:
            for name, trait in option.profile.traits.items():
                assert state.profile is not None
                assert abs(trait.mean - state.profile.traits[name].mean) <= settings.max_step + 1e-9
                assert abs(trait.mean - DOCTOR.traits[name].mean) <= FROM_START + 1e-9
        follow = next((option for option in options if option.name == "follow"), None)
        if follow is None:
            break
        state = state.model_copy(update={"profile": follow.profile})
    assert state.profile is not None
    assert state.profile.traits["directness"].mean > DOCTOR.traits["directness"].mean


def test_a_single_odd_episode_changes_nothing() -> None:
    usual = [counted(i).model_copy(update={"traits": dict(DOCTOR.means())}) for i in range(5)]
    odd = counted(6).model_copy(update={"traits": dict.fromkeys(DOCTOR.traits, 0.0)})
    state = fresh().model_copy(update={"counted": (*usual, odd)})
    assert [option.name for option in candidates(state, DriftSettings())] == ["present"]
    assert [option.name for option in candidates(fresh(), DriftSettings())] == ["present"]


def test_only_a_trait_that_deviates_for_long_changes() -> None:
    low = {**DOCTOR.means(), "uncertainty_communication": 0.2}
    heard = tuple(counted(i).model_copy(update={"traits": low}) for i in range(4))
    options = candidates(fresh().model_copy(update={"counted": heard}), DriftSettings())
    assert [option.name for option in options] == ["present", "follow", "safer"]
    for option, sign in zip(options[1:], (-1, 1), strict=True):
        moved = {name: trait.mean - DOCTOR.traits[name].mean for name, trait in option.profile.traits.items()}
        assert [name for name, step in moved.items() if step] == ["uncertainty_communication"]
        assert moved["uncertainty_communication"] * sign > 0


def test_without_a_profile_there_is_nothing_to_optimise() -> None:
    assert candidates(RoleState(role="admin"), DriftSettings()) == []
    with pytest.raises(ValueError, match="greater than or equal to 2"):
        DriftSettings(sustained=1)
