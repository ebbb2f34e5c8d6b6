"""The words for a visit, and the patterns by which `intents` finds that somebody gives it up."""

from __future__ import annotations

from polyclinic.text.lazily import lazy_pattern

DAY = (
    r"(?:(?:mon|tues|wednes|thurs|fri|satur|sun)day|mon|tues?|wed|thurs?|fri|sat|sun|today|tomorrow|tonight|next \w+"
    r"|\d{1,2}(?:st|nd|rd|th)|\w+(?:th|first|second|third) of \w+|(?:\w+-)?(?:eigh|f(?:our|if|ourteen|ifteen)"
    r"|six|seven|nin|ten"
    r"|eleven|twelf|\w+teen|twentie|thirtie)th|first|third)"
)
HOUR = (
    r"(?:\d{1,2}(?:[:.]\d\d)?(?: ?[ap]\.?m\b\.?)?|(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven"
    r"|twelve)(?: o'?clock"
    r"| thirty| fifteen)?|noon|midday|half (?:past )?\w+|quarter (?:to|past) \w+)"
)
NOUN = (
    r"(?:appointment|appointments|appt|apt|app|visit|visits|booking|bookings|slot|place|spot|reservation"
    r"|consultation|consult"
    r"|check-?up|check|exam|examination|operation|op|surgery|scan|x-ray|mri|session|thing|everything|time|date|day|hour"
    r"|procedure|test|bloods|jab|vaccination|screening|physio|treatment|arrangement|name|turn|meeting|entry"
    r"|consultations?)"
)
VISIT = rf"(?:{NOUN}|{DAY}|{HOUR}|second(?! opinion)|it|that|this|mine|ours|hers|his|me|us|one|him|her)"
OBJECT = (
    rf"(?:(?:the|my|our|her|his|your|that|this|an?|of|whole|entire|it)\s+)*(?:[\w'-]+\s+){{0,3}}?{VISIT}\b(?!'s \w)"
)
_DROP = (
    r"(?:cancel(?:l?ed|l?ing|s)?|cancell?ation|scrap(?:ped|ping)?|drop(?:ped|ping)?|bin(?:ned)?|delet(?:e|ed"
    r"|ing)|eras(?:e|ed|ing)"
    r"|remov(?:e|ed|ing)|clear(?:ed|ing)?|los(?:e|ing)|releas(?:e|ed|ing)|relinquish(?:ed|ing)?|surrender(?:ed"
    r"|ing)?|withdraw(?:n|ing)?"
    r"|scratch(?:ed|ing)?|(?<!the )(?<!a )strik(?:e|ing)|struck|wip(?:e|ed|ing)|annul(?:led)?|void(?:ed)?"
    r"|abandon(?:ed|ing)?|ditch(?:ed|ing)?|kill(?:ed)?"
    r"|axe|dump|nix|skip(?:ping)?|forget(?: about)?|unbook(?:ed)?|rescind(?:ed)?|revok(?:e|ed)|retract|end|stop"
    r"|destroy|throw out|get rid of"
    r"|do away with|give up|(?:giv(?:e|ing)|hand) back|giv(?:e|ing) away|free(?:ing)? up|pass on|let go of"
    r"|back out of|pull out of"
    r"|opt out of|bow out of|call off|bail(?:ing)? (?:on|out of))"
)
_PARTED = (
    r"(?:call(?:ed|ing)?|tak(?:e|en|ing)|cross(?:ed)?|rub(?:bed)?|strike|struck|scratch|wipe|pull(?:ed)?|knock"
    r"|throw|toss|blot|give|giving|gave"
    r"|hand|pass|let|offer|leave|count)"
)
_OFF = (
    r"(?:off(?! (?:until|till|to|by|for))|out(?! (?:for|of town))|go\b(?! (?:to|on|ahead with|back))|away"
    r"|up\b(?! to)|back (?:to (?:you|someone|somebody"
    r"|another|others|the pool)|into)|over to (?:some|another|the next|who(?:ever))|to (?:some(?:one|body)|another"
    r"|who(?:ever)|the next|others"
    r"|a (?:patient|person|needier))|on to some)"
)
CANCELS = lazy_pattern(
    rf"\b(?:{_DROP}(?:\s+{OBJECT}|(?=\s*(?:[.!?,;]|$|please|pls|altogether|entirely|completely|now|then|for"
    rf"|with|on|at|because)))"
    rf"|{_PARTED}\s+{OBJECT}\s+(?:\w+ ){{0,2}}?{_OFF}|(?:{NOUN}|it|{DAY}) (?:\w+ ){{0,2}}?(?:called off"
    rf"|cancell?ed|removed|deleted"
    rf"|dropped|scrapped|taken (?:off|out)|erased|cleared|released|struck|withdrawn)|(?:like|want|wish"
    rf"|need) to (?:cancel|withdraw|pull out|back out)"
    r"|(?:stand|standing|step|stepping) down from|it's a no\b|(?:i'm|i am|we're|am) (?:cancell?ing|out\b"
    r"|withdrawing|pulling out|backing out|bailing)|please cancel|cancel (?:please|pls))"
)
_REMEDY = (
    r"(?:tablets?|pills?|drops|syrup|cream|ointment|injections?|patch(?:es)?|capsules?|inhaler|medicines?|medication"
    r"|dose"
    r"|brand|insulin|diet|crutches|wheelchair|glasses|lenses|room|bed|ward)\b(?! (?:appointment|visit|session|slot))"
)
OTHER_THING = lazy_pattern(
    rf"\b(?:cancel(?:l?ed|l?ing)?|delet\w+|remov\w+|stop|drop|scrap|skip|clear|forget|chang\w+|updat\w+|mov\w+"
    rf"|correct) (?:the|my|our|her|his|your|that|this|all|an?)\s+"
    rf"(?!(?:[\w'-]+\s+){{0,2}}?{VISIT}\b)[\w'-]+|\b(?:drop|cancel|skip|leave out|remove|delete"
    rf"|scrap) (?:[\w'-]+ ){{1,4}}from (?:my|the|her|his) (?:appointment|visit|booking)|\bchang\w+ (?:the|my|our"
    rf"|your|her|his) (?:\w+ )?(?:address|phone|number|name|details|email|room|doctor|insurance|dressing"
    rf"|bandage)\w*|\bcancell?ed (?:train|bus|flight|shift|class|lesson|meeting|match)\b"
    r"|\b(?:train|bus|flight|ferry|shift|class|lesson|meeting|match|taxi|lift)(?:'s| is| was| got"
    r"| has been)? cancell?ed"
    rf"|\b(?:my|our|the|his|her|their) (?!(?:[\w'-]+ ){{0,2}}?{VISIT}\b)(?:[\w-]+ ){{0,2}}?[\w-]+(?:'s|'ve|s'|s)?"
    rf"(?: is| are| was| were| got| has| have)?(?: just)?(?: been)? (?:cancell?ed|called off|postponed|moved|changed"
    rf"|dropped|put off)\b"
    r"|\b(?:clinic|hospital|dentist|doctor|gp|airline|babysitter|sitter|driver)(?: has| had|'s)?(?: just)? cancell?ed\b"
    r"|\bget rid of (?:this|these|the|my) (?!(?:\w+ ){0,2}(?:appointment|visit|booking|slot|one)\b)\w+|\bmov(?:e|ed"
    r"|ing) (?:to"
    r"|into) (?:an? |another |the )?(?:\w+ )?(?:room|ward|bed|house|flat|city|country|apartment|building|floor|wing"
    r"|site"
    r"|branch)\b"
    r"|\bcancell?ation (?:notice|text|message|letter|e-?mail|policy|fee|form|list|sms)"
    r"|\b(?:glad|happy|pleased|grateful|good|great)(?: that)? you(?:'ve| have)? \w+ed (?:me|it|my \w+|that)"
    r"|\b(?:by|via|over) (?:video|phone|zoom|telephone)\b[^.;]{0,25}\binstead\b(?: of (?:in person|coming in))?"
    rf"|\b(?:switch\w*|swap\w*|replac\w+) (?:the|my|our|your) (?!(?:[\w'-]+\s+){{0,2}}?{VISIT}\b)[\w'-]+"
    rf"|\b(?:switch|swap|chang|mov|go)\w*(?: over)? (?:from|to|the|my) (?:an? |the |my )?(?:\w+ )?{_REMEDY}"
    r"|\bthank(?:s| you)(?: so much| a lot| very much)? for (?:\w+ing|the) \w+"
    r"|\b(?:wants?|have|having|cut) (?:it|that|them) out\b|\b(?:give|giving|gave) up \w+ing\b"
    r"|\b(?:give|giving|gave) up (?:alcohol|cigarettes|sugar|coffee|meat|drink|sport)"
    r"|\b(?:tooth|teeth|tonsils?|appendix|gallbladder|stitches|mole|stones?|splinter|nail|cyst|cast|implant|polyps?)\b"
    r"(?: \w+){0,3} (?:out|removed|off|pulled)\b"
    r"|\b(?:remov\w+|pull\w*|take out|get rid of)(?: \w+){0,3} (?:tooth|teeth|tonsils?|stitches|mole|wart|cast|cyst)\b"
)
NO_LONGER = lazy_pattern(
    r"\b(?:no longer (?:need|want|require|wish|plan|intend|interested|necessary|coming)|(?:won't|wont|shan't"
    r"|will not|shall not|not going to|not gonna"
    r"|i'm not|im not|i am not|we're not|we are not|no longer) (?:be )?(?:\w+ )?(?:need\w*|requir\w*|showing"
    r"|turning up|attending|coming(?! (?:on|until|"
    r"before|in the))|using|taking (?:it|the|up)|going (?:ahead|through|any ?more)|wanting)|(?:not|don't|dont"
    r"|do not|no) (?:need|want|require)"
    r"(?: \w+){0,4} (?:any ?more|any longer|after all|now)\b|no (?:more|need(?: for| of)?|point|sense|use)(?: in"
    r"| for)? (?:doctor|visit|appointment|me"
    r" coming|coming|my coming|a doctor|the (?:visit|appointment))|count me out|don't expect me|do not expect me"
    r"|decided against|decided not to|"
    r"changed (?:hospitals?|doctors?|my mind)|(?:visit|appointment|booking|it)(?:'s| is| has become| would be"
    r"| seems) (?:now )?(?:pointless|unnecessary"
    r"|superfluous|off|redundant|moot)|that's that|do without|(?:don't|dont|do not) (?:need|want) (?:your|the|my"
    r"|an?|that|any)\b (?:\w+ )?"
    rf"(?:{NOUN}|{DAY})|(?:don't|do not) want (?:it|that|this)(?=\W*$)|(?:i'm|i am|we're) not going(?=\W*$)"
    rf"|passed away|has died|died (?:on|last|this|yesterday)|appointment,? (?:i )?don't want)"
)
