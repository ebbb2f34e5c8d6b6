"""The front desk's cost and speed: synthesis, CPU per patient, FHIR transactions, slot search, and a slow endpoint.

    python benchmarks/frontdesk.py [synthesis] [patients] [search] [endpoint] [intake] [travel] [sentences] [events]
                                   [--patients N] [--repeats N] [--concurrency N] [--hospitals SELECTOR]…
                                   [--seed N] [--file FILE]…

`intake` gives the understudy's errors at the intake on our own hospitals and, with `--hospitals FOLDER`, on a dataset
of the h-adminsim package. `travel` follows extraction errors into the hospital's records. `sentences` gives the
rubrics' share of right judgements on the author's sentences, for two halves. Sentences whose SHA-256 is even were read
while the rules were extended; the others were not. A new file (`--file`, as for `polyclinic eval frontdesk-rubrics`) is
measured whole. `events` counts moves, waits and cancellations beside the paper's rates and its table 5.

Times are CPU time or ratios within one run, because wall-clock time on a shared machine says little. The endpoint part
serves the replies that understudies gave in a first run. They come over HTTP from another process, each after a fixed
latency. So the second run must give the same result, and it does everything that a run with a language model does.
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import json
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, cast

import orjson

from polyclinic.clinics.frontdesk.scenario.config import preset
from polyclinic.clinics.frontdesk.scenario.diary import Appointment
from polyclinic.clinics.frontdesk.scenario.schema import Contact
from polyclinic.clinics.frontdesk.scenario.slots import earliest
from polyclinic.clinics.frontdesk.scenario.synthesis import synthesize
from polyclinic.clinics.frontdesk.state.hospital import HospitalState
from polyclinic.clinics.frontdesk.tools.opening import Ids, hospital_resources
from polyclinic.core.understudy import Ask, Understudy
from polyclinic.fhir.store import FhirStore
from polyclinic.runner.api import resume_run, start_run
from polyclinic.runner.plan.config import make_config
from polyclinic.runner.results import load_results
from polyclinic.store.store import Store, open_store
from polyclinic.testing.fault_server import FaultServer

SEED = 9999


async def synthesis() -> None:
    """CPU to draw the tertiary preset's three hospitals with their patients, as FHIR resources, and to store these."""
    for level in ("primary", "secondary", "tertiary"):
        began = time.process_time()
        contacts = synthesize(preset(level), SEED)
        drawn = time.process_time()
        plans = [contact.plan for contact in contacts if contact.plan is not None]
        resources = [r for plan in plans for r in hospital_resources(Ids("bench", plan.id, "tool", 0), plan)]
        built = time.process_time()
        with tempfile.TemporaryDirectory() as folder:
            async with open_store(str(Path(folder) / "s.db")) as store:
                from polyclinic.fhir.schema import create_tables

                await store.database.write(create_tables)
                await FhirStore(store.database).load(resources)
        stored = time.process_time()
        visits = sum(contact.kind == "visit" for contact in contacts)
        print(
            f"synthesis {level:9}: {len(plans)} hospitals, {visits} patients, {len(resources)} resources: "
            f"{drawn - began:.2f} s drawing + {built - drawn:.2f} s resources = {built - began:.2f} s CPU "
            f"(and {stored - built:.2f} s to store them)"
        )


