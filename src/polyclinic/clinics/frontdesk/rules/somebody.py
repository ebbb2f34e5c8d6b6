"""Whether the words around a value say that it is somebody else's: a contact's, a stranger's, or the caller's."""

from __future__ import annotations

from polyclinic.clinics.frontdesk.rules.clauses import KIN
from polyclinic.clinics.frontdesk.rules.owners import NEAR, NEVER_FOR, NOT_MINE, OTHER, PERSONAL, STRANGER, THIS
from polyclinic.clinics.frontdesk.rules.patients import patient_of
from polyclinic.text.lazily import lazy_pattern

_TURN = r"(?:no|oh|ah|shoot|damn|oops|whoops|wait|hang on|hold on|sorry|actually|hmm|silly me|my bad|wrong one|dear)"
_OTHERS_AFTER = lazy_pattern(
    rf"^[\s,.;!?'\")-]*(?P<turn>(?:{_TURN}[\s,.!;-]+)*)(?:(?:but|though|and|of course|well|um|uh|er)[\s,]+)*"
    rf"(?:(?:that|it|this)(?:'s| is| was|'d be| belongs to)|which is|is|was|s|belong(?:s|ed) to)\s+"
    rf"(?:actually |really |just |only |in fact )*(?:(?:my|our|his|her|their|the|your)(?: \w+){{0,2}}? {NOT_MINE}s?\b"
    rf"|(?:our )?(?!(?:what|it|that|here|there|who|let|where|how|patient|child)')[a-z]+'s\b|(?:his|hers|theirs"
    rf"|yours)\b)"
    r"|^(?: (?:down|here|written|listed|saved|stored|on my \w+)){0,3} (?:as|for) (?:your(?! (?:records?|files?|form"
    r"|system|list|info))"
    r"|the (?:hospital|clinic))\b"
)
"""What follows a value that is somebody else's: "…, oh no, that's our Jack's"."""
_NOT_TO_USE = lazy_pattern(
    r"\b(?:don't|do not|never) (?:you )?(?:put|write|use|take|note|enter|save|call|ring) (?:that|it|this|him|her"
    r"|them)\b"
    r"|\b(?:don't|do not|never) (?:\w+ )?(?:bother|disturb|wake|trouble) (?:him|her|them)\b"
    r"|\b(?:she|he|they)(?:(?:'s| is|'re| are) not| isn't) (?:the patient|the one|sick|ill|coming|unwell)\b"
)
_IS_PATIENT = r"(?:'s|s| is|,| will be)? (?:actually )?the (?:patient|one (?:who|you|that|coming))"
_PATIENT_IS = r"patient(?:'s|s)?(?: full)?(?: name)?(?:'s| is|:|,)?(?: called| is)?[\s\"']*"
_NAMED_PATIENT = {
    value: lazy_pattern(rf"\b{_PATIENT_IS} {value}|{value}[\s\"']*{_IS_PATIENT}") for value in (THIS, OTHER)
}
_REPORTED = lazy_pattern(
    r"^(?:,? (?:from|at|in|on|who) [\w' ]{1,20}?)?,? (?:told|said|says|asked|suggested|recommended|referred|sent"
    r"|gave|called"
    r"|rang|phoned|emailed|texted|wrote|booked|helped|spoke|saw|visited|came|comes|goes|uses|works|lives|brought"
    r"|taught|teaches"
    r"|drove|had|left (?:her|his|their|a|an|the)|forgot|dropped"
    r"|is (?:bringing|driving|waiting|with me|coming with|helping|translating|picking)|was (?:in|here|seen)|(?:is"
    r"|was) (?:your|the(?! (?:\w+ )?(?:name|surname|patient)\b)|one of))\b"
)
IS_SOMEBODY = lazy_pattern(
    r"^[\s']*(?:s|is|was) (?:my|our|his|her|your|the|an?) (?!(?:\w+ ){0,2}(?:name|names|surname|patient|one|full"
    r"|maiden)\b)[a-z]"
)
_FORMER_NAME = lazy_pattern(r"\b(?:maiden|previous|former|old|birth) name\b[^;]*$")
_TELLS_SELF = lazy_pattern(
    r"\b(?:i'm|i am|i was|name's|name is|names? (?:on|in)|my|mine|mine's|me|patient|this is|myself|call me|called"
    r"|under|it's|i)\b"
)
_STRANGERS = lazy_pattern(
    rf"\b(?:{NEVER_FOR}|{STRANGER})\b(?: (?:before|after|beside|next to|in front of) (?:me|us))?[\s,]*$"
)
_CONTACT_FOR = lazy_pattern(
    r"\b(?:emergency contact|contact person|next of kin|in (?:case of )?(?:an )?emergency|in case (?:something|anything"
    r"|of need))\b(?:(?!\b(?:i'm|i am|my name|mine)\b)[^;])*$"
)
_FOR_KIN_AFTER = lazy_pattern(rf"^ (?:is )?for (?:my|our|his|her) (?:\w+ )?{KIN}\b")
_AS_CONTACT = lazy_pattern(
    r"^[\s,)]*(?:is |as |for |she's |he's |that's )*(?:my |the |an |our )*(?:in case of (?:an )?emergenc\w+"
    r"|emergenc(?:y|ies)\b"
    r"|(?:emergency )?contact\b|next of kin)"
)
_ROLE_AFTER = lazy_pattern(
    rf"^(?: here| speaking| calling)?\s?,? (?:i'm )?(?:the|her|his|their|a|[\w-]+'s) (?:\w+ )?{KIN}\b(?!')"
)
"""Who the caller is to the patient: "I'm …, the grandmother"."""


def is_somebody_elses(words: str, before: str, after: str, kind: str) -> bool:
    """Whether the words after a value, or about the patient, say that it is another person's."""
    near = after[:NEAR]
    if _NOT_TO_USE.search(near) or (
        kind in ("phone", "name") and (_CONTACT_FOR.search(before) or _AS_CONTACT.match(near))
    ):
        return True
    if (
        kind == "name"
        and not names_patient(words)
        and _ROLE_AFTER.match(after)
        and OTHER in after
        and patient_of(words) != "speaker"
    ):
        return True
    if kind == "name":
        if OTHER in after and _FORMER_NAME.search(before):
            return True
        if names_patient(words):
            return False
        if _NAMED_PATIENT[OTHER].search(words) or _REPORTED.match(after) or _STRANGERS.search(before):
            return True
        if IS_SOMEBODY.match(after):
            return patient_of(words) != "other"
    names_no_self = bool(before.strip()) and not _TELLS_SELF.search(before)
    if names_no_self and kind in PERSONAL and OTHER in words and patient_of(words) == "speaker":
        return True
    if _FOR_KIN_AFTER.match(near) and OTHER in words:
        return True
    theirs = _OTHERS_AFTER.match(near)
    return theirs is not None and bool(theirs["turn"] or OTHER in words or patient_of(words) != "other")


def names_patient(words: str) -> bool:
    """Whether a masked text says that the one named is the patient."""
    return _NAMED_PATIENT[THIS].search(words) is not None
