"""What an answer to the question about ending one's life says.

The guard reads each message by itself. "Yes." has no danger in it, but right after that question it is the gravest
answer there is. So an answer that agrees, or that leaves it open, calls people, whatever the guard makes of it.
"""

from __future__ import annotations

from polyclinic.clinics.counsel.rules.guard import Decision
from polyclinic.text.lazily import lazy_pattern
from polyclinic.text.normal import normalise

REASON = "the person was asked about ending their life and did not say no"
_WORDS_SHOWN = 200
_OPEN = lazy_pattern(
    r"\b(?:i )?(?:don't|dont|do not) know\b|\b(?:not|never) (?:so |really |quite |entirely )?sure\b|\bcan't say\b"
    r"|\bwouldn't (?:say no|rule it out)\b|\bnot yet\b|모르겠|글쎄|아직은"
)
_DENIES = lazy_pattern(
    r"\b(?:no|nope|nah|not|never|neither|none|nothing)\b|n't\b|\b(?:dont|wont|cant|havent|didnt|wouldnt)\b"
    r"|아니(?!면)|아뇨|안 |않|없|절대|전혀"
)
_FILLED = r"^\W*(?:(?:well|um+|uh+|oh|honestly|to be honest|i think|i guess|i suppose|actually|so|음+|저|사실)\W+)*"
_AGREES = lazy_pattern(
    rf"{_FILLED}(?:(?:y|ye|yes+|yeah+|yep|yup|ya|aye|mm+-?hm+|uh-?huh|correct|exactly|indeed|sometimes|often|lately"
    r"|maybe|perhaps|possibly|probably|now and then|every (?:day|night)|a (?:bit|little|lot)|kind of|sort of"
    r"|i think so|that too|ending it)\b"
    r"|(?:네|넵|예|응|그래|그렇|그럼|맞)(?![가-힣]{3})|가끔|때때로|자주|요즘)"
    rf"|{_FILLED}(?:i (?:have|do|am|did|would|want to)|right|true|sure|also"
    r"|어|으응|조금|좀|했어요?|들어요?|들었어요?)\W*$"
)
_BOTH = lazy_pattern(
    r"\b(?:both|(?:the )?(?:second|latter|last one|other one)|that too|as well"
    r"|thought(?:s)? (?:about|of) (?:it|that|doing|ending))\b|그런 생각[도이을]? ?(?:들|해|했|있)"
    r"|둘 ?다|두 ?번째|후자|뒤쪽|뒤의"
)
_WEARY = lazy_pattern(
    r"\b(?:tired|worn|weary|exhausted|pain|suffering|enough|first|former)\b|지쳐|지쳤|지친|힘들|고통|첫|전자"
)
"""Words of the question's other half: who is worn out agrees to that."""


def affirmed(answer: str) -> Decision | None:
    """The decision where the answer agrees or leaves it open; None where it denies or speaks of something else."""
    line = normalise(answer)
    agrees = _BOTH.search(line) or (_AGREES.search(line) and not _WEARY.search(line))
    if not _OPEN.search(line) and (_DENIES.search(line) or not agrees):
        return None
    return Decision(way="escalate", label="active", source="screen", reason=REASON, words=answer[:_WORDS_SHOWN])
