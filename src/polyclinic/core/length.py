"""How long a reply may be: said in words in the prompt, and sent in tokens as the limit.

A prompt class states the longest reply it wants (``words: ClassVar[int]``). The engine says so in one line at the end
of the last user message, in the prompt's language, so no template says it. The same number gives the token limit that
is sent and the amount that budgets reserve. Words are counted in the values of a reply; keys, quotes and brackets get
extra tokens.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from polyclinic.core.reply import schema_of
from polyclinic.core.value import once_a_type

USUAL_WORDS = 150
_LEAST_TOKENS = 48
_TOKENS_A_WORD = {"en": 3, "ko": 7}
"""Twice what a good tokenizer needs, so that a reply that is a little too long is not cut off."""
_TOKENS_A_KEY = 8
_LONGEST_LIST = 8
_DEEPEST = 4
_LINES = {
    ("en", True): "Answer in at most {words} words.",
    ("en", False): "Use at most {words} words in the whole reply.",
    ("ko", True): "{words}단어 이내로 답하세요.",
    ("ko", False): "답변 전체를 {words}단어 이내로 쓰세요.",
}


@lru_cache(maxsize=1_024)
def length_line(words: int, lang: str, speech: bool) -> str:
    """The line that tells a model how long its reply may be. `speech`: the reply is plain text, not structured."""
    return _LINES["ko" if lang == "ko" else "en", speech].format(words=words)


def token_limit(words: int, lang: str, reply_type: type[Any]) -> int:
    """The token limit for a reply of this many words, with extra tokens for the form of the reply."""
    spoken = words * _TOKENS_A_WORD.get(lang, _TOKENS_A_WORD["en"])
    return _LEAST_TOKENS + spoken + form_tokens(reply_type)


@once_a_type
def form_tokens(reply_type: type[Any]) -> int:
    """The tokens that keys, quotes and brackets of a structured reply take at most."""
    schema = schema_of(reply_type)
    return 0 if schema is None else _room(schema, schema.get("$defs", {}), 0)


def _room(node: Mapping[str, Any], shared: Mapping[str, Any], depth: int) -> int:
    if depth > _DEEPEST:
        return _TOKENS_A_KEY
    if "$ref" in node:
        return _room(shared[str(node["$ref"]).rpartition("/")[2]], shared, depth + 1)
    choices = [*node.get("anyOf", ()), *node.get("oneOf", ()), *node.get("allOf", ())]
    own = max((_room(choice, shared, depth + 1) for choice in choices), default=0)
    for name, child in node.get("properties", {}).items():
        own += _TOKENS_A_KEY + len(name) // 3 + _room(child, shared, depth + 1)
    if isinstance(node.get("items"), Mapping):
        own += min(int(node.get("maxItems", _LONGEST_LIST)), 4 * _LONGEST_LIST) * (
            2 + _room(node["items"], shared, depth + 1)
        )
    longest = max((len(str(value)) for value in node.get("enum", (node.get("const", ""),))), default=0)
    return own + longest // 3
