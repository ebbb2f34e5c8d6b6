"""Whether a question is about how much of a medicine to take, or about an amount that kills.

Only people answer these. If another question is taken for one of them, this costs little: a person is offered.
"""

from __future__ import annotations

import re

from polyclinic.text.normal import normalise

_MOST_READ = 2000
"""How many characters are read at the beginning and at the end of a message."""
_MEDICINE = (
    r"(?:tablets?|pills?|capsules?|patch(?:es)?|lozenges?|drops|syrup|injections?|syringes?|ampoules?|morphine|oramorph"
    r"|oxy(?:codone|contin|norm)|fentanyl|codeine|tramadol|methadone|opioids?|painkillers?|pain (?:relief|meds?)"
    r"|medicines?|medications?|meds|drugs?|insulin|paracetamol|tylenol|acetaminophen|ibuprofen|aspirin"
    r"|sedatives?|sleeping \w+|diazepam|lorazepam|midazolam|steroids?|laxatives?)\b"
)
_ELSE = (
    r"(?! back\b| (?:it|this|that|my \w+|the \w+) back| (?:a |my |the )?(?:bath|shower|walk|nap|trip|break|rest|holiday"
    r"|dog|cat|pet|time|part|photos?|bus|train|car)\b)"
)
"""What else can be taken: a wish back, a bath, the dog."""
_MANY = (
    r"(?:doubl\w+|twice|tripl\w+|more|extra|another|additional|too (?:much|many)|two|three|four|\d+|both|several|half)"
)
_ENGLISH = re.compile(
    rf"\bhow (?:much|many|often)\b.{{0,80}}\b(?:take|{_MEDICINE})"
    r"|\b(?:over)?dos(?:e|es|ed|age|ages|ing)\b|\boverdos\w+|\blethal\b"
    r"|\b(?:double|increase|raise) (?:it|my|the|his|her)\b"
    rf"|\b{_MANY}(?: [\w']+){{0,3}} {_MEDICINE}"
    rf"|\b{_MEDICINE}.{{0,40}}\b(?:too (?:much|many)|at once|together|twice|double|more often|extra|early|fatal"
    r"|deadly)\b"
    rf"|\b(?:fatal|deadly|enough)\b.{{0,40}}\b(?:{_MEDICINE}|(?:die|kill|death)\b)"
    r"|\btake (?:too (?:much|many)|double|twice|two|three|more|extra|another|both|them all|all of (?:them|it))\b"
    r"|\b(?:can|may|could|should|shall|must|do) (?:i|we|he|she|they|my \w+) (?:\w+ly |just |also |still |now )?"
    rf"(?:take|swallow|inject){_ELSE}\b"
    rf"|\b(?:safe|ok|okay|all right|alright|allowed) (?:to|if i) (?:take|swallow|inject){_ELSE}\b"
    rf"|\b(?:mix\w*|combin\w+|alcohol|skip\w*|whole (?:bottle|box|packet))\b.{{0,40}}\b{_MEDICINE}"
    r"|\bstops? (?:your|my|the|his|her) (?:breathing|heart)\b"
    rf"|\b(?:can|may|could|should) (?:i|we) give\b.{{0,30}}\b{_MEDICINE}"
)
_DRUG = r"(?:(?<![가-힣])약|알약|모르핀|진통제|수면제|안정제|마약|패치|파스|주사|인슐린|펜타닐|타이레놀|스테로이드)"
_KOREAN = re.compile(
    r"(?:몇|(?<!돈이 )(?<!돈은 )(?<!비용이 )(?<!비용은 )(?<!병원비가 )얼마나).{0,12}(?:알|정|먹|맞|드)"
    r"|용량|과다|과량|치사|[두세2-9] ?배(?![가-힣]*[이우달])|곱절|한꺼번에"
    r"|(?:더|또) (?:먹(?![이여일])|맞아|맞을|맞으|붙이|붙여|복용|드셔도)"
    r"|(?:한|두|세|네|몇|여러|\d) ?(?:알(?![려아고게았지겠])|봉지)"
    rf"|{_DRUG}[을를은는]? ?(?:최대 |한 번에 |하루에 )?얼마나"
    rf"|{_DRUG}.{{0,12}}(?:더 |또 |많이|늘려|늘리|올려|올리|추가|같이|한 ?번에|자주"
    r"|(?<![가-힣])다 (?:먹|맞|붙|써|드)|모두|[두세2-9] ?(?:장|개|번))"
    rf"|{_DRUG}.{{0,10}}(?:먹어|맞아|붙여|써|복용해|드셔)도"
    r"|(?:[두세]|여러|2|3) ?장.{0,8}붙|(?:열|스무|서른|전부|통째|통째로) ?(?:알|먹|삼키)"
    rf"|술.{{0,12}}{_DRUG}|{_DRUG}.{{0,12}}(?:술|통째|전부)"
)


def asks_for_dose(question: str) -> bool:
    """Whether a question asks how much of a medicine to take, or whether to take one, or how much would kill. Only the
    care team says that, no document.
    """
    parts = {question[:_MOST_READ], question[-_MOST_READ:]}
    return any(pattern.search(normalise(part)) for part in parts for pattern in (_ENGLISH, _KOREAN))
