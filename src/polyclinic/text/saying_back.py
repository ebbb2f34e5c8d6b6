"""Whether a message asks the listener to say the plan back (teach-back). This is a form of words: a rule finds it.

A sentence asks for it if it asks for words ("tell me", "would you repeat", "talk me through") about what the listener
will do or has heard, or if it is a question about what they will do.
"""

from __future__ import annotations

from functools import lru_cache

from polyclinic.text.lazily import lazy_pattern
from polyclinic.text.normal import normalise
from polyclinic.text.sentences import is_question, sentences

_WH = r"(?:what|how|when|which|where|who)"
_WILL = (
    r"(?:'ll|'d|'re (?:going )?to| will| would| should| must| are (?:going )?to"
    r"| need to| have to| plan to| do| take| use)"
)
_THROUGH = r"(?:run|walk|talk|take|go|lead)\b(?: \w+){0,3}? (?:through|over)"
_SAY = (
    r"(?:tell|say|repeat|explain|describe|show|recap|recall|summari[sz]e|list|hear|rehearse|state|play|read|put"
    rf"|{_THROUGH})"
)
_PERIOD = r"(?:tonight|tomorrow|morning|evening|day|week)s?(?:'s)?"
_PLAN = "|".join(
    (
        r"(?:in|with) your (?:own )?words",
        rf"{_WH} (?:\w+ ){{0,3}}?you{_WILL}\b",
        rf"{_WH} (?:\w+ ){{0,3}}?{_PERIOD} ?(?:\w+ ){{0,2}}?(?:will|going to|gonna|look)",
        r"what you(?:'ve| have)? (?:understood|heard|understand|remember|taken)",
        r"what (?:i|we)(?:'ve| have)? (?:just )?(?:said|told|explained|agreed|discussed|planned|decided|asked)",
        r"what (?:happens|comes) (?:next|now|then)",
        r"what to (?:do|take)",
        r"(?:the|our|your|this) (?:plan|steps|instructions)",
        r"(?:those|these|the|all) (?:\w+ )?(?:steps|things|points|parts)",
    )
)
_SAY_PLAN = lazy_pattern(rf"\b{_SAY}\b[^.?!;]{{0,80}}?\b(?:{_PLAN})")
_THING = r"(?:that|it|this|them|all|these|those)"
_SAY_AGAIN = lazy_pattern(
    rf"\b(?:say|tell|read|play|give|explain|teach)\b(?: \w+){{0,3}}? back\b|\b(?:repeat {_THING}|say {_THING} to me)\b|"
    rf"\b{_THROUGH} {_THING}\b|\b(?:explain|describe|teach) {_THING} to \w+"
)
_PLANS = lazy_pattern(
    rf"\b{_WH} (?:\w+ ){{0,4}}?(?:will|would|are|shall) you (?:\w+ ){{0,3}}?"
    r"(?:do|doing|take|taking|use|using|call|ring|go|start|stop|explain|tell|manage|handle|sort)\b|"
    r"\bwhat do you do (?:if|when)\b|\bwhat did you (?:take|hear|understand|get) from\b|"
    r"\bwhat will (?:your|the) \w+ look like\b"
)
_ASKED = lazy_pattern(
    r"\b(?:please|i'd like|i would like|i want|could you|can you|would you|will you|let me hear|let's hear)\b|"
    rf"(?:^|[,:;] |\b(?:now|so|then|and|but|just) )(?:{_SAY})\b"
)
_OURS = lazy_pattern(rf"\b(?:i|we)(?:'ll| will| shall| can|'m going to) (?:\w+ )?{_SAY}\b|\blet me (?!hear){_SAY}\b")


def asks_to_say_back(sentence: str) -> bool:
    """Whether this sentence asks the listener to say what they will do, or what they have heard."""
    text = normalise(sentence)
    if _OURS.search(text):
        return False
    question = is_question(sentence)
    if question and _PLANS.search(text):
        return True
    return bool((question or _ASKED.search(text)) and (_SAY_PLAN.search(text) or _SAY_AGAIN.search(text)))


@lru_cache(maxsize=1_024)
def saying_back(text: str) -> tuple[int, ...]:
    """Which sentences of a message, counted from 0, ask for it."""
    return tuple(place for place, part in enumerate(sentences(text, lines=False)) if asks_to_say_back(part))
