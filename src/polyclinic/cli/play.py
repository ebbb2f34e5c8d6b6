"""`polyclinic play`: a person takes a role; the episode is kept like any other."""

from __future__ import annotations

import asyncio
import sys
import threading
from contextlib import suppress
from typing import Any

import click

from polyclinic.cli.feedback import in_brief, in_own_words
from polyclinic.cli.language import own_language, own_names, own_words
from polyclinic.cli.options import json_option, print_json, scenarios_option, store_option, wait
from polyclinic.cli.screen import WIDEST, Screen, with_command
from polyclinic.core.clinic import Clinic
from polyclinic.core.judge import Case
from polyclinic.core.transcript import Failed, Scored
from polyclinic.core.turns import cancel_all
from polyclinic.core.value import plain
from polyclinic.errors import ConfigError, PersonLeft
from polyclinic.eval.sections import sections_to_plain
from polyclinic.eval.terminal import section_text
from polyclinic.models.human import HumanDesk
from polyclinic.runner.api import only_if_begun, outcome_of, resume_run, save_run
from polyclinic.runner.drive import about_libraries, resume_line
from polyclinic.runner.plan.config import RunConfig, make_config
from polyclinic.runner.plan.run_plan import RunPlan, plan_run
from polyclinic.runner.registry import load_clinic
from polyclinic.runner.results import (
    OwnFigures,
    figure_lines,
    figures_beside_feedback,
    load_results,
    metrics_told,
    own_feedback,
    people_in,
    time_taken,
    valid_figures,
)
from polyclinic.store.store import Store, open_store
from polyclinic.text.layout import filled, terminal_width
from polyclinic.text.worded import Worded

OTHER_LANGUAGE = {
    "en": "This case is in English: the others speak and understand English. Instructions and feedback are in Korean.",
    "ko": "This case is in Korean: the others speak and understand Korean, and you are asked in Korean. Feedback is in"
    " English.",
}
"""What a person is told whose case is not in their language."""
NO_PART = "{1} has no part in the usual episodes of {2}: it is asked with {4}. You can play: {3}"
"""What a person is told who names a role that is seldom asked."""
LEAVING = ("quit", "exit")
"""Words that people often type when they mean /quit."""


@click.command(name="play", short_help="Take a role yourself, in the terminal, and get feedback.")
@click.argument("clinic", required=False)
@click.option("--role", default="", help="The role you take.")
@click.option("--variant", help="[default: the clinic's own]")
@scenarios_option(
    default=None,
    metavar="N",
    help="Which scenario; the first of the selection is played.  [default: the clinic's own]",
)
@click.option("--seed", type=int, default=0, show_default=True, help="The same seed gives the same result.")
@click.option("--cast", default="", metavar="ROLE=MODEL,…", help="Who plays the others.  [default: understudies]")
@click.option(
    "--library",
    "library",
    default="",
    metavar="SOURCE",
    help="What the others have learned: a saved library, run or file.",
)
@click.option(
    "--who", default="", metavar="NAME", help="Your name, kept with the episode; `polyclinic grades` lists it."
)
@click.option("--resume", "left", default="", metavar="RUN", help="Continue a session that you left.")
@click.option(
    "--full", is_flag=True, help="Print all of the feedback; with --resume, that of a session that has ended."
)
@store_option
@json_option
def command(
    clinic: str | None,
    role: str,
    variant: str | None,
    scenarios: str | None,
    seed: int,
    cast: str,
    library: str,
    who: str,
    left: str,
    full: bool,
    store: str,
    as_json: bool,
) -> int:
    """Take a role yourself, in the terminal, and get feedback.

    Type your words and press Enter. /help shows what you know, /quit stops. The conversation is saved: continue it
    with --resume RUN.
    """
    if left:
        if clinic or role:
            raise click.UsageError(Worded("with --resume, name only the run: its clinic and role are known"))
        return wait(_continue(store, left, as_json, full))
    if not clinic:
        raise click.UsageError(Worded("name a clinic and a role: {1}", "polyclinic play patient --role doctor"))
    found = load_clinic(clinic)
    offered = ", ".join(each.name for each in found.roles if each.offered)
    if not role:
        raise click.UsageError(Worded("name your role with --role: {1}", offered))
    elsewhere = found.role(role).asked_in
    if elsewhere and (elsewhere.startswith("polyclinic ") or (variant is None and scenarios is None)):
        raise ConfigError(Worded(NO_PART, role, clinic, offered, Worded(elsewhere)))
    seat = f"{role}-1" if found.role(role).seats and "-" not in role else role
    values: dict[str, object] = {
        "clinic": clinic,
        "variants": (variant or found.first_variant,),
        "scenarios": found.to_play(role, own_language(), scenarios or ""),
        "seed": seed,
        "cast": ",".join(filter(None, [f"{seat}=human", cast or "all=understudy"])),
        "libraries": {"all": library} if library else {},
        "options": {"who": who} if who else {},
        "concurrency": 1,
        "store": store,
    }
    return wait(_play(found, seat, make_config(values), as_json, full))


