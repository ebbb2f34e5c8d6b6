"""Offline players with explicit habits, for every prompt. Baselines, never to be taken for a language model."""

from __future__ import annotations

from polyclinic.clinics.duty.understudies.judge import JudgeUnderstudy
from polyclinic.clinics.duty.understudies.patient import PatientUnderstudy
from polyclinic.clinics.duty.understudies.reflector import ReflectorUnderstudy
from polyclinic.clinics.duty.understudies.staff import StaffUnderstudy
from polyclinic.core.understudy import Understudy

UNDERSTUDIES: dict[str, type[Understudy]] = {
    "doctor": StaffUnderstudy,
    "nurse": StaffUnderstudy,
    "trainee": StaffUnderstudy,
    "admin": StaffUnderstudy,
    "patient": PatientUnderstudy,
    "reflector": ReflectorUnderstudy,
    "judge": JudgeUnderstudy,
}
