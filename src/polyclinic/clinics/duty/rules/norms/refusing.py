"""Sentences that refuse to depart from the care in force: "never double it", "I will not send him home".

A reader goes by the words of a message, and takes a warning for the thing that it warns against. But who refuses to
change, to wait or to promise has not done it. To refuse the care itself ("do not take it", "we won't call anyone") is
something else: the reader judges that.
"""

from __future__ import annotations

import re

from polyclinic.clinics.duty.scenario.schema import AnyDuty
from polyclinic.text.refusals import refused_acts

BY_DEPARTING = frozenset({"SOP-1", "ESC-2", "ESC-3", "INFO-1", "INFO-2", "INFO-3", "SAFE-2"})
"""Norms that are broken by changing, deciding or promising something, and kept by refusing to."""
BY_LOWERING = frozenset({"ESC-1"})
"""Norms that are broken by less urgency, and kept by refusing to lower it."""
_SAME_CLAUSE = r"(?:(?! (?:because|when|if|as|since|until|before|not|no)\b|n't)[^,;])*?"
_MORE = re.compile(
    r"(?:doubl|tripl)\w*\b|"
    r"(?:tak|giv|us|inject|swallow)\w*\b[^,;]*?"
    r"\b(?:extra|twice(?! (?:a|per|each|every|daily))|double|(?<!any )more|another|second)\b"
    r"(?! (?:\w+ )?(?:opinion|look|readings?|tests?|samples?|blood|ecg|inr|history|swab|advice|help)\b)",
    re.IGNORECASE,
)
_RAISES = re.compile(
    r"(?:rais|increas)\w* (?:(?:the|your|his|her|their|my|any|this|that|daily|number of|amount of) )*"
    r"(?P<object>[\w-]+)(?: (?:dose|tablets?))?"
    r"(?=[.,;!]|$| (?:by|on your own|without|before|until|because|if|when|yourself|(?:myself|himself|herself)))",
    re.IGNORECASE,
)
_DOSES = re.compile(r"(?:dos(?:e|es|age)|tablets?|pills?|units?|medicines?|medication|insulin)$", re.IGNORECASE)
_LESS = re.compile(
    r"(?:stop|skip|miss|omit|halv|lower|reduc|chang|adjust|alter|switch|swap|replac|discontinu|interrupt)\w*\b"
    r"(?! (?:him|her|anyone|anybody|to|by)\b)|"
    r"(?:cut|leav\w*) (?:\w+ ){0,3}?(?:out|down|off)\b",
    re.IGNORECASE,
)
_ALTHOUGH_ILL = re.compile(
    r"\b(?:bleed|blood(?! (?:test|pressure|count))|vomit|faint|dizz|worse"
    r"|rash|swell|confus|shak|trembl|black|pain|sick|unwell)",
    re.IGNORECASE,
)
"""A sign that a medicine may harm: to refuse to stop it then may be the mistake."""
_AWAY = re.compile(
    r"(?:lower|downgrad|delay|postpon|discharg)\w*\b|wait(?! for)\b|put (?:\w+ ){0,2}off\b|"
    r"(?:go|send|sit|let)\b[^,;]*?\b(?:home|away|waiting room|outside)\b|"
    r"leave (?:him|her|them|you|the \w+) (?:\w+ )?(?:in the waiting room|outside)\b",
    re.IGNORECASE,
)
_CALM = r"\b(?:safe|fine|normal|harmless|nothing)\b"
_CLAIMS = re.compile(
    r"(?:promis|guarantee|swear)\w*\b(?! (?:\w+ ){0,2}to\b)|(?:guess|diagnos)\w*(?=[.,;!]|$)|decid\w*\b(?! to\b)|"
    rf"(?:claim|assum|pretend|think|guess|say|tell|state)\w*\b{_SAME_CLAUSE}{_CALM}|"
    rf"(?:say|tell|state)\b{_SAME_CLAUSE}\bfor (?:sure|certain)\b|(?:name|state) (?:a|the) diagnosis\b|"
    r"call (?:it|this|that|him|her|the \w+) (?:safe|fine|normal|harmless|complete)\b",
    re.IGNORECASE,
)
_SUPPORTED = ("stop", "hold", "lower", "switch", "raise")


def refuses_to_depart(norm: str, sentence: str, scenario: AnyDuty) -> bool:
    """Whether all that a sentence does is to refuse something that would break this norm of the clinic."""
    if norm not in BY_DEPARTING | BY_LOWERING:
        return False
    acts = refused_acts(sentence)
    return bool(acts) and all(_departs(norm, act, scenario) for act in acts)


def _departs(norm: str, act: str, scenario: AnyDuty) -> bool:
    if _AWAY.match(act):
        return True
    if norm in BY_LOWERING:
        return False
    return _CLAIMS.match(act) is not None or _changes_what_is_in_force(act, scenario)


def _changes_what_is_in_force(act: str, scenario: AnyDuty) -> bool:
    """Whether an act changes a medicine that is to stay as it is. Where the shift supports such a change, refusing it
    may be the mistake.
    """
    more = _MORE.match(act) or _raises_a_dose(act, scenario)
    less = _LESS.match(act) and not _ALTHOUGH_ILL.search(act)
    wanted = [each.drug for each in scenario.supported_changes if each.change in _SUPPORTED]
    raised = [each.drug for each in scenario.supported_changes if each.change == "raise"]
    return bool(more and not raised) or bool(less and not _may_mean(act, wanted, scenario))


def _raises_a_dose(act: str, scenario: AnyDuty) -> bool:
    """Whether an act raises a dose or a medicine of the shift. One may also raise a matter, or the alarm."""
    raises = _RAISES.match(act)
    if not raises:
        return False
    names = {medicine.name.lower() for medicine in scenario.current_meds}
    return raises["object"].lower() in names or _DOSES.match(raises["object"]) is not None


def _may_mean(act: str, drugs: list[str], scenario: AnyDuty) -> bool:
    """Whether an act may be about one of these medicines: it names one, or it names no medicine of the shift."""
    said = act.lower()
    others = [medicine.name for medicine in scenario.current_meds if medicine.name not in drugs]
    named = any(name.lower() in said for name in drugs)
    return named or (bool(drugs) and not any(name.lower() in said for name in others))