async def _play(clinic: Clinic, role: str, config: RunConfig, as_json: bool, full: bool) -> int:
    async with open_store(config.store) as store:
        plan = await plan_run(store, config)
        if not plan.episodes:
            raise ConfigError(Worded("--scenarios {1} selects nothing", config.scenarios))
        for line in (*clinic.notes_on(config.scenarios), *about_libraries(config, plan)):
            click.echo(filled(own_words(line), terminal_width(WIDEST)), err=True)
        spoken = plan.scenarios[0].language()
        if spoken and spoken != own_language():
            click.echo(filled(own_words(OTHER_LANGUAGE[spoken]), terminal_width(WIDEST)), err=True)
        run, kept = await save_run(store, plan, only=1)
        return await _session(store, clinic, role, run, as_json, full, kept)


async def _continue(url: str, run: str, as_json: bool, full: bool) -> int:
    """Continue a session: shows again what was said, and does not ask again what was answered."""
    async with open_store(url, must_exist=True) as store:
        row = await store.runs.get(run)
        roles = people_in(row)
        if not roles:
            raise ConfigError(
                Worded("{1}: no person plays in this run; continue it with: polyclinic resume {1}", row.id)
            )
        if (await outcome_of(store, row.id)).left:
            return await _session(store, load_clinic(row.clinic), roles[0], row.id, as_json, full)
        if full or as_json:
            await _feedback(store, load_clinic(row.clinic), roles[0], row.id, as_json, full)
            return 0
        again = resume_line(row.id, store.url, "play --resume")
        raise ConfigError(
            Worded("{1} has ended; read it with: polyclinic show {1}; its feedback with: {2} --full", row.id, again)
        )


CLEAR_BELOW = "\x1b[J"
"""After Ctrl-C the rest of a long line that was being typed may stand below the cursor."""


async def _session(
    store: Store, clinic: Clinic, role: str, run: str, as_json: bool, full: bool, plan: RunPlan | None = None
) -> int:
    with suppress(ImportError):
        import readline  # noqa: F401  (gives input() line editing and history)
    desk, as_found = HumanDesk(), _terminal_settings()
    screen = Screen(role, quiet=as_json, names=own_names(), roles=[each.name for each in clinic.roles])
    again = resume_line(run, store.url, "play --resume")
    asking = asyncio.create_task(_converse(desk, screen))
    asking.add_done_callback(lambda _: desk.close())
    try:
        async with only_if_begun(store, run):
            outcome = await resume_run(store, run, plan=plan, desk=desk, listener=screen.heard)
    except PersonLeft:
        kept = any(row.id == run for row in await store.runs.all())
        saved = with_command("You left. The conversation is saved; continue with:", again)
        click.echo(f"\n{saved if kept else own_words('You left.')}", err=True)
        return 0
    except asyncio.CancelledError:
        told = with_command("stopped; the conversation is saved. Continue with:", again)
        click.echo(f"\n{CLEAR_BELOW if sys.stderr.isatty() else ''}{told}", err=True)
        raise
    finally:
        await cancel_all([asking])
        _restore(as_found)
    if not screen.questions:
        raise ConfigError(Worded("{1} has no part in this scenario; choose another with --scenarios", role))
    await _feedback(store, clinic, role, run, as_json, full)
    return outcome.exit_code


def _terminal_settings() -> list[Any]:
    """The settings of the terminal; empty where there is none."""
    with suppress(ImportError):
        import termios

        with suppress(OSError, ValueError, termios.error):
            return termios.tcgetattr(sys.stdin) if sys.stdin.isatty() else []
    return []


def _restore(settings: list[Any]) -> None:
    """Set the terminal as it was: line editing changes it, and an unfinished line leaves it without echo."""
    if settings:
        import termios

        with suppress(OSError, ValueError, termios.error):
            termios.tcsetattr(sys.stdin, termios.TCSADRAIN, settings)


