"""A line of a record in the words of the person who speaks. A file says "She sees rings", a patient says "I see rings".

A small child has a parent who speaks: "The patient has a cough" becomes "My son has a cough". A line that names other
people is changed only where it is plain who is meant.
"""

from __future__ import annotations

import re

from polyclinic.people.vignette import AGED_PERSON

_PATIENT = r"(?:the patient|patient|pt)"
_ADVERB = r"(?:(?:also|still|now|never|often|always|usually|sometimes|currently|only|just) )?"
_ACTS = (
    *("takes", "is", "has", "had", "was", "does", "did", "works", "lives", "smokes", "drinks", "denies", "reports"),
    *("uses", "eats", "sleeps", "feels", "complains", "states", "notes", "wears", "exercises", "suffers", "sees"),
)
_VERB = rf"(?:{'|'.join(_ACTS)})"
_SUBJECT = re.compile(rf"(?:^{AGED_PERSON}|\b{_PATIENT}|\bhe|\bshe)\b(?!') ({_ADVERB})([a-z]+)", re.IGNORECASE)
_FIRST = re.compile(rf"^(?:{AGED_PERSON}|{_PATIENT}|he|she)\b(?!') ({_ADVERB})([a-z]+)", re.IGNORECASE)
_BARE = re.compile(rf"^({_ADVERB})({_VERB})\b", re.IGNORECASE)
_JOINED = re.compile(rf"\b(and|or|but) ({_VERB})\b")
_OWNED = re.compile(rf"\b(?:{_PATIENT}'s|his|her)(?= \w)", re.IGNORECASE)
_OBJECT = re.compile(
    r"\b(?:him|her)\b(?! \w)|\b(?:him|her)(?= (?:when|and|or|but|at|in|on|if|to|from|while|after|with)\b)"
)
_OF_ONE = re.compile(r"\b(?:his|her)(?= (?:own )?(?:mother|father|parents?|wife|husband|partner|sister|brother)\b)")
_SELF = re.compile(r"\b(?:himself|herself)\b")
_OTHERS = re.compile(
    r"\b(?:mother|father|parents?|wife|husband|partner|brothers?|sisters?|sons?|daughters?|child|children|uncle|aunt"
    r"|grand\w+|friends?|doctor|nurse|neighbour|boyfriend|girlfriend)\b",
    re.IGNORECASE,
)
_DENIES = re.compile(
    r"\b(denies|deny|denied) (?:experiencing |having |any )*"
    r"(?!(?:that|to|it|this|him|her|me|being|doing|taking|using|smoking|drinking)\b)",
    re.IGNORECASE,
)
"""Only notes "deny" a symptom: a person says that they have none."""
_HAS_NO = {"denies": "has no ", "deny": "have no ", "denied": "had no "}
_DENIES_DOING = re.compile(r"\b(denies|deny|denied) (?:any )?(tak|us|smok|drink)ing\b", re.IGNORECASE)
_DOES_NOT = {"denies": "does not", "deny": "do not", "denied": "did not"}
_DOING = {"tak": "take", "us": "use", "smok": "smoke", "drink": "drink"}
_IRREGULAR = {"is": "am", "has": "have", "does": "do", "was": "was", "goes": "go", "presents": "came in"}


def in_own_voice(line: str, child: str) -> str:
    """The line as the patient says it, or as a parent does; `child` is "son" or "daughter" if a parent speaks."""
    line = _DENIES_DOING.sub(lambda found: f"{_DOES_NOT[found[1].lower()]} {_DOING[found[2].lower()]}", line)
    line = _begun(_DENIES.sub(lambda found: _HAS_NO[found[1].lower()], line))
    if child:
        return _of_child(line, child)
    others = _OTHERS.search(line)
    told = _BARE.sub(_about_me, line)
    told = (_FIRST if others else _SUBJECT).sub(_about_me, told)
    if told != line:
        told = _JOINED.sub(lambda found: f"{found[1]} {_first_person(found[2])}", told)
    if others and len(_OTHERS.findall(line)) == 1:
        told = _OF_ONE.sub("my", told)
    if others and told == line:
        return _begun(_OWNED.sub("my", line, count=1)) if _OWNED.match(line) else line
    return _begun(_SELF.sub("myself", _OWNED.sub("my", _OBJECT.sub("me", told))))


def _about_me(found: re.Match[str]) -> str:
    return f"I {found[1].lower()}{_first_person(found[2])}"


def _of_child(line: str, child: str) -> str:
    he, his = ("he", "his") if child == "son" else ("she", "her")
    told = _BARE.sub(lambda found: f"{he} {found[1].lower()}{found[2].lower()}", line)
    told = re.sub(rf"\b{_PATIENT}'s\b", his, told, flags=re.IGNORECASE)
    return _begun(re.sub(rf"^{AGED_PERSON}\b|\b{_PATIENT}(?= )", f"my {child}", told, flags=re.IGNORECASE))


def _first_person(verb: str) -> str:
    """A verb after "he" or "she" as it is after "I"."""
    low = verb.lower()
    if low in _IRREGULAR:
        return _IRREGULAR[low]
    if low.endswith("ies") and len(low) > 4:
        return f"{low[:-3]}y"
    if low.endswith(("sses", "shes", "ches", "xes", "oes")):
        return low[:-2]
    return low[:-1] if low.endswith("s") and not low.endswith(("ss", "us")) else low


def _begun(text: str) -> str:
    return text[:1].upper() + text[1:]
