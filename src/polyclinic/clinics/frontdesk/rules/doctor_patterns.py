"""The patterns by which `doctors` finds who is wished for, who is avoided, and who is only mentioned."""

from __future__ import annotations

from polyclinic.clinics.frontdesk.rules.clauses import KIN
from polyclinic.clinics.frontdesk.rules.owners import THIS
from polyclinic.text.lazily import lazy_pattern

NOBODY_BUT = lazy_pattern(
    r"\b(?:nobody|no one|no-one|none|nothing|(?:not|never|\w+n't)(?: \w+){0,3} any(?:one"
    r"|body)(?: else)?)(?: \w+){0,2} (?:but|except|other than|apart from|besides|than)(?: \w+)? $"
    r"|\b(?:why not|not (?:just )?any(?:one|body)|nothing against|not? (?:problem|objection) with|(?:do not"
    r"|don't) mind)(?: \w+){0,3} $|\bif (?:it isn't|it's not|i can't (?:have|see|get)) $|\b(?:could|can|may|might"
    r"|would) (?:i|we) not (?:\w+ ){1,3}$"
)
AVOIDS_BEFORE = lazy_pattern(
    r"\b(?:not|no|never|nope|isn't|wasn't|under no circumstances|avoid\w*|(?:any|every)(?:one"
    r"|body)(?: \w+){0,4} (?:but|except|bar|save|other than|apart from|besides)|who(?:ever) but|(?:some|any)(?:one"
    r"|body) else than|other than|rather than|instead of|except(?:ing)?(?: for)?|apart from|aside from"
    r"|besides|(?<!better )(?<!other )(?<!rather )than|bar|excluding|without|away from|fed up with|sick of|done with"
    r"|rid of|clear of|skip|wary of|hate"
    r"|(?:problems?|trouble|words|row|argument|run-?in|fell out|falling out) with|complain\w* about|bad (?:time"
    r"|experience)s? (?:with|under)|spare me|refus\w+"
    r"|(?:unhappy|dissatisfied|disappointed|uncomfortable|angry|cross) (?:with|by|at)|my fill of|enough of"
    r"|(?:switch|chang|mov)\w* (?:away )?from|keep me (?:off|from|away from)"
    r"|(?<!can't i )(?<!couldn't i )(?:don't|dont|do not|didn't|won't|wouldn't|can't|cannot|couldn't|isn't"
    r"|wasn't) (?!i\b|we\b)(?:\w+ ){0,5}?(?:want|give me|get|see|like|be|have|get on with|get along with|trust"
    r"|go (?:back )?to|under|with|stand|bear|face|book|put me with))"
    r"(?: (?:the|with|by|to|see|seeing|seen|having|under|that|this|one|please|old|again|dr|doctor|be|a|fan|of"
    r"|going|go|back|me|in|get|give|seeking|appointment|an|have|wait|for))*[\s,:'\"]*$"
)
AVOIDS_AFTER = lazy_pattern(
    r"^[^.;!?]{0,50}?\b(?:never again|not again|is not (?:for me|an option)|is out(?: of the question)?|(?:is "
    r"|'s )?too (?:far|busy|young|old|expensive|slow)|didn't (?:help|listen|believe|see eye|take|get on"
    r"|get along)|did not (?:help|listen|believe|see eye|take)|don't (?:get on|get along|see eye|like|trust)"
    r"|do not (?:get on|see eye)|no longer (?:see eye|get on|get along|trust|agree)"
    r"|no thank|hurt me|to avoid|rather not|please not|not (?:him|her|them)\b|was (?:\w+ )?(?:rude|rough|awful"
    r"|horrible|terrible|dismissive|late|unkind|cold|useless|wrong)|is (?:\w+ )?(?:rude|rough|late|useless"
    r"|retiring|leaving|dead|retired|on (?:leave|holiday|vacation)|unkind)|always late|is (?:my|her|his) (?:ex"
    r"|cousin|neighbour"
    r"|brother|sister|uncle|aunt|husband|wife|boss|father|mother|son|daughter)"
    r"|made me (?:cry|wait)|in tears|shouted|scares|frighten\w*|upset|no\b$|a mistake|by mistake|this mistake"
    r"|time for (?:a change|some)|(?:like|want|need) (?:to )?(?:swap|switch|change|a change)\b(?! to xthisx)"
    r"|was (?:just )?an example|is the only (?:one|doctor|choice))|^[\s,]*\? ?(?:no\b|nope|not|i'd (?:sooner"
    r"|rather)|never)"
)
_WANTS = (
    r"(?:want|wants|wanna|like|likes|love|prefer\w*|wish\w*|need|needs|book\w*|see|seeing|seen by|put (?:me|her"
    r"|him|us|down)|give (?:me|us)|gimme|get (?:me|us|in|an|a|with|to)|have|having|let's|lets|stay\w*|remain"
    r"|stick\w*|keep|insist\w*"
    r"|trusts?|hop(?:e|ing) for|ask(?:ing)? for|wait\w* for|mine is|only|must be|has to be|have to be|got to be"
    r"|should be|it's|its|make it|try|namely|for example|heart on|attached to|under|back (?:to|with)"
    r"|go(?:ing)? (?:to|with|back)|choose|pick|take|meant|mean|rather|sooner"
    r"|(?:fine|happy|pleased|ok|okay) with|(?:appointment|opening|slot|time|visit|something|anything|place|gap"
    r"|spot) (?:of|with|for)|with|beg|request\w*|after|same doctor|same (?:one|hands)|look\w* for|favou?rite"
    r"|first choice|first pick|so|then|is|for me|yes)"
)
WANTS_BEFORE = lazy_pattern(rf"\b{_WANTS}\b[^;]{{0,40}}$")
WANTS_AFTER = lazy_pattern(
    r"^[\s,:'\")]*(?:please|pls|plz|if\b|would be|is (?:my|the one|who|on duty|in\b|free|available|working|there"
    r"|the best|fine)|for me|only|again|can\b|knows?\b|did my|speaks?|has (?:always|been|time|a (?:gap|slot))"
    r"|ha(?:s|ve) (?:any|anything|space|room|openings?|slots?)\b|that's (?:the one|who)|(?:(?:he|she)'"
    r"|i)?s (?:the one|who)"
    r"|i(?:'d)? (?:want|trust|prefer|like)|or (?:nobody|no one)|and (?:nobody|no one)|\?*$|free|available"
    r"|working|in\b|'s mine|whenever|has anything|\.|!|to see|to look|would suit|suits|then\b|instead\b|first\b"
    r"|or (?:any"
    r"|who|some))"
)
ANYBODY = lazy_pattern(
    r"\b(?:any(?:one|body)(?! (?:but|except|other than|apart)\b)|who(?:ever)|any (?:doctor|of (?:the|your|them))"
    r"|some(?:one|body) (?:else|different|new|at|for|who|nearer|closer|local|younger|older|that)"
    r"|another (?:doctor|one|physician|consultant|specialist|surgeon)|a different (?:doctor|one)"
    r"|who(?:ever)?'?s (?:free|on|there|available)|you (?:pick"
    r"|choose|decide)|no preference|(?:not|\w+n't|never)(?: \w+){0,3} preference|don't (?:mind|care) (?:who|which)"
    r"|(?:doesn't"
    r"|does not) matter who|a (?:woman|lady|man"
    r"|male|female)\b(?! friend)|other doctor|chang\w+ doctors?|a colleague|one of (?:his|her|the) colleagues"
    r"|fresh (?:pair of )?eyes|the (?:successor|replacement|deputy|stand-in)|second opinion|any nurse|(?:which"
    r"|what) (?:doctor|department|specialist) (?:sees|does (?:that|this|it)|treats"
    r"|handles|is (?:it )?for|deals)|whom? (?:would|do|should|can|could) (?:i|we) (?:see|ask for|need)\b(?! (?:about"
    r"|at|when|with))|who(?:'s| is)(?: it)? for|leave (?:it"
    r"|that|the choice)(?: of \w+)?(?: up)? to you|not fussed|makes no difference|all the same)"
)
FALLBACK = lazy_pattern(
    r"\b(?:otherwise|if not|failing that|or else\b|or (?:else )?(?:any|some|who)|if (?:he"
    r"|she|they|that|it)\b|unless|will do|at a pinch|if (?:need|necessary))"
)
ONLY_MENTIONS = lazy_pattern(
    rf"^(?:(?:hi|hello|hey|and|so|um|sorry|just)[ ,]+)*(?:does|did|is|was|who|who's|what|what's|how|where|which|has|why"
    rf"|do you know|tell me)\b(?!.*\b(?:free|available|availability|in (?:today|on|this|next|tomorrow)|in\?|working"
    rf"|works?|on duty"
    rf"|slots?|openings?|(?:have|has|got) (?:any|a|an|time|some|space|room|the)|see (?:me|us|my)|tak(?:e|es|ing)"
    rf"|accept\w*|there"
    rf"|around|back|appointments?|anything|fit|squeeze|possible|chance|soonest|earliest|when)\b)[^?!;]*{THIS}"
    rf"|\b(?:message|call|voicemail|review|complaint|letter|parcel|note|card|regards|question|flowers|papers|invoice"
    rf"|bill|referral)(?: letter)?(?: is| was| came)? (?:for|to|from"
    rf"|of)\b[^;]*{THIS}|{THIS} (?:\w+ ){{0,3}}?(?:referred|sent|signed|wrote|told|said|says|recommended|advised"
    rf"|suggested|prescribed|saw|treated|delivered|operated|gave|lives|trained|retired|asked|rang|called|phoned"
    rf"|examined (?:my|him|her))\b"
    rf"|\b(?:pass|give|hand|forward|send|deliver) (?:this|that|an?|the|my|these|it)(?: \w+)?(?: on)? (?:to )?{THIS}"
    rf"|\b(?:prescription|certificate|results?|report|sick note) (?:\w+ )?(?:from|by) {THIS}"
    rf"|\b(?:thank|thank you|thanks|say (?:hello|hi|thanks|thank you)|regards|tell|inform"
    rf"|greetings)(?: \w+){{0,2}}? (?:to )?(?:\w+ )?{THIS}"
    rf"|(?<!get )(?<!be )(?<!being )(?<!getting )\b(?:referred|sent|signed|recommended|advised|suggested|seen"
    rf"|treated|written|told|prescribed"
    rf"|taught) (?:\w+ ){{0,3}}?by (?:\w+ )?{THIS}|\b(?:which|where|what|who|whether|when"
    rf"|how)\b[^;]*{THIS}[^;]*\b(?:trained|studied|from|live|park|speak|look|old|married|the one)\b"
    rf"|\b(?:operation|operated on|surgery|treatment|baby|scan) (?:\w+ )?(?:by|from|under|with) {THIS}"
    rf"|\b(?:not seeking|no appointment|settling|curious|wondering|curiosity|asking for a friend)\b"
    rf"|{THIS} who (?:referred|sent|told|said|saw|treated|signed)\b|{THIS} ?'s (?:office|room|secretary|letter"
    rf"|number|address|assistant|car|name|wife|husband|clinic|neighbou?r|cousin|friend|brother|sister|son|daughter)"
    rf"|\bhow (?:do|can) i (?:get|find|reach"
    rf"|contact)\b[^;]*{THIS}|\bis {THIS} (?:the|a|related|still|married|her|his|your|really|any)\b|\b(?:took"
    rf"|drove|met|heard of|saw|taught|read about) (?:\w+ )?{THIS}"
)
ERRAND = lazy_pattern(
    rf"\b(?:(?:drop|hand|deliver)(?:ping|ing)?|leav(?:e|ing)) (?:in |off )?(?:these|some|the|this|it|them|an?|lunch)\b"
    rf"[^;,]{{0,30}}? (?:for|to|with) {THIS}|\bbrought (?:flowers|some|these)\b[^;]{{0,20}} for {THIS}"
    rf"|\b(?:parcel|package|delivery)(?: here)? for {THIS}|\b(?:have|'ve|got)(?: an?)? (?:meeting|interview"
    rf"|lunch) with {THIS}"
    r"|\bi'm the (?:courier|delivery \w+)\b|\bi only deliver\b|\bi'm a (?:drug|sales) rep\b"
)
"""Somebody who brings something, or comes for a meeting: "I have to drop these off for Dr Kim"."""
VISITS = lazy_pattern(r"\b(?:appointments?|slot|opening|seen by|see (?:him|her|them|xthisx)|time with)\b")
NOT_JUST_ANYONE = lazy_pattern(
    r"\b(?:not|don't|dont|do not|won't|never) (?:\w+ )?(?:just|simply) any(?:one|body|\s+(?:old )?doctor)\b"
)
KIN_WANTS = lazy_pattern(
    rf"^(?:my|our|the) (?:\w+ )?{KIN}(?: (?:wants?|sees?|has|likes?|goes|prefers?|trusts?|went|loves?|swears)"
    rf"|(?:'s| is) (?:\w+ )?(?:booked|with|seeing|going|under|having|coming|a patient|being|{THIS} 's))\b"
)
LIKEWISE = lazy_pattern(r"\b(?:same|too|also|as well|likewise)\b")
OWN_NAME = lazy_pattern(
    rf"\b(?P<sure>my (?:full |own )?name(?:'s| is)|i'm (?:called|named)|i am (?:called|named)|call me) {THIS}"
    rf"|(?:^|(?<=[.;,!?] ))(?:hi |hello |yes |good (?:morning|afternoon) )*(?:i'm|i am|this is|it's) {THIS}(?! ?'s)"
    rf"|(?:^|(?<=[.;,!?] )){THIS},? (?:speaking|here|calling)\b"
)
"""The caller's own name, which may be a doctor's too."""
_DEPUTY = r"(?:successor|replacement|deputy|stand-in|colleagues?|assistant|registrar|partner)"
ANOTHERS = lazy_pattern(rf"\b(?:his|her|their) (?={_DEPUTY}\b)")
"""Somebody who works with a doctor: "then give me her successor" does not ask for her."""
THAT_IS_WHO = lazy_pattern(r"(?:(?<=\bso )|(?<=\band ))that's (?=who\b|the (?:one|doctor|man|woman|lady)\b)")
