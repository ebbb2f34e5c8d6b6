"""`polyclinic prompts`: list prompts, and show them as a model gets them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from polyclinic.cli.options import Group, json_option, print_result, table, wait
from polyclinic.errors import ConfigError, UnknownName
from polyclinic.runner.plan.selection import chosen_scenarios
from polyclinic.runner.registry import load_clinic

if TYPE_CHECKING:
    from polyclinic.core.clinic import Clinic
    from polyclinic.core.prompt import Prompt
    from polyclinic.runner.audition.scenes import AuditionScene

MOST_EPISODES = 40


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
        for prompt in _prompts(load_clinic(clinic))
    ]
    header = ["prompt", "words", "reply", "about"]
    print_result(as_json, [dict(zip(header, row, strict=True)) for row in rows], table(rows, header))
    return 0


@command.command("show")
@click.argument("clinic")
@click.argument("prompt")
@click.option(
    "--scenario",
    default="",
    metavar="S",
    help="As for run: a number, an id, a name, name:count, a file. Without it, one is looked for that asks PROMPT.",
)
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

    Understudies play up to that point. The first line says which scenario and variant were played.
    """
    scene = wait(_find(clinic, prompt, scenario, variant, which, seed))
    print_result(as_json, _plain(scene), _text(scene))
    return 0


def _prompts(clinic: Clinic) -> list[type[Prompt[Any]]]:
    """The clinic's own prompts, and those that judges and the reader of every clinic get."""
    from polyclinic.core.read_text import ReadsText
    from polyclinic.eval.prompts.judging import JudgesRubric

    return [*clinic.prompts, JudgesRubric, ReadsText]


async def _find(clinic: str, prompt: str, scenario: str, variant: str, which: int, seed: int) -> AuditionScene:
    loaded = load_clinic(clinic)
    names = {known.prompt_name() for known in _prompts(loaded)}
    if prompt not in names:
        raise UnknownName("prompt of {1}", prompt, names, of=clinic)
    if variant:
        loaded.variant(variant)
    by_id = bool(scenario) and chosen_scenarios(loaded, scenario, seed)[-1].id == scenario
    for place in places(loaded, prompt, scenario, variant):

        def asked(scenes: Sequence[AuditionScene]) -> list[AuditionScene]:
            mine = [scene for scene in scenes if scene.prompt == prompt]
            return [scene for scene in mine if scene.place[0] in ("", scenario)] if by_id else mine

        found = asked(await scenes_in(loaded, place, seed, lambda scenes: len(asked(scenes)) >= which))
        if len(found) >= which:
            return found[which - 1]
    raise ConfigError(
        f"{prompt} is not asked {'' if which == 1 else f'{which} times '}in these scenarios"
        f" of {clinic}: try others with --scenario, or --variant"
    )


class PromptPlace(NamedTuple):
    """Where to look for a prompt: in the episodes of a variant over some scenarios, or (without scenarios) in the
    clinic's known scenes. `as_model`: players get the questions that a language model would get.
    """

    scenarios: str = ""
    variant: str = ""
    as_model: bool = True


def places(clinic: Clinic, prompt: str, scenario: str, variant: str) -> list[PromptPlace]:
    """Where a prompt is looked for, in this order: the place that the clinic names, its first scenario with the first
    and the demo's variants, known scenes, the other variants, then what understudies alone are asked, then the demo.
    A chosen scenario or variant is kept to.
    """
    first = tuple(dict.fromkeys((clinic.first_variant, *clinic.demo_variants)))
    others = tuple(name for name in clinic.variants if name not in first)
    if variant:
        first, others = (variant,), ()
    told = clinic.asked_in.get(prompt)
    named = [PromptPlace(told[0], variant or told[1])] if told and not scenario else []
    begin = [PromptPlace(scenario or "1", name) for name in (*first, *others)]
    plain = [place._replace(as_model=False) for place in begin]
    more = [] if scenario else [PromptPlace(clinic.demo_scenarios, name) for name in first]
    return [*named, *begin[: len(first)], PromptPlace(), *begin[len(first) :], *plain, *more]


async def scenes_in(
    clinic: Clinic, place: PromptPlace, seed: int, enough: Callable[[Sequence[AuditionScene]], bool]
) -> Sequence[AuditionScene]:
    """What is asked in one place, up to the episode after which it is enough."""
    from polyclinic.models.spec import CastSpec
    from polyclinic.runner.audition.scenes import known_scene, rehearse

    if not place.scenarios:
        return [known_scene(scene) for scene in clinic.known_scenes()]
    rehearsal = await rehearse(
        clinic.name,
        variants=(place.variant,),
        scenarios=place.scenarios,
        seed=seed,
        episodes=MOST_EPISODES,
        going_on=True,
        until=lambda so_far: enough([*so_far.scenes, *so_far.read]),
        playing=CastSpec("all", "a language model", "endpoint") if place.as_model else None,
    )
    return [*rehearsal.scenes, *rehearsal.read]


def _plain(scene: AuditionScene) -> dict[str, Any]:
    request = scene.request
    scenario, variant = scene.place
    return {
        "role": request.role,
        "prompt": scene.prompt,
        "scenario": scenario,
        "variant": variant,
        "messages": [
            {"role": message.role, "content": message.content, "pictures": len(message.images)}
            for message in request.messages
        ],
        "tools": [tool.model_dump() for tool in request.tools],
        "reply": request.reply_schema or "text",
        "words": request.prompt.most_words(),
        "token_limit": request.token_limit,
    }


def _text(scene: AuditionScene) -> str:
    request = scene.request
    form = "plain text" if request.reply_schema is None else f"JSON: {', '.join(request.reply_schema['properties'])}"
    if request.closed is not None:
        form = f"a tool call, or from a server without tools {form}"
    scenario, variant = scene.place
    where = f"scenario {scenario}, variant {variant}" if scenario else "asked outside the clinic's episodes"
    parts = [f"{scene.prompt} to {request.role} ({where}); reply: {form}; at most {request.token_limit} tokens"]
    for message in request.messages:
        pictures = "".join(f"\n[picture: {image.caption or 'no caption'}]" for image in message.images)
        calls = "".join(f"\n[uses {call.name} {call.arguments}]" for call in message.tool_calls)
        parts.append(f"──── {message.role} ────\n{message.content}{pictures}{calls}")
    if request.tools:
        tools = "\n".join(f"{tool.name}: {tool.description}" for tool in request.tools)
        parts.append(f"──── tools ────\n{tools}")
    return "\n\n".join(parts)
