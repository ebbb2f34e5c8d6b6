"""The patterns by which `intents` finds what a caller wants with a visit: to move it, keep it, or come.

Those for giving it up are in `giving_up`.
"""

from __future__ import annotations

from polyclinic.clinics.frontdesk.rules.giving_up import DAY, HOUR, NOUN, OBJECT
from polyclinic.text.lazily import lazy_pattern

_MOVES_VERB = (
    r"(?:mov(?:e|ed|ing)|shift(?:ed|ing)?|shov(?:e|ed|ing)|push(?:ed|ing)?|nudg(?:e|ed|ing)|bump(?:ed|ing)?"
    r"|slid(?:e|ing)|transfer(?:red|ring)?"
    r"|chang(?:e|ed|ing)|switch(?:ed|ing)?|swap(?:ped|ping)?|exchang(?:e|ed|ing)|adjust(?:ed|ing)?|alter(?:ed"
    r"|ing)?|delay(?:ed|ing)?|defer(?:red|ring)?"
    r"|postpon(?:e|ed|ing)|advanc(?:e|ed|ing)|prepon(?:e|ed|ing)|pre-?pone|rearrang(?:e|ed|ing)|re-?arrange"
    r"|reschedul\w*|resched\w*"
    r"|re-?book(?:ed|ing)?|trad(?:e|ing)|juggl\w+|budge"
    r"|convert|amend|revise|relocate|reassign|squeeze forward)"
)
_MOVED = (
    r"(?:moved|shifted|pushed|nudged|bumped|changed|switched|swapped|adjusted|altered|delayed|deferred|postponed"
    r"|advanced|pre-?poned|rearranged|re-?scheduled|re-?booked|(?:brought|put|pulled|carried) (?:forward|back"
    r"|earlier|later)|put off)\b(?! (?:address|number|name))"
)
MOVES = lazy_pattern(
    rf"\b(?:{_MOVES_VERB}\s+{OBJECT}|(?:postpon|reschedul|resched|rearrang|rebook|re-book|re-arrang|defer)\w*"
    rf"|(?:like|want|need|wish|have|able|possible|got) "
    r"to (?:move|change|switch|swap|shift|postpone|delay|rearrange|reschedule)(?! (?:my (?:address|name|number"
    r"|phone|mind|insurance|email)|doctors?"
    r"|hospital|house|home))|(?:put|bring|pull|pulled|get|carry|brought|move|take"
    r"|set) (?:[\w'-]+ ){0,5}?(?:forward|back|off until|off till|off to|earlier|later)\b(?! "
    r"(?:home|pain|to health|on the))|(?:bring|pull|move|pulled|moved) (?:it|my|the|me|her|his)?(?: \w+)? ?up\b"
    r"|(?:needs?|wants?|has to|have to|must|got to) (?:to )?(?:be )?(?:shift|mov|chang|postpon|go to an?)\w*"
    r"|(?<!n't )(?<!nt )(?<!not )(?<!never )make it \w+|"
    r"(?:an |some |any )?(?:other|another|different|alternative|later|earlier|more convenient) (?:\w+ )?(?:date"
    r"|day|time|slot|hour|week|morning"
    r"|afternoon|evening|month|arrangement)\b|(?:instead of|rather than|in place of|in lieu of|and not) (?:the "
    r"|on |my |at )*"
    rf"(?:{DAY}|{HOUR})|{DAY} (?:is )?no,? (?:but )?{DAY}|(?:supposed|meant) to be|wrong (?:day|date|time)"
    rf"|(?:correct|fix) (?:it|that|the (?:date|day|time))"
    rf"|(?:my|our|her|his) (?:\w+ )?{NOUN} (?:has to|needs to|must|will have to|should) (?:be|go|become) (?:on|in"
    rf"|to|at"
    rf"|an?)\b|move me|bump me|push me|shift me"
    r"|(?:can|could) (?:you|we|i) (?:change|move|switch|shift)(?=\W*$)"
    rf"|(?:{NOUN}|it|that|mine)\b(?: (?!not\b)[\w'-]+){{0,7}}? (?:be|get) {_MOVED}"
    rf"|(?:need|want|like|have|get|having|getting|wish) (?:{OBJECT}) {_MOVED}"
    r"|(?:come(?: in)?|be seen|have it|do it) (?:[\w-]+ ){0,4}?(?:(?<!minutes )(?:later|earlier|sooner) than (?:we"
    r"|planned|arranged|agreed|it (?:says|was)|you|booked)|after (?:we (?:planned|agreed|said)|what (?:was|you)))\b"
    rf"|(?:go|chang\w*|switch\w*|swap\w*) from (?:the )?(?:{DAY}|{HOUR}|mornings?|afternoons?|evenings?) to\b"
    r"|(?:redo|re-?time|re-?date|reset) (?:the |my )*(?:date|time|day|hour|appointment|booking))"
)
NOT_ANOTHER_TIME = lazy_pattern(
    r"\b(?:some|any)(?:one|body) else\b|\banother (?:hospital|patient|doctor|clinic|person|place|surgeon)\b"
    r"|\b(?:got|am|i'm|is|he's|she's|feel\w*|get\w*|all|much) better\b(?! (?:for|to|if|on|in))"
)
"""Who or what else is spoken of, where no other time is asked for."""
NOT_THEN = lazy_pattern(
    r"^(?:(?:but|just|only|though|please) )*not (?:on |at |in )?(?:that|this|the same|such an?) (?:day|date|time|hour"
    r"|morning|afternoon|evening|week)\b"
)
TAKES_BACK = lazy_pattern(r"\b(?:confirm|keep (?:it|my|the)|i'm coming|i'll come)\b")
ASKS_OTHER = lazy_pattern(
    r"\b(?:what|when|which)(?: else|'s| is|'ve| have| do| other| about| would| times?| days?| slots?)* (?:else"
    r"|you got|you have|have you|do you have|free|available|there|going|open|possible)"
    rf"|\b(?:how|what) about\b|\b(?:any|is there|are there|have you|do you have"
    rf"|(?<!i've )(?<!i )(?<!we've )(?<!we )(?<!she's )(?<!he's )(?<!have )got|would|could|might|can|may"
    rf"|maybe|perhaps|possible)\b[^.]*\b(?:later|earlier|sooner|another|other|different|"
    rf"else|after(?:wards)?|following|next|before|instead|better|{DAY}|{HOUR}|morning|afternoon|evening|week"
    rf"|slot|weekend|early|any going)\b|\b(?:would be|'d be|it's|that's|(?:morning|afternoon|evening|week|month|time"
    rf"|later|earlier|day)s?(?:'s| is| are))"
    rf" (?:much |far |a lot )?(?:better|easier|preferable)\b(?! now)|\b(?:need|want|like|prefer"
    rf"|rather have) (?:the )?{DAY}\b"
    r"|\b(?:the )?(?:week|day|month) after\b|\b(?:later|earlier) (?:that|the same|in the) (?:day|week|month)\b"
    r"|\b(?:another|other|different|fresh|new) (?:day|date|time|slot|week|hour|one|appointment|arrangement)"
    r"|\b(?:suits?|would (?:work|do|suit|be fine))\b|\bany good\b|^(?:[\w']+,? ){0,3}?(?:" + DAY + r""
    r"|" + HOUR + r")\b(?:(?!right|correct|isn't|yes)[^.]){0,18}\?$|\bafter (?:the )?(?:" + DAY + r")"
    rf"|(?:^|, )(?:maybe |perhaps |say )?(?:next (?:week|month)|{DAY}|{HOUR}|later|earlier|in the (?:morning"
    rf"|afternoon"
    r"|evening))(?: some ?time| maybe| perhaps| instead| then)*\?|\b(?:give|get|book|put|fit|slot|pencil) (?:me|us"
    r"|her|him|them) (?:in |down |one |something )*"
    r"(?:on |for |at |in )?(?:the |one )*(?:morning|afternoon|evening|later|earlier|"
    + DAY
    + r")\b|^(?:a (?:bit|little) |something |anything )?(?:later"
    r"|earlier|sooner)\W*$|\bit (?:must|has to|needs to|should|would have to) be (?:after|before|later|earlier)\b"
    r"|\bis there nothing\b|\bisn't there any|\bnothing (?:sooner|earlier)|\bbecome an?\b|\brelocate me\b"
    r"|\bstill want to be seen\b|\bfind me another\b|\blater hour\b"
    r"|\bthe following\b|\binstead\b|\b(?:want|like|prefer|need|rather)(?: to)? (?:do|have|make|take|come|be seen|go"
    r"|see)\b"
    rf"[^.]*\b(?:at|on) (?:{DAY}|{HOUR})|\b{DAY}(?:'s| is) free\b|\bi'm free (?:on )?(?:the )?{DAY}"
    rf"|^(?:say |maybe |perhaps |make it |try |just )*(?:the )?(?:{DAY}|{HOUR}|later)(?: (?:please|then))?\W*$"
)
UNSURE = lazy_pattern(r"\b(?:maybe|perhaps|possibly|(?:might|may)(?! (?:i|we)\b)|thinking (?:of|about|whether))\b")
UNDECIDED = lazy_pattern(
    r"\b(?:not (?:\w+ )?(?:sure|certain)(?: yet)?|haven't (?:\w+ )?(?:decided|made up)|not (?:yet )?decided|undecided"
    r"|in two minds|(?:i'll|i will|let me|i) (?:let you know|think|sleep on it|ring|call|get back|see how)|maybe not?"
    r"|depends|don't know yet|see how (?:i|it|things))\b"
)
"""Somebody who may want something, and has not decided yet."""
SOME_DAY = lazy_pattern(
    r"\b(?:call|ring|phone|come back|try|book|contact|be in touch)(?: \w+){0,3}? (?:some other|another|some) (?:time"
    r"|day)\b"
)
"""A caller who will call again some other time asks for no time now."""
ABSENT = lazy_pattern(
    rf"\b(?:can't|cannot|cant|couldn't|won't|wont|can not|not able to|unable to|not be able to"
    r"|impossible to) (?:be able to |\w+ )?(?:make|do|come|manage|attend|keep|be there|get there"
    r"|get away|get to|be in)\b"
    rf"|\b(?:{DAY}|{HOUR}|it|that|time|slot)(?:'s| is| was| has become)? (?:\w+ )?(?:no good|no use|impossible"
    rf"|(?<!come )(?<!came )(?<!coming )out\b(?! of)|murder|hopeless|awkward|difficult|bad|too (?:early|late|soon"
    rf"|far)|not (?:good|possible"
    rf"|convenient|ok|okay)|a problem)"
    r"|\b(?:doesn't|does not|won't|don't|no longer|didn't) (?:suit|work|fit|do\b)|\bclash\w*|\b(?:is|are|on|to"
    r"|given|falls?|at|have|has|mother|father) (?:\w+ ){0,3}?same (?:day|hour|time|afternoon|morning)\b"
    r"|\b(?:mornings?|afternoons?|evenings?|weekdays?) (?:are|is) (?:out|no good|impossible|bad)|\b(?:not|isn't"
    r"|aren't|n't) coming on\b|\bneeds me (?:on|that|then|at)\b|\bsomething(?:'s| has)? (?:\w+ )?(?:come|came"
    r"|cropped) up"
    r"|\b(?:have|'ve|got|has|'s got|must|there's) (?:got )?(?:an? |to )?(?:\w+ )?(?:funeral|wedding|work|exam"
    r"|midterm|test|shift|meeting|court|fare|interview|flight|class|trip)\b|\b(?:i'm|im|i am|we're|she's|he's"
    r"|shall be|will be|i'll be) (?:stuck|away|abroad|ill|sick|at sea|working|travelling|out of town|in (?:court"
    r"|hospital|quarantine|bed)|busy|tied up|swamped|on (?:call|duty|nights)|teaching|babysitting)"
    r"|\b(?:but|and) (?:i|we|he|she) (?:can't|cannot|won't be able to)\W*$"
    r"|\brunning (?:\w+ )*late\b|\bonly arrives?\b|\bcaught a\b|\bmissed? (?:my|the) (?:train|bus|flight)"
)
NO_NEW = lazy_pattern(
    r"\b(?:no|not|don't|dont|do not|without|never|nor|neither)\b[^.;!?]{0,25}\b(?:new|another|other|different"
    r"|further|replacement|fresh|rebook\w*|re-?schedul\w*|alternative)\b"
    r"|\bno need (?:for|to) (?:an?other|re)"
)
SAME = lazy_pattern(
    r"\b(?:(?:not|never|n't) (?:be )?miss(?:ing)?\b|leav(?:e|ing) (?:it|mine|my \w+|things?|everything|that"
    r"|the \w+)(?: exactly| just)? (?:as|where|alone"
    r"|be|on|in)|stays?\b(?! (?:with|at|in|on by))|stay(?:s|ing)? (?:put|the same|as)|fine as|as it (?:is|stands|was)"
    r"|as (?:planned|agreed|arranged|booked|before|scheduled)|(?:don't|dont|do not|never) (?:\w+ )?(?:change"
    r"|move|touch|alter) (?:it|anything|a thing|my|the|that|mine)|no changes?|keep(?:ing)? (?:it|mine|my|the|this"
    r"|that|me on|to)|original (?:hour|time|date|day|slot)"
    r"|(?:appointment|visit|booking|slot|it) i(?:'ll|'m| will)? keep\w*"
    r"|disregard (?:my|that|the)|not that i (?:want|plan|intend|would|am)|undo (?:that|it)|perfectly (?:content"
    r"|happy|fine)|i (?:decline|refuse)"
    r"|(?:time|hour|day|date|it|that|slot|appointment) (?:suits|works for|is (?:fine|perfect|good|great) (?:for|with))"
    r" (?:me|us)\b(?! better| more)|(?:new|present|current) (?:time|hour|day|date|slot)(?:'s| is"
    r"|s)? (?:\w+ )?(?:fine|good"
    r"|great|perfect|ok|okay|suits|works)\b|still stands|not the (?:visit|appointment)|i'm keeping|ignore (?:my"
    r"|that|the)"
    r"|put (?:me|it) back (?:in"
    r"|on the list)|reinstate)"
)
COMES = lazy_pattern(
    r"\b(?:i'll|i will|i shall|we'll|we will|we shall|i'm|im|i am|she'll|he'll) (?:\w+ ){0,3}?(?:be there"
    r"|be coming|come\b|attend|be along|coming\b|see you|turn up|keep(?:ing)? (?:it|my|the))|\bsee (?:you|u"
    r"|ya) (?:then|on|there|at|tomorrow|tues|mon|wed|thurs|fri|soon)"
    r"|\bi (?:want|wanna|still want|would like|intend|do intend|plan) (?:to )?(?:come|keep|attend|go|be seen"
    r"|see (?:the|a|my|dr|doctor))\b"
    r"|\bso i (?:come|go)\b|\bconfirm (?:that )?(?:herewith )?(?:that )?i\b|\bpresent myself\b|\bcount on me\b"
    r"|\bsee you\b|\bi'd hate to lose\b|\bstill need (?:the|my|that|it)\b(?! (?:moved|changed|cancelled))"
)
SEVERAL = lazy_pattern(
    r"\b(?:twice|two|both|double|duplicate|one of (?:them|the)|(?:the|my) (?:first|second|other|earlier|later))\b"
    rf"|\bthe (?:{DAY}|{HOUR}|morning|afternoon|evening) one\b"
)
KEEPS_ANOTHER = lazy_pattern(
    r"\b(?:keep(?:ing)?|(?:come|coming) (?:to|for|on)|attend|leave|stick(?:ing)? (?:with|to)) (?:only |just )?(?:the"
    r"|my)"
    rf" (?:other|first|second|third|earlier|later|next|last|morning|afternoon|{DAY}|{HOUR})\b"
)
"""Of several visits, one that stays: "Drop the second, I'll keep the first"."""
NEGATED = lazy_pattern(
    r"\b(?:not|nothing to|n't|\w+n't|dont|wont|never|no|without|nor|neither|rather than|instead of|nothing of|hate to"
    r"|refuse to|hardly|no (?:wish|intention|plans?|reason)(?: of| to)?)(?: [\w']+){0,4} ?$"
)
STILL_CANCELS = lazy_pattern(
    r"\bnothing for it but to|\bno (?:choice|option|alternative|way|other|help) \w+|\bwhy not"
    r"|\bnot (?:only|just)|\bno,? (?:please|pls|just)?,? ?$"
)
DOES_IT = lazy_pattern(r"\b(?:want|like|need|have|wish) to do (?:it|that|so|this)\b")
HAD_DONE = lazy_pattern(
    r"\b(?:i|we) (?:already )?had (?:it|that|mine|my \w+) (?:moved|changed|cancell?ed|rescheduled)\b"
)
TALKED_OUT = lazy_pattern(
    r"\b(?:talked|argued) (?:me|us|him|her) (?:out of|round)\b|\b(?:persuaded|convinced) me (?:not to|to (?:come"
    r"|keep|go))\b"
)
"""Somebody else made the caller keep the visit."""
RATHER = lazy_pattern(r"\b(?:than|rather|instead|not \w+ as)\b")
