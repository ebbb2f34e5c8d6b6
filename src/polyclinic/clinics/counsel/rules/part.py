"""Words with which the simulated patient of a talk falls out of character.

They name the counsellor as a script does, come from the description of the part, or are the counsellor's own.
"""

from __future__ import annotations

from polyclinic.core.part_signs import Sign
from polyclinic.text.lazily import lazy_pattern
from polyclinic.text.sentences import SENTENCE_START

SIGNS = (
    Sign(
        "speaks as an assistant",
        lazy_pattern(
            r"\bthe counsell?or's (?:advice|guidance|concerns?|support|help|care|understanding|words|efforts?)\b"
            r"|\b(?:from|by|with) the counsell?or(?:[.,]| and\b|$)|\bi (?:would like to )?thank the counsell?or\b"
            r"|\bhow i can help(?:\.|!|$)|\bnot sure what concerns you (?:have|may have)\b"
            r"|\bwhat the counsell?or (?:meant|means|said|says|wants?)\b|\bwhat the person is\b"
            r"|\bi(?: will|'ll) do my best to (?:help|assist|support|address|answer) you"
            r"|(?:질문이나 정보|정보)를 드릴 수|이 상담자의 말"
            r"|무엇이 (?:가장 )?(?:걱정되|두려우)(?:세요|신가요|십니까)"
            r"|(?:치료는|어떻게) [가-힣 ]{0,8}(?:하고 싶으세요|시작하시겠)"
            r"|대화를 (?:시작해 보세요|하려고 합니다)|응답하지 않았"
            r"|상담의 대상|상담이 필요하|마음이 전해(?:집니다|져요)"
        ),
    ),
    Sign(
        "echo of the instructions",
        lazy_pattern(
            r"그 말은 이미 했습니다|다른 말을 하세요"
            r"|\b(?:i am|i'm|as) [^.!?]{0,40}\bthe ill person\b|\bfirst language (?:is )?[a-z]+\b"
            r"|\ba counsellor is coming\b"
            r"|상담자(?:입니다|이며|로서|의 역할|가 (?:말한|직접))|도움을 (?:주는|받는) 사람|돕는 사람이 아닙니다"
            r"|아픈 사람 [가-힣]{2,5}입니다|(?:저|나)는 아픈 사람입니다"
            r"|(?:마음에 걸리는 것|소중히 여기는 것|믿고 있는 것|치료에 바라는 것)(?:[:과]|에 대해)"
            rf"|{SENTENCE_START}(?:병|가족|일|형편|신앙|말투): |말투를 하며|사투리에 "
            r"|퍼짐\.|물음\.|드러남\.|숨김\.|다님\.(?:\s|$)"
            r"|[가-힣](?:는|던) 것\.(?:\s|$)|형편은 [^.]{2,40}\. ?신앙은 |생활? 끝에 가까운"
        ),
    ),
    Sign("third person", lazy_pattern(rf"^그분[은이께] |{SENTENCE_START}당신[이은의] ")),
)
