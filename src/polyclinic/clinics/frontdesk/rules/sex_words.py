"""The words that tell a sex, and the patterns by which `sexes` finds of whom they tell it."""

from __future__ import annotations

import re

from polyclinic.people.locales import Sex
from polyclinic.text.lazily import lazy_pattern

WORDS = {
    "female": r"fe?e?mal?e?s?|fem|femail|feminine|wom[ae]n|lady|girl|gal|lass|여자|여성|여아|여학생",
    "male": r"male|masc|masculine|man|gentleman|gent|guy|bloke|chap|lad|fella|fellow|dude|boy|남자|남성|남아|남학생",
}
RELATIVES = {
    "female": r"mother|mum|mom|mummy|mama|wife|grandmother|grandma|granny|nan|gran|daughter|sister|widow"
    r"|aunt|auntie|niece|girlfriend|granddaughter|mother-in-law|sister-in-law|bride|housewife"
    r"|mother-to-be|어머니|엄마|아내|딸|할머니",
    "male": r"father|dad|daddy|papa|husband|grandfather|grandpa|grandad|granddad|son|brother|widower"
    r"|uncle|nephew|old man|boyfriend|grandson|father-in-law|brother-in-law|groom|아버지|아빠|남편|아들|할아버지",
}
TITLES = {"female": r"mrs|ms|miss|madam|ma'am", "male": r"mr|mister|sir"}
OBJECT = {"female": "her", "male": "him"}
CHILD = {"female": "girl|lass", "male": "boy|lad"}
PRONOUNS = {"female": r"she|her|hers|herself", "male": r"he|him|his|himself"}
BODY = {
    "female": r"pregnan\w+|gave birth|giving birth|my waters|my periods?|menopaus\w*|gyn(?:ae|e)colog\w*"
    r"|i'm expecting(?! (?:a |an |you|to|some|the|my))|breast-?feeding|my womb|maiden name|(?<!'s )smear(?: test)?"
    r"|(?<!'s )mammograms?"
    r"|my breasts|my monthl(?:y bleeding|ies)|can't feel the baby|hysterectomy"
    r"|(?:i'm|i am) (?:[\w-]+ ){1,3}(?:weeks|months) (?:gone|along)|(?:i'm|i am) carrying (?:a (?:baby|child)|twins"
    r"|triplets)"
    r"|in my (?:first|second|third|last) trimester|the baby(?:'s| is) due|my due date|my (?:\w+ )?ovar(?:y|ies)"
    r"|in my (?:\w+th|first|second|third|last) month(?! (?:a[st]|i[ns]|of|on|with|without|here|at)\b)",
    "male": r"(?<!'s )prostate|psa test|my (?:\w+ )?testic\w*|my beard|my scrotum|my penis|vasectomy",
}
LETTER = {
    sex: lazy_pattern(
        rf"\b(?:sex|gender)\b\W*(?:is\W+)?{sex[0]}\b|\b\d{{1,3}}\W?{sex[0]}\b|^\W*{sex[0]}\W*$"
        rf"|(?<!')\b{sex[0]}\W{{1,2}}\d{{1,3}}\b"
        rf"|\b(?:put|enter|write|it's|tick|just|an?|mark|choose|not|as|is|be|say|says|correct) (?:an? |the "
        rf"|down )*['\"]?{sex[0]}\b(?!'\w)"
    )
    for sex in ("female", "male")
}
SELF = lazy_pattern(
    r"\b(?:i'm|im|i am|am|i was|i've been|being|as|put|tick|enter|write|mark|circle|choose|down|box|sex|gender"
    r"|it's|its|it is|patient|she is"
    r"|she's|he is|he's|me|myself|here|speaking|born|register|say|says|should|i)\b|^\W*(?:a "
    r"|an )?[\w가-힣]+(?: here| speaking| please| pls| too)?\W*$"
)
STAFF = lazy_pattern(
    r"^'?s? ?(?:\w+ )?(?:doc(?:tor)?s?|\w+ologists?|\w+icians?|gynae|dentists?|therapists?|physicians?|nurses?"
    r"|wards?|staff|toilets?|loos?|surgeons?|specialists?|gp|consultants?|name\b(?! is)|voice|changing"
    r"|friends?|interpreter|clothes|magazine|disease|problem|thing|section|side|clinic|side|patients|trouble)"
)
STAFF_IS = lazy_pattern(
    r"\b(?:doctor|dr|nurse|surgeon|consultant|gp|receptionist|dentist|person|who)\b\.?[^.;]{0,40}\b(?:is|was|'s"
    r"|be)(?: \w+){0,2} an? (?:\w+ )?$"
)
WISHED = lazy_pattern(
    r"\b(?:prefer|rather|want|like|see|have|ask(?:ing)? for|wish(?:ing)? for|need|request|with|by|book|find"
    r"|get)\b(?: \w+){0,3} (?:an? )?(?:\w+ )?$|\bward for (?:an? )?$|\b(?:to|for|of|like|from) an? (?:\w+ )?$"
)
BYSTANDER = lazy_pattern(
    r"(?<!-)\b(?:the|that|this|some|another|your|which|those|these|one|young|old|nice|kind"
    r"|other|what|every|any|no) (?:\w+ )?$"
)
NOT = lazy_pattern(
    r"\b(?:not|isn't|ain't|aren't|never|no|than|neither|nor|wasn't|rather than|instead of"
    r"|don't (?:put|write|tick))(?: (?:a|an|the|to be|being|put|say|so))*\s*['\"]?$"
)
VERB = (
    r"(?:says?|said|told|tells|thinks?|made|makes|booked|drove|drives|called|rang|swears|sent|recommended|goes"
    r"|and i\b|who (?:told|said)|wants me|wanted me"
    r"|had|works|used|lives|brought|noticed|does|did|is (?:waiting|here|outside|with|driving|a|the)|was|will|can"
    r"|usually|always|came|comes (?:along|with|too)|joins|waits|helps|translates|sees|saw|left|gave|took|picks?)\b"
)
WRONG = lazy_pattern(
    r"\b(?:but|should be|wrong|mistake|incorrect|error|can't be|not (?:true|right|correct|so|me)|isn't (?:true|right"
    r"|correct|so|me))\b"
)
OF_OTHERS = lazy_pattern(r"^(?:is|are|do|does|have|has|which|where|who|can|could)\b(?!.*\b(?:i'm|i am|my|me)\b)")
OPPOSITE: dict[Sex, Sex] = {"female": "male", "male": "female"}
YOU_PUT = lazy_pattern(
    r"\b(?:you|they|someone|somebody|who|it|card|form|screen|letter)(?:'ve| have|'s| has)? (?:\w+ )?(?:put|wrote"
    r"|written|have"
    r"|entered|typed|marked|listed|got|says|said|ticked)\b[^.;]*$"
)
RECORD = lazy_pattern(
    r"\b(?:form|papers?|screen|card|file|record|letter|wrote|computer|wristband|bracelet|label|receipt|badge|sticker"
    r"|slip)\b"
)
KOREAN_NOT = lazy_pattern(r"^[가이는은]? ?(?:아니|아닙)")
SLIP_BEFORE = lazy_pattern(
    r"\bi(?:'ve| have)? (?:\w+ )?(?:clicked|ticked|put|chose|selected|marked|entered|wrote|typed|pressed|checked"
    r"|said|hit"
    r"|picked|circled|filled in)(?: (?:on|the|down|in|an?|box|for))*[\s'\"]*$"
)
SLIP = lazy_pattern(r"\b(?:by (?:mistake|accident|error)|accidentally|wrongly|mistakenly|in error|oops|whoops)\b")
"""What somebody put down themselves, and wrongly: "I clicked male by mistake"."""
SOMEBODY = lazy_pattern(
    r"(?:^|(?<!i'm) (?<!i am )(?<!is )(?<!as )(?<!was )(?<!be )(?<!it's )(?<!he's )(?<!she's ))an? (?:\w+ )?$"
)
ACTS = lazy_pattern(
    r"^ (?:answered|picked|told|said|called|rang|came|helped|from|at (?:the|your)|was|took|gave|spoke|with|in (?:a"
    r"|the)|on the)\b"
)
THE_PATIENT = {
    sex: lazy_pattern(
        rf"\b(?:{PRONOUNS[sex].split('|')[0]}|(?:{RELATIVES[sex]}))(?:'s| is) (?:actually )?the (?:patient|(?:sick"
        rf"|ill|unwell|poorly|injured) one|one (?:you|coming|being|to be"
        rf"|needing|with|who(?:'s| is| needs| has)|that(?:'s| is| needs| has)))\b"
        rf"|\bpatient(?:'s| is)? (?:actually |is )?(?:my |our |a |an )?(?:\w+ )?(?:{RELATIVES[sex]})\b(?!')"
        rf"|\bit(?:'s| is) (?:only |just )?(?:the|my|our|his|her) (?:\w+ )?(?:{RELATIVES[sex]}|{CHILD[sex]}) (?:i'm"
        rf"|i am|we're"
        rf"|we are|(?:who|that)(?:'s| is)? (?:need|has|want|ill|sick|coming|unwell|not)\w*)"
        rf"|\b(?:it's|this is|for|about) (?:the|my|our) (?:\w+ )?(?:{RELATIVES[sex]}|{CHILD[sex]})'s (?:appointment"
        rf"|visit|turn)\b"
        rf"|\b(?:it's|this is) (?:for|about) (?:the|my|our) (?:\w+ )?(?:{RELATIVES[sex]}|{CHILD[sex]})\b(?!')"
        rf"|\bpatient(?:'s| is) {OBJECT[sex]}\b"
        rf"|\bthe one (?:who|that|i'm|you)\b[^,;.]{{0,30}} is (?:the|my|our) (?:\w+ )?(?:{RELATIVES[sex]}"
        rf"|{CHILD[sex]})\b(?!')"
        rf"|\b(?:this time|today|now),? (?:it's|it is|i'm \w+|i am \w+|we're \w+) (?:for|about|with) (?:the|my|our"
        rf"|his|her)"
        rf" (?:\w+ )?(?:{RELATIVES[sex]}|{CHILD[sex]})\b(?!')"
    )
    for sex in ("female", "male")
}
NOT_THE_PATIENT = lazy_pattern(
    r"\b(?:dr|doctor|prof|professor|nurse|receptionist|boss|colleague|teacher|friend|neighbou?r|landlord|landlady"
    r"|manager"
    r"|surgeon|consultant|gp|dentist|physician|coworker|roommate|clerk|secretary|lawyer)\b"
)
SELF_ROLE = lazy_pattern(
    rf"(?:and |but |so |hi |hello )*(?:i'm|i am|this is|it's|me,) (?:only |just )?(?:his|her|their|the|an?|[\w-]+'s) "
    rf"(?:\w+ )?(?:{'|'.join(RELATIVES.values())})\b|^(?:his|her"
    rf"|their) (?:\w+ )?(?:{'|'.join(RELATIVES.values())}) (?:here|speaking)\b"
)
SELF_IS = lazy_pattern(
    r"\b(?:i'm|i am) (?:an? )?(?:\w+ )?(?:woman|man|guy|bloke|lady|girl|boy|female|male|gentleman)\b"
)
A_RELATIVE = lazy_pattern(rf"\b(?:{'|'.join(RELATIVES.values())})\b")
_EITHER = r"(?:(?:fe)?male|m|f|(?:a )?(?:wo)?man|a boy|a girl)"
BOTH = lazy_pattern(rf"\b{_EITHER}(?: (?:and|or) | ?/ ?){_EITHER}\b", re.IGNORECASE)
OPINION = lazy_pattern(
    r"^(?:and |but |so )*(?:everyone|everybody|people|they|you|most|some)(?: \w+)? (?:thinks?|assumes?|guess(?:es)?"
    r"|suppos\w+|reckons?|believes?|takes?|mistakes?)\b"
)
"""What others think of the patient: "People assume Sam is a boy"."""
NOT_THEIRS = lazy_pattern(r"\b(?:works? for|with|to|by|from|see|saw|under|than) $")
CHOSEN = lazy_pattern(r" (?:will do|is (?:fine|ok|okay|right|correct)|'s fine)")
LIKE_ME = lazy_pattern(
    r" (?:like (?:me|myself|i am)\b|that i am\b|i am(?=[,.]|$)|(?:of|at|in) my (?:age|years|condition)\b)"
)
"""What the speaker calls themselves in passing: "an old man like me"."""
FEW_WORDS = 3
PUT_RIGHT = lazy_pattern(
    r"\b(?:no|sorry|wait|oops|whoops|i mean(?:t)?|wrong|rather|actually|scratch that)\b[^;]*?[.,!?:;-]+ (?:(?:so"
    r"|then|it's"
    r"|make it|put|tick|should be|i'm|he's|she's|an?) |[mf], )*(?P<sex>female|male|woman|man|girl|boy)(?:,? (?:then"
    r"|please"
    r"|instead|of course))?\W*$"
)
"""A sex that is corrected at the end: "Female, sorry, this is Dad's form. Male, then"."""
FRIEND_IS = lazy_pattern(rf"{NOT_THE_PATIENT.pattern}(?:'s| is)?(?: (?:he|she)(?:'s| is))? (?:an? )?(?:\w+ )?$")
