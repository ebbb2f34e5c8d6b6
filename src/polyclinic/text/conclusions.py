"""What a conclusion in free words settles on: its clauses, and whether each one stands, doubts, denies or asks.

Only a clause that stands names what the speaker settles on. "Not", "no" and "rather than" deny what follows them; after
a verb they deny the whole clause ("a stroke is not the cause"). A denial that names nothing ("I don't buy it") takes
back the clause before it.
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import pairwise
from typing import Literal, NamedTuple

from polyclinic.text.normal import straight
from polyclinic.text.questions import QUESTION_WORD, in_question_order

ClauseStance = Literal["stands", "doubts", "denies", "asks"]


class StatedClause(NamedTuple):
    """A clause as it was written. `opens`: a sentence begins with it. `concludes`: it begins with a word like "so".
    `reason`: it begins with a word like "because".
    """

    words: str
    stance: ClauseStance
    opens: bool = False
    concludes: bool = False
    reason: bool = False


def _any(*phrases: str) -> str:
    return rf"(?<![\w'])(?:{'|'.join(phrases)})(?![\w'])"


def _pattern(*parts: str) -> re.Pattern[str]:
    return re.compile("|".join(parts), re.IGNORECASE)


_REASON = (
    r"because|bc|cos|since|(?<!be )(?<!been )given|seeing|due to|considering"
    r"|as(?= (?:he|she|it|they|there|the|her|his|no|i)\b)"
)
_LEFT = r"what(?:'s| is)? (?:left|remains)"
_LEADS = (
    r"(?<!\bis )(?<!\bare )(?<!\bwas )(?<!looks )so(?! (?:much|many|far)\b)|hence|therefore|thus|ergo|in the end"
    r"|final(?:ly| answer| vote| choice)"
    r"|(?:which |that |this |only |and )*(?:leaves|leaving|makes it|(?:gets|brings) me to)"
    rf"|{_LEFT}(?: is)?|(?:i'm|i am) left with|i (?:end up|settle|choose|pick)|i'll take"
)
_INSTEAD = (
    r"rather than|instead of|as opposed to|in place of|ahead of|apart from|except|other than|unlike"
    r"|(?:any(?:thing)?|everything|all) but"
    r"|mimic(?:king|s|ked)|imitat(?:ing|es)|simulat(?:ing|es)|resembl(?:ing|es)|masquerad(?:ing|es) as|disguised as"
    r"|mis(?:taken|diagnosed) (?:for|as)|pretending to be|(?<!is )(?<!'s )(?<!are )(?<!was )looking like"
)
_TIME = r"the|it|time|\d\S*|last|an? (?:hour|day|week|month|year|few)|(?:\w+ )?(?:hours|days|weeks|months|years)"
_BEGINS = _pattern(
    rf"(?<![\w'])(?=(?:{_LEADS}|{_REASON}|{_INSTEAD}|(?<!any )(?<!anything )(?<!everything )(?<!all )but"
    r"|however|though|although|while|whereas|yet|which"
    r"|to (?:be|make) sure|in case|(?<!would )i (?:would )?say|i'd (?:say|go|call|choose|pick)|(?<=likely )than"
    r"|(?<=more )than"
    r"|and (?:then|not|no|against|never|neither|certainly|definitely|i|it|he|she|we|that|there)"
    rf"|over(?! (?:{_TIME})\b))(?![\w']))"
)
_CONCLUDES = _pattern(rf"^(?:and |but |then )?(?:{_LEADS})\b", r"\b(?:then|it is)$")
_SENTENCE_END = re.compile(r"\.(?!\w)[.!?]*|[!?;\n]+|(?<!\w)-+(?!\w)|-*=*>+|=|:(?!\d)|[()]")
_QUERY = re.compile(r"\s?\? ?(?=\w)")
_COMMA = re.compile(r",(?!\d)")
_NOT = _pattern(r"(?<![\w'])(?:not|no|nor|without)(?= \w)")
_VERB_BEFORE = _pattern(
    r"(?:'s|'re|'m|(?<![\w'])(?:is|are|was|were|be|am|been|has|have|had|does|do|did|can|could|will|would|should|must|may"
    r"|might|makes?|sees?|gives?|shows?|there|and|but|or|if|why|definitely|certainly|surely|clearly|really|well|just"
    r"|probably))$"
)
_VERB = 16
"""More characters than any verb of this pattern has."""

_SHORT_FORMS = {"w/o": "without", "w/ ": "with ", "r/o": "rule out", "-out": " out"}
_SURE = _pattern(
    _any(
        r"(?:no|without(?: a| any)?|beyond(?: any)?) (?:doubt|question|hesitation)",
        r"(?:until|unless) (?:proven|shown|you've shown me) otherwise|(?:nothing|none|nobody|no one) else",
        r"(?:can't|cannot|couldn't) be anything (?:else|but)",
    ),
    r", ?(?:is|does|was|would)n't (?:it|he|she|that)(?= *[,.]|$)",
)
"""Words that sound like a denial and deny nothing."""
_DENIES = _pattern(
    r"n't(?!\w)",
    _any(
        r"not|no|nor|neither|never|nope|nah|cannot|none|without|hardly|nobody",
        r"(?:is|does|would|could|was|did|has|are|do)nt",
        r"incorrect|false|disagree\w*|negative|lacks?|disproven|overruled",
        r"unlikely|improbable|implausible|impossible|incompatible|doubt(?:ful)?|rarer|wrong(?:ly)?|mistake|against",
        r"amazed|mimics?|impersonator|lookalike|look-alike",
        r"surprised?|fails?|clears?|let (?:it|that) go|far[ -]?fetched|red herring|distant second|a stretch|behind it",
        r"(?:less|least) (?:likely|probable|convincing|plausible)|fits? (?:worse|poorly|badly|less)",
        r"falls? away|done and dusted",
        r"(?:rul|leav|cross|struck|strik|throw|scratch|count|tak|put)(?:e|es|ed|s|ing|n)?(?: \S+){0,5}"
        r" (?:out|off|away|aside)",
        r"(?:is|are|was|were|that's|one's|it's|goes|drops) (?:\w+ly |now )?(?:out|off|gone)(?! (?:in|his|her|to)\b)",
        r"out(?= (?:as|imo|for me|then)\b)|out of the question",
        r"(?:off the|(?:well|way|far|further|lower) down)(?: the)?(?: \w+)?",
        r"(?:exclud|reject|discard|dismiss|disprov|eliminat|abandon|discount)(?:e|es|ed|s|ing)?|does away with",
        r"(?:drop|dropped|dropping|scratched|forget|scrap|kills?|avoid)(?= \w)|makes? (?:little|less) sense",
        r"too (?:old|young|rare|weak|slow|late|early|short|mild|far|little|quick|well|few|passive|drastic)",
        r"lower (?:down|on)|(?:it|that|them) lower",
        _INSTEAD,
    ),
    r"^(?:than|over|nothing)\b",
    r"^\S+(?: \S+)? (?:out|gone|goes)$",
)
_SPEAKER = (
    "i",
    "we",
    "you",
    "it",
    "he",
    "she",
    "that",
    "this",
    "they",
    "diagnosis",
    "answer",
    "choice",
    "pick",
    "vote",
)
_NOT_SPEAKER = "".join(rf"(?<!\b{word})" for word in _SPEAKER)
_DOUBTS = _pattern(
    _any(
        r"considered|wonder(?:ed|ing)?|thought (?:about|of)|(?:made|make) \w+ think|got a thought|worth asking|was my",
        r"tempt(?:ed|ing)|on (?:my|the) list|at first|initially|everyone|everybody|told|labell?ed|label",
        r"crossed my mind|unless|fears?|worr(?:y|ies|ied)",
        r"always|usually|typically|normally|tends? to|can (?:both )?(?:give|cause|do|be)|lasts|(?:is|are) for|only if",
    ),
    r"^(?:although|though|while|whereas|despite|even if|even though|if|unless|whether)\b",
    rf"{_NOT_SPEAKER}(?<=\w) (?:would|could)(?:'ve)? (?!be (?:my|the|best|right|first|better|what|it)\b)\w",
)
"""What the speaker thought of, or would expect: "measles would itch"."""
_TELLS = re.compile(rf"(?:{_LEFT}|so (?!{QUESTION_WORD})|\w+n't i$|(?P<adds>which|whose|when))\b", re.IGNORECASE)
"""A clause that does not ask, although it begins like a question: what is left, "so is a stroke", "haven't I", and
(`adds`) what is added to the clause before it ("a rash, which is itchy").
"""
_TAG = _pattern(r"^(?:surely|right|yes|i think|i guess|i'd say|isn't it)$")
_YES = _pattern(r"^ye(?:s|ah|p)\b")
_EMPTY = _pattern(
    _any(
        r"i|i'm|am|we|it|that|this|so|them|me|do|does|is|was|be|to|of|at|all|can|will|would|has|one|one's|the|case",
        r"then|far|way|chance",
        r"(?:do|does|did|is|was|ca|could|would|wo)n't|cannot|not|no|nope|nah|against|either|neither|both|longer",
        r"quite|really",
        r"think|buy|believe|see|fits?|here|but|and|though|let|go|gone|out|convinced?|sure|agree|surprised?",
        r"drop(?:ped)?|discard(?:ed)?|reject(?:ed)?|dismiss(?:ed)?|ruled?",
    ),
    r"\W",
)
"""The words of a denial that names nothing of its own."""
_OPEN = _pattern(
    _any(
        r"torn|undecided|wavering|50.?50|either way|back and forth|flip a coin|hard to \w+|chang\w+ my mind",
        r"arguments for",
        r"that(?:'s| is)? (?:much|all|as far as) i|(?:have|need) to think|(?:but|forget) which|depends|toss[- ]up",
        r"between(?= .+ and )|candidates?|possible|one of (?:them|those|these|the two)|the two of them|looked for",
        r"(?:could|might|may)(?: \S+){1,6}?,? (?:but |or )?(?:could|might|may)(?= )|maybe(?: \S+){1,4},? (?:or )?maybe",
        r"(?:before|until|till) (?:i|saying|deciding|choosing)|leave (?:it|both) \w+",
        r"(?:can't|couldn't|cannot|won't|wouldn't|haven't|not|unable to|don't)(?: \w+){0,3}"
        r" (?:say|tell|choose|decide|pick|commit|separate|settle|made up|make up|sure|bet|know|guess)",
    )
)


def leaves_open(text: str) -> bool:
    """Whether the speaker says that they have not settled."""
    return _OPEN.search(straight(text)) is not None


@lru_cache(maxsize=512)
def read_clauses(text: str, beside: re.Pattern[str] | None = None) -> tuple[StatedClause, ...]:
    """The clauses of a text in order, each with its stance. `beside`: a clause with such words is beside the matter. It
    counts as a doubt, unless it denies.
    """
    found: list[StatedClause] = []
    before, asked_about = 0, list[StatedClause]()
    plain = straight(text)
    for short, whole in _SHORT_FORMS.items():
        plain = plain.replace(short, whole)
    for sentence, asked in _sentences(_SURE.sub(" ", plain)):
        begins = len(found)
        for piece in _pieces(sentence):
            clause = _judged(piece, beside, opens=len(found) == begins)
            if found and found[-1].stance == "asks" and _YES.search(piece):
                found[before:begins] = asked_about
            if clause.stance == "denies" and not _EMPTY.sub("", piece):
                back = before if len(found) == begins else len(found) - 1
                found[back:] = [earlier._replace(stance="denies") for earlier in found[back:]]
            found.append(clause)
        if (asked and not _TAG.search(found[-1].words)) or any(map(_asks, found[begins:])):
            asked_about = found[begins:]
            found[begins:] = [clause._replace(stance="asks") for clause in asked_about]
        before = begins
    return tuple(found)


def _asks(clause: StatedClause) -> bool:
    tells = _TELLS.match(clause.words)
    return in_question_order(clause.words) and (tells is None or (clause.opens and tells["adds"] is not None))


def _sentences(text: str) -> list[tuple[str, bool]]:
    """The sentences of a text, and whether each has a question mark at its end, or before it ("? stroke")."""
    found, begins, queried = list[tuple[str, bool]](), 0, False
    for mark in _SENTENCE_END.finditer(f"{text}\n"):
        sentence = text[begins : mark.start()].strip()
        query = _QUERY.match(text, mark.start() - 1 if mark.start() else 0) is not None
        found.append((sentence, queried or ("?" in mark.group() and not query)))
        begins, queried = mark.end(), query
    return [(sentence, asked) for sentence, asked in found if sentence]


def _pieces(sentence: str) -> list[str]:
    """A sentence cut at commas, before words that begin a clause, and before a "not" that denies only what follows."""
    parts = [piece for part in _COMMA.split(sentence) for piece in _BEGINS.split(part)]
    return [piece.strip() for part in parts for piece in _before_not(part) if piece.strip()]


def _before_not(part: str) -> list[str]:
    """Cut before each "not" that follows no verb. Only the last word before it is looked at, so that a long text takes
    no longer than its length.
    """
    ends = [_end_of_words(part, match.start()) for match in _NOT.finditer(part)]
    cuts = [0, *(end for end in ends if end and not _VERB_BEFORE.search(part[max(0, end - _VERB) : end])), len(part)]
    return [part[a:b] for a, b in pairwise(cuts)]


def _end_of_words(part: str, end: int) -> int:
    while end and part[end - 1].isspace():
        end -= 1
    return end


def _judged(piece: str, beside: re.Pattern[str] | None, *, opens: bool) -> StatedClause:
    concludes = _CONCLUDES.search(piece) is not None
    doubts = _DOUBTS.search(piece) or (beside is not None and beside.search(piece))
    stance: ClauseStance = "denies" if _DENIES.search(piece) else "doubts" if doubts else "stands"
    reason = re.match(rf"(?:{_REASON})\b", piece, re.IGNORECASE) is not None
    return StatedClause(piece, stance, opens, concludes, reason)
