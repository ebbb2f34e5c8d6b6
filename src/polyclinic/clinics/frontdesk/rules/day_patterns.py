"""The patterns by which `wished_days` tells a day that is asked for from one that is named for another reason."""

from __future__ import annotations

from polyclinic.clinics.frontdesk.rules.clauses import KIN
from polyclinic.text.lazily import lazy_pattern

_NOT = (
    r"(?:not|(?<!sorry )(?<!ah )(?<!oh )no(?! (?:make|wait|sorry|actually|let's|i))|never|cannot|can't|cant|couldn't"
    r"|won't|wont|wouldn't|shan't|don't|dont|isn't|unable to|nothing|impossible)\b"
)
_WEEKDAY = r"(?:(?:mon|tues|wednes|thurs|fri|satur|sun)day )?(?:the )?"
FROM_BEFORE = lazy_pattern(
    rf"(?:\b(?:from|starting|beginning|start|as of|as from|commencing|back(?: home)?(?: here)?(?: on| by| in)?"
    rf"|only|earliest(?: (?:is|would be|i can (?:do|come|make) is|for me(?: is| would be)?))?"
    rf"|return(?:ing)?(?: on)?|available|free(?: again)?(?: on)?|first (?:i can|day)[^;]{{0,20}}"
    rf"|prefer(?: to come| coming)?|(?:leave|holidays?|vacation|break) (?:starts?|begins?)(?: on| from)?"
    rf"|rather (?:have|do|take|come)|(?<!no )(?<!not )later than)"
    rf"|{_NOT}(?!(?: \w+){{0,4}} wait)[^;]{{0,40}}?\b(?:before|until|till|til|earlier than|prior to|sooner than))"
    rf"(?: on)? {_WEEKDAY}$"
)
AFTER_BEFORE = lazy_pattern(
    rf"\b(?:after|(?<!half )(?<!quarter )past|beyond|following|(?:away|abroad|gone|travelling|traveling|busy|out"
    rf"|working|exams?"
    rf"|holiday|here|town"
    rf"|off|tied up|at sea|offshore|on (?:nights|shift|duty|call)|in [a-z]+|booked|unavailable|trip|holidays?"
    rf"|leave)\b[^;]{{0,25}}?\b(?:until|till|til|to"
    rf"|through)(?: and including)?) {_WEEKDAY}$"
)
FROM_AFTER = lazy_pattern(
    r"^(?:(?: of)? (?:this|next) (?:week|month))?(?: (?:is|would be|will be|that'd be|please|at))*"
    r" ?(?:onwards?|on\b(?! (?:the|a|my)\b)|(?:or|and|and then) (?:any (?:day|time) )?(?:later|after\w*"
    r"|following|folowing|from then|beyond"
    r"|thereafter|whenever|the (?:days|day|week)s? (?:after|following))|or (?:so|more late|more later|late"
    r"|any (?:day|time) (?:after|later"
    r"|following|folowing))"
    r"|(?:at )?(?:the )?(?:very )?(?:earliest|soonest)|(?:the )?(?:1st|first) (?:i|day|time)|forwards?\b|plus\b"
    r"|(?:that's|is) when i(?:'m| am| get| can| come| will)|부터|이후"
    r"|지나|넘어|then i can)"
)
AGAINST_BEFORE = lazy_pattern(
    rf"(?:\b(?:by|before|prior to|no later than|latest|up to|(?:free|available|here) (?:only )?(?:until|till"
    rf"|through|to)|(?:turns?|birthday|wedding|party|funeral|exam|anniversary|married|discharged|concert"
    rf"|festival|born)(?:'s|\b[^;]{{0,20}}?(?:on|is))|since|last|ago|(?:finish\w*|ends?|expire[sd]?|runs? out"
    rf"|due)(?: on)?|(?:open|hours|closed?|closing|visiting|parking)\b[^;]{{0,25}}"
    rf"|(?:call|ring|phone|text|e-?mail|message) (?:me|us|him|her)(?: back| again)?"
    rf"|(?:results?|report|letter|parcel|delivery)\b[^;]{{0,30}}|{KIN}(?:'s)?(?: (?:appointment|appt|visit|one|slot"
    rf"|booking|turn|scan|operation))(?:'s| is| was)(?: for)?"
    rf"|(?:away|busy|abroad|working|off|travell?ing|unavailable|tied up)(?: on)?|ahead of|earlier than|except(?: for"
    rf"| on)?|any (?:day"
    rf"|date|time) but|anything but|other than"
    rf"|apart from|avoid|i said|i told you|instead of|rather than|(?:was|were)(?: (?:there|here|seen|in))?|born"
    rf"|since i was|{_NOT}(?: \w+){{0,4}} wait(?:ing)? (?:until|till|for)|{_NOT}(?: (?:come|coming|come in|coming in"
    rf"|make it|be there|do"
    rf"|available))?)"
    rf"(?: on)?) {_WEEKDAY}$"
)
AGAINST_AFTER = lazy_pattern(
    r"^ (?:today\b|they(?:'re| are) )|^ an? (?:\w+ )?(?:holiday|weekend|(?:mon|tues|wednes|thurs|fri|satur"
    r"|sun)day)\b|^'s (?:out|no good|bad"
    r"|impossible|off|full|taken|my|our|a|an|the|when|too|gone|not|his|her|booked)\b"
    r"|^(?:'s)? (?:(?:at the )?(?:very )?latest|no good|is (?:my|our|her|his|a|an) (?!first|earliest|only|best|free"
    r"|next|day off|off|rest|preferred"
    r"|favou?rite|choice|pick)\w+"
    r"|is when (?!i(?:'m| am| can| get| come| have))|is (?:impossible|no good|out|too (?:late|soon|early)|taken|full"
    r"|bad|not)|isn't"
    r"|won't|doesn't|does not"
    r"|will not|would not"
    r"|i (?:can't|cannot|can not|couldn't|work|have(?! (?:a |the )?(?:holiday|day off|free|time|off|leave|no )\b)"
    r"|am busy|'m busy|'m at)|i'm (?:at|busy|away|out|working|off)"
    r"|까지|전에|말고|no\b(?! (?:problem|worries|rush|hurry))|sorry)"
)
OTHER_EVENT = lazy_pattern(
    rf"\b(?:(?:fly|flying|leav(?:e|ing|es)|depart\w*|travel\w*|arriv\w+|land\w*|mov(?:e|ing) (?:house|out|in)"
    rf"|starts?|begins?|opens?|reopens?|paid|pay|payday|rent|bills?|invoice|deadline|pension|visa|contract|lease"
    rf"|semester|term|school"
    rf"|class(?:es)?|lessons?|graduat\w+|ceremony|baptism|christening|interview|court|trial|hearing|tournament|match"
    rf"|game|marathon|race|exams?|midterms?|test|flight|ferry|trip|vacation|festival|concert|recital|show"
    rf"|conference|shift|dentist|optician|lawyer|hairdresser|barber|vet|solicitor|delivery|guests?|visitors|reunion"
    rf"|anniversary|wedding|funeral|birthday|memorial|party|parole"
    rf"|enlist\w*|deploy\w*|retir\w+|valid|good until|still good|runs to|enough (?:tablets|pills|medicine)"
    rf"|covers? (?:me|us)|covered|kept until|(?:tablets|pills|medicines?|drops"
    rf"|supply) (?:will )?last)\b|\b(?:i|we|he|she|they) (?:\w+ )?(?:visited|went|fell|moved|bought|sent"
    rf"|received|broke|signed|called|rang|phoned|was in)\b"
    rf"|{KIN}(?:'s| is| has)(?: (?:got|having|her|his|their|an?|the|booked|in)){{0,3}} (?:\w+ )?(?:check-?up|checkup"
    rf"|appointment|appt|visit|scan|surgery|operation|procedure|test|x-ray|mri|one)\b)"
    rf"(?:(?!\b(?:so|but|then|like|want|come|coming|book|please|can|could|prefer|need|make|let's|how|what"
    rf"|if|because)\b)[^;])"
    rf"{{0,30}}$"
)
"""A day named because something else happens on it: "I fly home on the 9th"."""
TURNED_DOWN = lazy_pattern(
    r"^(?:[^;]{0,12} ;)? (?:(?:oh|ah|ooh|ugh|well|hmm|god|sorry|gosh|hang on|is that) )*(?:no\b(?! (?:problem"
    r"|worries|wait|prefer\w+"
    r"|rush|hurry|need|matter|particular|later|earlier|other|one|time|sooner|idea|doubt|make|let's|sorry|i))|nope|nah"
    r"|never\b|no way|impossible|not possible|not a chance|(?:that's|it's|that is|that would be) (?:far |way |much "
    r"|a bit |just )?(?:too "
    r"|no good|no use|impossible|not (?:good|possible))|too (?:late|early|soon|far)|you(?:'re| are"
    r"| must be) (?:kidding|joking"
    r"|mad|crazy)|are you (?:kidding|joking|mad|serious)|(?:i'm|i am|we're) not (?:coming|free|there|around)"
    r"|(?:i|we) (?:can't|cannot|couldn't|won't) (?:come|do|make))"
    r"|^[^;]{0,60}\b(?:can't|cannot|couldn't|won't) (?:come|make it|do it|be there) (?:then|that day)\b"
    r"|^[^;]{0,15} but (?:i|we) (?:can't|cannot|couldn't|won't)\b"
    r"|^[^;]{0,50}\b(?:so no\b(?! (?:rush|hurry|problem|need|later|earlier))|you're (?:shut|closed)|you are (?:shut"
    r"|closed))"
    r"|^ ; (?:that's|that is|it's) (?:the|my|our|his|her) (?:\w+ )?(?:wedding|birthday|funeral|anniversary|exam"
    r"|party|trip)\b"
)
"""What follows a day that was only proposed: "A month from now? No, that's too late"."""
NO_WISH = lazy_pattern(
    r"\b(?:i'm|i am|we're) not booking|\b(?:i|we) (?:don't|dont|do not) (?:need|want) (?:one|an appointment|to book"
    r"|anything) ?(?:;|i just|myself|$)|\bjust (?:asking|curious|wondering)(?: for| that's| so)? (?:;|a friend|all)"
    r"|\b(?:just|only) (?:want|wanted|need|needed) to know (?:where|how|what|which|who)\b"
)
RANGE = lazy_pattern(r"^ (?:to|until|till|through|and) (?:the )?\d")
AWAY_FROM = lazy_pattern(
    r"\b(?:away|abroad|gone|out|travell?ing|busy|on (?:holiday|vacation|tour|duty)|unavailable|working|booked up)"
    r"\b[^;]{0,15} (?:from|between) (?:the )?$"
)
"""The first day of an absence: "I'm travelling from the 8th"."""
NOT_THEN = lazy_pattern(rf"\b(?:not|never|neither|nor|anything but|can't do|can't make)(?: on)? {_WEEKDAY}$")
HELD_BEFORE = lazy_pattern(
    rf"\b(?:my|the|our|an|this|current|existing) (?:\w+ )?(?:appointment|appt|booking|visit|slot"
    rf"|one)(?: \w+){{0,3}}?(?:'s| is| was| for"
    rf"| on|)(?: on)? {_WEEKDAY}$|\b(?:my|our|his|her) (?:\w+ )?{KIN}(?:'s| is| has| was| goes"
    rf"| comes)\b[^;]{{0,30}} {_WEEKDAY}$|\b(?:booked|scheduled"
    rf"|(?<!put me )(?<!put us )(?<!put her )(?<!put him )down)(?: in)?(?: for| on)? {_WEEKDAY}$"
    rf"|\b(?:thought|thinking|considered|looked at|hoped|hoping|planned|asked)(?: about| of| for| on)? {_WEEKDAY}$"
    rf"|\b(?:you|they|she|he|someone|somebody|colleague|nurse|lady|app|website|letter)(?:'ve|'d| have| has)? (?:\w+ )?"
    rf"(?:told|gave|given|said|says|put|got|offered|suggested)(?: (?:me|us|him|her|in|down"
    rf"|for|on|of))* {_WEEKDAY}$"
)
"""A day on which somebody is already booked. It is wished for only if no other day is named."""
AND_AFTER = lazy_pattern(
    r"^(?:[^;]{0,30} ;){0,2}[^;]{0,30}\b(?:after (?:that|this|it|those|then|which)|(?:anything|any ?time|any (?:day"
    r"|time)|some ?time) after(?:wards?)?|afterwards)\b(?! (?:the|\d|i'm (?:busy|away|gone)|i (?:can't|won't|work)))"
)
"""Words after a day that ends something: the wish begins on the next day."""
FROM_THEN = lazy_pattern(
    r"^[^;]{0,30}(?: ;)?[^;]{0,12}\b(?:from then|from that (?:day|point)|then onwards?|as of then)\b"
)
BUT_RATHER = lazy_pattern(r"^[^;]{0,25} but (?:i'd|i would|i want|i'll take|i'll go|i need|i prefer|make it|let's)\b")
"""A day to which another one, named after it, is preferred."""
NOT_ON_IT = lazy_pattern(r"\bnot on (?:it|that|the day)\b|\bnot that day\b|\bthe day itself\b")
BUT_THAT = lazy_pattern(
    r"^[^;]{0,40}\b(?:any|every|some) ?(?:day|time|date|thing|other day) (?:but|except|other than"
    r"|bar) (?:that|then|it|this)\b"
)
BEFORE_THAT = lazy_pattern(
    r"^[^;]{0,40}\b(?:before|by|prior to|ahead of) (?:that|then|it|this|i (?:go|leave|fly|travel))\b(?! (?:i"
    r"|we) (?:can't|am))|^(?:[^;]{0,40} ;)?[^;]{0,60} before(?:hand)?(?: ;|$)"
)
SUPPOSED = lazy_pattern(r"\b(?:if|had|unless|were)\b[^;]*$")
BUT_IT_IS = lazy_pattern(
    r"^[^;]{0,20}\b(?:but|luckily|thankfully) (?:it|that|they|he|she|we|i)(?:'s| is| isn't| did| didn't| does| has| was"
    r"|'re| are)\b"
)
"""A day of a case that does not hold: "if they refuse, the 24th, but they didn't, so the 17th"."""
COMES_BACK = lazy_pattern(r"\b(?:back|return\w*|land\w*|arriv\w+)\b[^;]{0,25}$")
SO_THEN = lazy_pattern(r"\b(?:so|but)\b")
CUT = lazy_pattern(r" ; | (?=(?:so|but|because|though|and (?:i|i'm|my|we|then)|then)\b)")
WISHES = lazy_pattern(
    r"\b(?:want|like|love|prefer|need|come|coming|book|put|see|suits?|works?|fine|good|ok|okay|great|perfect|best"
    r"|better"
    r"|possible|please|pls|free|can (?:i|we|you)|could (?:i|we|you)|how about|what about|let's|make it|do|available"
    r"|go (?:with"
    r"|for)|take|give me|then|say|instead|slot|anything|would|will|grand|lovely|nice|ideal|brilliant|alright"
    r"|that'll be)\b|'d\b"
)
FRAGMENT = 3
"""A clause of so few words beside a day is a wish by itself: "so the 19th"."""
ASKS_OF_VISIT = lazy_pattern(
    r"\b(?:what|which) (?:time|room|floor|building|doctor)\b|\bwhere (?:do|is|should|can)\b|\b(?:do|should"
    r"|must) i (?:have to"
    r"|need|bring|fast|eat|come)\b|\bremind me\b|\b(?:still on|is that right|isn't it)\b"
)
UNTIL = ("until ", "till ", "til ", "until the ", "till the ", "up to the ")
