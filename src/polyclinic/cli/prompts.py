"""`polyclinic prompts`: list prompts, and show them as a model gets them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from polyclinic.cli.options import Group, json_option, print_result, table, wait
from polyclinic.errors import ConfigError, UnknownName
from polyclinic.runner.registry import load_clinic

if TYPE_CHECKING:
    from polyclinic.runner.audition.scenes import Scene


@click.group(
    cls=Group,
    name="prompts",
    short_help="Show the prompts of a clinic as a model gets them, filled in from a scenario.",
)
def command() -> None:
    """Show the prompts of a clinic as a model gets them, filled in from a scenario."""


@command.command("list")
@click.argument("clinic")
@json_option
def list_prompts(clinic: str, as_json: bool) -> int:
    """List a clinic's prompts, each with the length limit and the format of its reply."""
    rows = [
        [prompt.prompt_name(), str(prompt.words), prompt.reply_type().__name__, (prompt.__doc__ or "").split("\n")[0]]
        for prompt in load_clinic(clinic).prompts
    ]
    header = ["prompt", "words", "reply", "about"]
    print_result(as_json, [dict(zip(header, row, strict=True)) for row in rows], table(rows, header))
    return 0


@command.command("show")
@click.argument("clinic")
@click.argument("prompt")
@click.option("--scenario", default="", metavar="S", help="As for run: a number, a name, name:count, a file.")
@click.option(
    "--variant", default="", help="Only this variant. Without it, the demo's variants are tried first, then the rest."
)
@click.option(
    "--which",
    type=click.IntRange(1),
    default=1,
    show_default=True,
    help="Which occurrence of the prompt in the episode.",
)
@click.option("--seed", type=int, default=0, show_default=True, help="As for run.")
@json_option
def show_prompt(clinic: str, prompt: str, scenario: str, variant: str, which: int, seed: int, as_json: bool) -> int:
    """Show what a model gets for PROMPT: messages, history, tools and reply format.

    Understudies play the episode up to that point.
    """
    scene = wait(_find(clinic, prompt, scenario, variant, which, seed))
    print_result(as_json, _plain(scene), _text(scene))
    return 0


async def _find(clinic: str, prompt: str, scenario: str, variant: str, which: int, seed: int) -> Scene:
    from polyclinic.models.spec import CastSpec
    from polyclinic.runner.audition.scenes import known_scene, rehearse

    loaded = load_clinic(clinic)
    names = {known.prompt_name() for known in loaded.prompts}
    if prompt not in names:
        raise UnknownName(f"prompt of {clinic}", prompt, names)
    if variant:
        loaded.variant(variant)
    first = (loaded.first_variant, *loaded.demo_variants)
    model = CastSpec("all", "a language model", "endpoint")
    variants = (variant,) if variant else tuple(dict.fromkeys((*first, *loaded.variants)))
    for name, playing in [*((name, model) for name in variants), *((name, None) for name in variants)]:
        rehearsal = await rehearse(
            clinic,
            variants=(name,),
            scenarios=scenario or "1",
            seed=seed,
            until=lambda so_far: sum(scene.prompt == prompt for scene in so_far.scenes) >= which,
            playing=playing,
        )
        found = [scene for scene in rehearsal.scenes if scene.prompt == prompt]
        if len(found) >= which:
            return found[which - 1]
    known = [known_scene(scene) for scene in loaded.known_scenes() if scene.prompt.prompt_name() == prompt]
    if len(known) >= which:
        return known[which - 1]
    raise ConfigError(
        f"{prompt} is not asked {'' if which == 1 else f'{which} times '}in these scenarios"
        f" of {clinic}: try others with --scenario, or --variant"
    )


def _plain(scene: Scene) -> dict[str, Any]:
    request = scene.request
    return {
        "role": request.role,
        "prompt": scene.prompt,
        "messages": [
            {"role": message.role, "content": message.content, "pictures": len(message.images)}
            for message in request.messages
        ],
        "tools": [tool.model_dump() for tool in request.tools],
        "reply": request.reply_schema or "text",
        "words": request.prompt.most_words(),
        "token_limit": request.token_limit,
    }


def _text(scene: Scene) -> str:
    request = scene.request
    form = "plain text" if request.reply_schema is None else f"JSON: {', '.join(request.reply_schema['properties'])}"
    if request.closed is not None:
        form = f"a tool call, or from a server without tools {form}"
    parts = [f"{scene.prompt} to {request.role}; reply: {form}; at most {request.token_limit} tokens"]
    for message in request.messages:
        pictures = "".join(f"\n[picture: {image.caption or 'no caption'}]" for image in message.images)
        calls = "".join(f"\n[uses {call.name} {call.arguments}]" for call in message.tool_calls)
        parts.append(f"──── {message.role} ────\n{message.content}{pictures}{calls}")
    if request.tools:
        tools = "\n".join(f"{tool.name}: {tool.description}" for tool in request.tools)
        parts.append(f"──── tools ────\n{tools}")
    return "\n\n".join(parts)
