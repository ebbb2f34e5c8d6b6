"""Replies made from a JSON schema: plausible ones that fit it, wrong ones that nearly do, and nonsense.

All random choices come from the generator that is passed in, so the same request always gets the same reply.
"""

from __future__ import annotations

import json
import random
import re._parser as sre  # type: ignore[import-not-found]
from collections.abc import Mapping
from typing import Any, Literal

Mood = Literal["plausible", "wrong", "nonsense"]
Schema = Mapping[str, Any]

_SENTENCES = (
    "I have had a dull ache in my lower back since Monday.",
    "The pain is worse in the morning and eases during the day.",
    "She takes metformin twice a day and has no known allergies.",
    "Thank you for telling me; may I ask when it began?",
    "Please bring your referral letter to internal medicine on Tuesday at nine.",
    "I am worried that it could be something serious.",
    "The plan is clear, safe and explained in plain words.",
    "No fever, no cough, and the appetite is normal.",
    "Let us look at the chest X-ray together before we decide.",
    "어제부터 머리가 아프고 어지럽습니다.",
)
_NONSENSE = (
    "%%% lorem 12 {{ [unfinished",
    "As the moon is made of invoices, I hereby resign.",
    "null null null",
    "<html><body>502</body></html>",
    "{'single': 'quotes', trailing: comma,}",
    "yes no yes no yes no",
)


def reply_text(schema: Schema | None, mood: Mood, chance: random.Random) -> str:
    """The reply of a model in this mood: JSON if there is a schema, else text."""
    if mood == "nonsense":
        return chance.choice(_NONSENSE)
    if schema is None:
        words = " ".join(chance.sample(_SENTENCES, chance.randint(1, 2)))
        return words if mood == "plausible" else f"As a language model I cannot play the patient. {words}"
    example = example_of(schema, schema, chance)
    if mood == "plausible":
        return json.dumps(example, ensure_ascii=False)
    return _spoiled(example, chance)


def example_of(schema: Schema, root: Schema, chance: random.Random, depth: int = 0) -> Any:
    """A value that fits the schema. The usual JSON Schema keywords are supported."""
    if "$ref" in schema:
        name = str(schema["$ref"]).rpartition("/")[2]
        return example_of(root.get("$defs", {}).get(name, {}), root, chance, depth + 1)
    if "const" in schema:
        return schema["const"]
    if schema.get("enum"):
        return chance.choice(schema["enum"])
    for key in ("anyOf", "oneOf"):
        if schema.get(key):
            return example_of(_choice(schema[key], chance, depth), root, chance, depth + 1)
    if schema.get("allOf"):
        return example_of(schema["allOf"][0], root, chance, depth + 1)
    kind = schema.get("type", "object" if "properties" in schema else "string")
    if isinstance(kind, list):
        kind = kind[0]
    if kind == "object":
        fields = schema.get("properties", {})
        made = {name: example_of(child, root, chance, depth + 1) for name, child in fields.items()}
        extra = schema.get("additionalProperties")
        if not fields and isinstance(extra, Mapping):
            made["note"] = example_of(extra, root, chance, depth + 1)
        return made
    if kind == "array":
        return _array(schema, root, chance, depth)
    return _scalar(str(kind), schema, chance)


def _choice(options: list[Schema], chance: random.Random, depth: int) -> Schema:
    """Choose one branch of a union. At great depth, choose one that does not recurse."""
    plain = [option for option in options if "$ref" not in option]
    return chance.choice(plain) if depth > 6 and plain else chance.choice(options)


def _array(schema: Schema, root: Schema, chance: random.Random, depth: int) -> list[Any]:
    if "prefixItems" in schema:
        return [example_of(item, root, chance, depth + 1) for item in schema["prefixItems"]]
    least = int(schema.get("minItems", 0))
    most = int(schema.get("maxItems", max(least, 3)))
    count = least if depth > 6 else chance.randint(least, max(least, min(most, least + 2)))
    return [example_of(schema.get("items", {}), root, chance, depth + 1) for _ in range(count)]


def _scalar(kind: str, schema: Schema, chance: random.Random) -> Any:
    if kind == "boolean":
        return chance.random() < 0.5
    if kind == "null":
        return None
    if kind in ("integer", "number"):
        least = schema.get("minimum", schema.get("exclusiveMinimum", 0))
        most = schema.get("maximum", schema.get("exclusiveMaximum", max(5, least + 5)))
        number = chance.randint(int(least) + ("exclusiveMinimum" in schema), int(most) - ("exclusiveMaximum" in schema))
        return number if kind == "integer" else float(number)
    return _string(schema, chance)


def _string(schema: Schema, chance: random.Random) -> str:
    if "pattern" in schema:
        return _matching(sre.parse(schema["pattern"]), chance)
    day = f"2025-{chance.randint(1, 12):02}-{chance.randint(1, 28):02}"
    clock = f"{chance.randint(9, 17):02}:{chance.choice((0, 15, 30, 45)):02}:00"
    formats = {"date": day, "time": clock, "date-time": f"{day}T{clock}Z", "email": "kim@example.org"}
    text = formats.get(schema.get("format", "")) or chance.choice(_SENTENCES)
    longest = schema.get("maxLength")
    text = text[: int(longest)] if longest is not None else text
    return text + "." * max(0, int(schema.get("minLength", 0)) - len(text))


def _matching(parsed: Any, chance: random.Random) -> str:
    """Text that matches a parsed regular expression. Only the simple expressions that schemas use are supported."""
    made = ""
    for operation, argument in parsed:
        name = str(operation)
        if name == "LITERAL":
            made += chr(argument)
        elif name == "IN":
            made += _one_of(argument, chance)
        elif name in ("MAX_REPEAT", "MIN_REPEAT"):
            least, most, inner = argument
            count = chance.randint(least, min(most, least + 3))
            made += "".join(_matching(inner, chance) for _ in range(count))
        elif name == "SUBPATTERN":
            made += _matching(argument[-1], chance)
        elif name == "BRANCH":
            made += _matching(chance.choice(argument[1]), chance)
        elif name in ("ANY", "NOT_LITERAL"):
            made += "a"
    return made


def _one_of(members: Any, chance: random.Random) -> str:
    operation, argument = chance.choice([member for member in members if str(member[0]) != "NEGATE"])
    if str(operation) == "RANGE":
        return chr(chance.randint(*argument))
    if str(operation) == "LITERAL":
        return chr(argument)
    return {"CATEGORY_DIGIT": str(chance.randint(0, 9)), "CATEGORY_SPACE": " "}.get(str(argument), "a")


def _spoiled(example: Any, chance: random.Random) -> str:
    """The example, broken in one of the ways in which models break JSON."""
    whole = json.dumps(example, ensure_ascii=False)
    if not isinstance(example, dict) or not example:
        return f"{whole[:-1]},"
    name = chance.choice(sorted(example))
    ways = (
        lambda: "{}",
        lambda: json.dumps({**example, "confidence_note": "high"}, ensure_ascii=False),
        lambda: json.dumps({**example, name: [[example[name]]]}, ensure_ascii=False),
        lambda: f"Sure! Here is the JSON:\n{whole}\nTell me if you need more.",
        lambda: f"{whole}\n{whole}",
        lambda: whole[: max(1, len(whole) * 2 // 3)],
        lambda: json.dumps([example], ensure_ascii=False),
    )
    return chance.choice(ways)()