async def patients(limit: int, repeats: int, concurrency: int) -> None:
    """CPU per patient of whole runs with FHIR writes on, in a file, and transactions per patient.

    All threads count. The CPU of the understudies is given separately, because they take the place of a language model
    and are not part of the engine. A run is repeated, because the same work can take up to 50 % longer on this kind of
    machine.
    """
    for level in ("primary", "secondary", "tertiary"):
        spent, thinking, line = [], [], ""
        for _ in range(repeats if level != "tertiary" else 1):
            total, thought, line = await _patients(level, limit, concurrency)
            spent.append(total)
            thinking.append(thought)
        middle = sorted(range(len(spent)), key=lambda i: spent[i])[len(spent) // 2]
        print(
            f"patients  {level:9}: {line}: {spent[middle]:.2f} ms CPU per patient"
            f"{f' ({min(spent):.2f} to {max(spent):.2f} in {len(spent)} runs)' if len(spent) > 1 else ''}, "
            f"of that {thinking[middle]:.2f} by understudies, engine {spent[middle] - thinking[middle]:.2f}",
            flush=True,
        )


async def _patients(level: str, limit: int, concurrency: int) -> tuple[float, float, str]:
    selector = f"{level}:1:{limit}" if limit else f"{level}:1"
    warm = {"clinic": "frontdesk", "scenarios": "primary:1:3", "seed": 1, "concurrency": concurrency}
    with tempfile.TemporaryDirectory() as folder:
        async with open_store(str(Path(folder) / "s.db")) as store:
            await resume_run(store, await start_run(store, make_config(warm)))
            id_ = await start_run(store, make_config({**warm, "scenarios": selector, "seed": SEED}))
            with _thinking() as thought:
                began = time.process_time()
                outcome = await resume_run(store, id_)
                spent = time.process_time() - began
            results = await load_results(store, id_)
            calls = await _count(store, "SELECT COUNT(*) FROM calls WHERE run = ?", id_)
    visits = sum(episode.data.get("kind") == "visit" for episode in results.episodes)
    written = sum("diary" in episode.data for episode in results.episodes)
    line = (
        f"{visits} patients, {outcome.done} contacts, {calls} calls, {written / visits:.2f} booking "
        f"transactions per patient"
    )
    return 1000 * spent / visits, 1000 * thought[0] / visits, line


@contextmanager
def _thinking() -> Iterator[list[float]]:
    """CPU seconds inside understudies."""
    spent, play = [0.0], Understudy.play

    def timed(self: Understudy, ask: Ask[Any]) -> Any:
        began = time.thread_time()
        try:
            return play(self, ask)
        finally:
            spent[0] += time.thread_time() - began

    Understudy.play = timed  # type: ignore[method-assign]
    try:
        yield spent
    finally:
        Understudy.play = play  # type: ignore[method-assign]


async def _count(store: Store, statement: str, run: str) -> int:
    return int((await store.database.read(lambda tx: tx.execute(statement, (run,))))[0][0])


async def intake(selectors: list[str], seed: int) -> None:
    """The understudy staff's errors at the intake, for all patients and for patients who know no diagnosis."""
    for selector in selectors:
        async with open_store("sqlite://:memory:") as store:
            config = {"clinic": "frontdesk", "scenarios": selector, "variants": ("intake",), "seed": seed}
            id_ = await start_run(store, make_config(config))
            await resume_run(store, id_)
            results = await load_results(store, id_)
        scored = [(episode, episode.value("intake")) for episode in results.episodes]
        wrong = [episode for episode, value in scored if value == 0.0]
        told = [episode for episode, value in scored if value is not None]
        plain = [e for e in told if not cast(Contact, results.scenarios[e.scenario]).caller.knows_diagnosis]
        missed = sum(episode.value("intake") == 0.0 for episode in plain)
        print(
            f"intake    {selector} (seed {seed}): {len(wrong)} of {len(told)} wrong "
            f"({100 * len(wrong) / len(told):.1f} %); "
            f"without a diagnosis {missed} of {len(plain)} ({100 * missed / len(plain):.1f} %); codes "
            f"{dict(Counter(score.reason for e in wrong for score in e.scores if score.metric == 'intake'))}"
        )
        flags, alarms = ([episode.value(name) for episode in results.episodes] for name in ("red_flag", "false_alarm"))
        warned = [
            episode.outcome == "emergency"
            for episode in results.episodes
            if (patient := cast(Contact, results.scenarios[episode.scenario]).patient) is not None
            and patient.warning_sign
            and not patient.emergency
        ]
        print(
            f"emergency {selector}: {flags.count(1.0)} of {len(flags) - flags.count(None)} recognised; "
            f"{alarms.count(1.0)} of {len(alarms) - alarms.count(None)} false alarms; "
            f"{sum(warned)} of {len(warned)} with a warning sign sent",
            flush=True,
        )


HELD_OUT = Path(__file__).parent / "data" / "desk_sentences.jsonl"


def was_read(line: str) -> bool:
    """Whether a line's sentence is in the half that was read while the rules were extended."""
    return int(hashlib.sha256(json.loads(line)["text"].encode()).hexdigest(), 16) % 2 == 0


def sentences(files: list[str]) -> None:
    """The share of sentences judged rightly: for each file, or for both halves of the author's file."""
    lines = [line for line in HELD_OUT.read_text(encoding="utf-8").splitlines() if line.strip()]
    halves = {"read half": [a for a in lines if was_read(a)], "unread half": [a for a in lines if not was_read(a)]}
    with tempfile.TemporaryDirectory() as folder:
        named = {name: Path(name) for name in files}
        if not files:
            for name, half in halves.items():
                named[name] = Path(folder) / f"{name}.jsonl"
                named[name].write_text("\n".join(half), encoding="utf-8")
        for name, path in named.items():
            asked = [sys.executable, "-m", "polyclinic", "eval", "frontdesk-rubrics", "--file", str(path), "--json"]
            found = json.loads(subprocess.run(asked, capture_output=True, check=True).stdout)
            shares = ", ".join(f"{check} {share:.3f}" for check, share in sorted(found["checks"].items()))
            print(f"sentences {name}: {found['right']:.3f} of {found['lines']} ({shares})")


PAPER = {"primary": (516, 582, 596), "secondary": (769, 898, 908), "tertiary": (5052, 6550, 6811)}
"""Table 5 of the h-adminsim paper: new appointments, and the fewest and most scheduling tasks of its three models."""


async def events(hospitals: int) -> None:
    """Who asks to move and to cancel, the results, and scheduling tasks for each new appointment."""
    for level, (new, fewest, most) in PAPER.items():
        async with open_store("sqlite://:memory:") as store:
            config = make_config({"clinic": "frontdesk", "scenarios": f"{level}:{hospitals}", "seed": 1})
            id_ = await start_run(store, config)
            await resume_run(store, id_)
            results = await load_results(store, id_)
        ended = Counter((str(episode.data.get("kind")), episode.outcome) for episode in results.episodes)
        calls = Counter(str(episode.data.get("kind")) for episode in results.episodes)
        up = sum(episode.data.get("waiting_moved", 0) for episode in results.episodes)
        booked, stated = ended["visit", "booked"], preset(level).events
        tasks = booked + calls["move"] + calls["cancel"] + up
        print(
            f"events    {level:9}: {booked} booked; {calls['move']} asked to move ({calls['move'] / booked:.3f}, "
            f"stated {stated.reschedule_prob}): {ended['move', 'moved']} moved at once, {ended['move', 'waiting']} on "
            f"the waiting list, {up} moved up from it; {calls['cancel']} asked to cancel "
            f"({calls['cancel'] / booked:.3f}, stated {stated.cancel_prob}); {tasks / booked:.2f} tasks for each "
            f"new appointment, paper {fewest / new:.2f} to {most / new:.2f}",
            flush=True,
        )


async def travel(selector: str) -> None:
    """One intake in ten writes the personal number as the phone number: count wrong records and missed calls."""
    async with open_store("sqlite://:memory:") as store:
        cast_ = "staff=understudy:mistake=swaps_numbers@0.1,patient=understudy"
        id_ = await start_run(
            store, make_config({"clinic": "frontdesk", "scenarios": selector, "seed": 1, "cast": cast_})
        )
        await resume_run(store, id_)
        results = await load_results(store, id_)
        rows = await store.database.read(
            lambda tx: tx.execute("SELECT body FROM fhir_resource WHERE type = 'Patient'", ())
        )
    patients = [orjson.loads(row[0]) for row in rows]
    swapped = sum(
        "telecom" in patient and patient["telecom"][0]["value"] == patient["identifier"][0]["value"]
        for patient in patients
    )
    judged = [episode.value("intake") for episode in results.episodes if episode.value("intake") is not None]
    moved = sum(episode.data.get("waiting_moved", 0) for episode in results.episodes)
    unreached = {id_ for episode in results.episodes for id_ in cast("list[str]", episode.data.get("not_reached", ()))}
    print(
        f"travel    {selector}: {judged.count(0.0)} of {len(judged)} intakes wrong; {swapped} of {len(patients)} "
        f"Patient resources have a wrong phone number; {moved} moved up, {len(unreached)} on the list could not "
        "be called"
    )


def search() -> None:
    """The time to find the earliest feasible start in a half-full tertiary department, by days and physicians."""
    for days, physicians in ((7, 3), (30, 3), (90, 3), (7, 10), (7, 30), (90, 30)):
        config = preset(
            "tertiary",
            days=days,
            working_days={"min": days // 2, "max": days // 2},
            physician_per_department={"min": physicians, "max": physicians},
            appointment_ratio={"min": 0.01, "max": 0.01},
        )
        diary = HospitalState.open(synthesize(config, SEED, 1)).diaries["cardiology"]
        for index, physician in enumerate(diary.plan.physicians):
            length = physician.slots_per_visit
            for day in range(days // 2):
                for slot in range(0, diary.time.slots_per_day - length + 1, length):
                    bits = ((1 << length) - 1) << slot
                    if diary.free[index][day] & bits == bits:
                        entry = Appointment(
                            f"{index}-{day}-{slot}", "p", "p", index, day, slot, length, "asap", 0, True
                        )
                        diary.add(entry)
        moments = [(step * 37) % (days * 1440) for step in range(20_000)]
        began = time.process_time()
        for now in moments:
            earliest(diary, now)
        spent = time.process_time() - began
        print(f"search    {days:2} days, {physicians:2} physicians: {1e6 * spent / len(moments):.1f} µs")


async def endpoint(limit: int, latency_s: float, concurrency: int) -> None:
    """A tertiary hospital with a slow endpoint: high concurrency compared with one call at a time."""
    selector = f"tertiary:1:{limit}" if limit else "tertiary:1"
    with tempfile.TemporaryDirectory() as folder:
        recorded = Path(folder) / "replies.json"
        async with open_store(str(Path(folder) / "a.db")) as store:
            expected, calls = await _record(store, selector, recorded)
        serve = [sys.executable, __file__, "--serve", str(recorded), "--latency", str(latency_s)]
        with subprocess.Popen(serve, stdout=subprocess.PIPE, text=True) as server:
            assert server.stdout is not None
            url = server.stdout.readline().strip()
            cast_ = f"all={url}:recorded?concurrency={concurrency}"
            few, few_calls = await _against(Path(folder) / "b.db", "tertiary:1:2", cast_, 1)
            wall, found = await _against_whole(Path(folder) / "c.db", selector, cast_, concurrency)
            server.terminate()
    alone = few / few_calls * calls
    same = found == expected
    print(
        f"endpoint  {calls} calls of {latency_s:g} s: {wall:.0f} s at concurrency {concurrency}; one at a time "
        f"{few / few_calls:.3f} s per call (measured on {few_calls}), so {alone:.0f} s: {alone / wall:.0f} "
        f"times faster; "
        f"same result: {same}"
    )


async def _record(store: Store, selector: str, path: Path) -> tuple[dict[str, Any], int]:
    id_ = await start_run(store, make_config({"clinic": "frontdesk", "scenarios": selector, "seed": SEED}))
    await resume_run(store, id_)
    rows = await store.database.read(
        lambda tx: tx.execute("SELECT request, completion FROM calls WHERE run = ?", (id_,))
    )
    replies = {_digest(orjson.loads(request)["messages"]): orjson.loads(reply)["text"] for request, reply in rows}
    few = await start_run(store, make_config({"clinic": "frontdesk", "scenarios": "tertiary:1:2", "seed": SEED}))
    await resume_run(store, few)
    more = await store.database.read(
        lambda tx: tx.execute("SELECT request, completion FROM calls WHERE run = ?", (few,))
    )
    replies |= {_digest(orjson.loads(request)["messages"]): orjson.loads(reply)["text"] for request, reply in more}
    path.write_text(json.dumps(replies))
    return await _outcome(store, id_), len(rows)


async def _outcome(store: Store, run: str) -> dict[str, Any]:
    """What must be the same: how each contact ended, its scores, and every change of every diary."""
    results = await load_results(store, run)
    return {
        episode.scenario: (
            episode.outcome,
            [(score.metric, score.value, score.reason) for score in episode.scores],
            dict(episode.data),
        )
        for episode in results.episodes
    }


async def _against(path: Path, selector: str, cast_: str, concurrency: int) -> tuple[float, int]:
    async with open_store(str(path)) as store:
        config = {"clinic": "frontdesk", "scenarios": selector, "seed": SEED, "cast": cast_, "concurrency": concurrency}
        id_ = await start_run(store, make_config(config))
        began = time.monotonic()
        await resume_run(store, id_)
        return time.monotonic() - began, await _count(store, "SELECT COUNT(*) FROM calls WHERE run = ?", id_)


async def _against_whole(path: Path, selector: str, cast_: str, concurrency: int) -> tuple[float, dict[str, Any]]:
    async with open_store(str(path)) as store:
        config = {"clinic": "frontdesk", "scenarios": selector, "seed": SEED, "cast": cast_, "concurrency": concurrency}
        id_ = await start_run(store, make_config(config))
        began = time.monotonic()
        await resume_run(store, id_)
        return time.monotonic() - began, await _outcome(store, id_)


def _digest(messages: list[dict[str, Any]]) -> str:
    spoken = [[message["role"], message.get("content") or ""] for message in messages]
    return hashlib.sha256(orjson.dumps(spoken)).hexdigest()


async def serve(path: Path, latency_s: float) -> None:
    """The endpoint: returns the recorded replies after a while."""
    replies: dict[str, str] = json.loads(path.read_text())

    def reply(body: dict[str, Any]) -> str:
        return replies[_digest(cast("list[dict[str, Any]]", body["messages"]))]

    async with FaultServer(latency_s=latency_s, reply=reply) as server:
        print(server.url, flush=True)
        await asyncio.Event().wait()


async def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("parts", nargs="*", default=["synthesis", "patients", "search", "endpoint"])
    parser.add_argument("--patients", type=int, default=0, help="only the first N patients; 0: all")
    parser.add_argument("--repeats", type=int, default=5, help="runs per level of the part patients (tertiary: one)")
    parser.add_argument("--latency", type=float, default=1.0, help="latency of the endpoint, in seconds")
    parser.add_argument(
        "--concurrency", type=int, default=256, help="contacts at the same time, in patients and endpoint"
    )
    parser.add_argument("--serve", type=Path, help="serve recorded replies (used by the endpoint part)")
    parser.add_argument("--hospitals", action="append", default=[], help="for intake: a selector, a file or a folder")
    parser.add_argument("--seed", type=int, default=1, help="for intake: the seed of our hospitals and of the runs")
    parser.add_argument("--file", action="append", default=[], help="for sentences: a file of lines, measured whole")
    given = parser.parse_args()
    if given.serve is not None:
        await serve(given.serve, given.latency)
        return
    if "synthesis" in given.parts:
        await synthesis()
    if "search" in given.parts:
        search()
    if "patients" in given.parts:
        await patients(given.patients, given.repeats, given.concurrency)
    if "intake" in given.parts:
        await intake(given.hospitals or ["primary", "secondary"], given.seed)
    if "sentences" in given.parts:
        sentences(given.file)
    if "events" in given.parts:
        await events(1)
    if "travel" in given.parts:
        await travel("tertiary:1")
    if "endpoint" in given.parts:
        await endpoint(given.patients, given.latency, given.concurrency)


if __name__ == "__main__":
    asyncio.run(main())