async def _typed(prompt: str) -> str:
    """Read one line from the terminal, in a daemon thread, so that Ctrl-C need not wait for Enter."""
    loop = asyncio.get_running_loop()
    line: asyncio.Future[str] = loop.create_future()

    def settle(text: str, error: BaseException | None) -> None:
        if line.done():
            return
        if error is None:
            line.set_result(text)
        else:
            line.set_exception(error)

    def read() -> None:
        text, fault = "", None
        try:
            text = input(prompt)
        except (EOFError, OSError, ValueError) as error:
            fault = error
        with suppress(RuntimeError):  # the loop is closed: nobody waits for this line any more
            loop.call_soon_threadsafe(settle, text, fault)

    threading.Thread(target=read, daemon=True, name="polyclinic-keyboard").start()
    return await line


async def _converse(desk: HumanDesk, screen: Screen) -> None:
    while True:
        question, doubted = await desk.next(), ""
        screen.ask(question)
        if screen.questions == 1 and not question.error:
            screen.show(Worded("(/help shows this again. /quit stops: the conversation is saved.)"))
        while True:
            try:
                line = await _typed(f"{screen.name(question.role)}> ")
            except EOFError:
                desk.close()
                return
            if line.strip() == "/quit":
                desk.close()
                return
            if line.strip() == "/help":
                screen.show(question.show)
                continue
            if line.strip().casefold() in LEAVING and line != doubted:
                doubted = line
                screen.show(Worded("Did you mean /quit? It has a slash. To say “{1}”, type it again.", line.strip()))
                continue
            screen.typed(line)
            if not desk.reply(question.id, line):
                if desk.understood:
                    screen.show(desk.understood)
                break
            question = await desk.next()
            screen.ask(question)


async def _feedback(store: Store, clinic: Clinic, role: str, run: str, as_json: bool, full: bool) -> None:
    """Print the feedback.

    Sentences come first (what was good, what is missing, the next step), then a few figures about this person. Without
    `full`, it is about one screen.
    """
    results = await load_results(store, run)
    episode = results.episodes[0]
    case = Case(results.scenarios[episode.scenario], clinic.variant(episode.variant), episode.transcript, episode.trial)
    done = episode.status == "done"
    sections = own_feedback(clinic, role, case, own_language(), results) if done else []
    own = valid_figures(results, clinic, role, case) if done else OwnFigures({}, ())
    elapsed_ms = (await time_taken(store, run))[episode.id]
    if as_json:
        about = {"run": run, "episode": episode.id, "outcome": episode.outcome, "elapsed_ms": elapsed_ms}
        scores = [plain(event.score) for event in episode.transcript.of(Scored)]
        figures = {"figures": own.valid, "not_valid": own.left_out}
        print_json({**about, **figures, "scores": scores, "feedback": sections_to_plain(sections)})
        return
    told = clinic.ending(case, role) if clinic.ending is not None and done else episode.outcome.replace("_", " ")
    click.echo(f"\n— {own_words(told)} —\n")
    for failure in episode.transcript.of(Failed):
        if failure.fatal:
            click.echo(f"{own_words(Worded('The episode could not go on: {1}', failure.error))}\n")
    shown = sections if full else in_brief(sections)
    if shown:
        click.echo("\n\n".join(section_text(in_own_words(section, own_words)) for section in shown) + "\n")
    names = own_names()
    beside = figures_beside_feedback(own, clinic, role, case)
    for line in figure_lines(clinic, beside.valid):
        words, _, figure = line.strip().rpartition(": ")
        label = next((names[text].rstrip("?.") for text in (words, f"{words}?", f"{words}.") if text in names), words)
        value = own_words(figure.replace(" of ", " / ") if names else figure)
        click.echo(filled(f"  {label}: {value}", terminal_width(WIDEST), "    "))
    if beside.left_out:
        known = metrics_told(clinic)
        told = "; ".join(own_words(known[name].about.rstrip("?.")) for name in beside.left_out)
        hidden = Worded("Not shown, because this session's reader is not known to be right often enough: {1}", told)
        click.echo(filled(own_words(hidden), terminal_width(WIDEST)))
    minutes, seconds = divmod(elapsed_ms // 1000, 60)
    click.echo(own_words(Worded("Time: {1} min {2} s. Saved as run {3}.", minutes, seconds, run)))
    click.echo(with_command("Read it again:", f"{resume_line(run, store.url, 'show')} {episode.id}"))
    if shown != sections:
        click.echo(with_command("All of the feedback:", f"{resume_line(run, store.url, 'play --resume')} --full"))
