"""Runs and their episodes: created once, claimed by one process at a time, ended in one transaction."""

from __future__ import annotations

from collections.abc import Awaitable, Iterable, Sequence
from contextlib import nullcontext
from typing import Any

import orjson

from polyclinic.core.campaign import StoredEffect
from polyclinic.core.database import Transaction
from polyclinic.core.episode import EpisodeSpec
from polyclinic.core.execute import EpisodeResult
from polyclinic.core.model import Completion, Usage, total
from polyclinic.core.scenario import Scenario
from polyclinic.core.transcript import Transcript
from polyclinic.errors import UnknownName
from polyclinic.store.chain import CommitChain
from polyclinic.store.facts import put_ended
from polyclinic.store.journal import SentMessage, keep_calls, now_ms, sent_messages
from polyclinic.store.leases import LeaseLost, give_up, holds
from polyclinic.store.retries import put_lost, retry_failed
from polyclinic.store.run_rows import EPISODE_COLUMNS, RunRow, StoredEpisode, episode_row, run_row
from polyclinic.store.scores import LIVE, put_scores
from polyclinic.store.tables import Tables

_INSERT = (
    f"INSERT INTO episodes (run, {EPISODE_COLUMNS}, transcript) "
    "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'pending', 0, '', '{}', 0, '[]')"
)


def _new_row(run: str, number: int, unit: str, spec: EpisodeSpec) -> tuple[object, ...]:
    """The row of an episode that has not begun."""
    place = (spec.trial, spec.campaign, spec.position, spec.wave)
    return (run, spec.id, number, unit, spec.scenario, spec.variant, *place)


class Runs(Tables):
    """The runs of a store."""

    async def create(
        self,
        wanted_id: str,
        clinic: str,
        config: dict[str, Any],
        players: dict[str, Any],
        scenarios: Iterable[Scenario],
        episodes: Sequence[tuple[str, EpisodeSpec]],
    ) -> str:
        """Create a run with all its episodes, in one transaction.

        Its id is `wanted_id`; a number is added if that id is taken.
        """
        bodies = [(scenario.id, scenario.model_dump_json()) for scenario in scenarios]
        text, cast_text = orjson.dumps(config).decode(), orjson.dumps(players).decode()

        def work(tx: Transaction) -> str:
            if tx.dialect == "postgres":
                tx.execute("SELECT pg_advisory_xact_lock(7018652)")
            taken = {row[0] for row in tx.execute("SELECT id FROM runs WHERE id LIKE ?", (wanted_id + "%",))}
            run, count = wanted_id, 1
            while run in taken:
                count += 1
                run = f"{wanted_id}-{count}"
            number = tx.execute("SELECT COALESCE(MAX(number), 0) + 1 FROM runs")[0][0]
            tx.execute(
                "INSERT INTO runs (id, clinic, config, players, created_ms, number) VALUES (?, ?, ?, ?, ?, ?)",
                (run, clinic, text, cast_text, now_ms(), number),
            )
            tx.executemany("INSERT INTO scenarios (run, id, body) VALUES (?, ?, ?)", [(run, *body) for body in bodies])
            tx.executemany(_INSERT, [_new_row(run, i, unit, spec) for i, (unit, spec) in enumerate(episodes)])
            return run

        return await self.database.write(work)

    async def append(self, run: str, scenario: Scenario, unit: str, spec: EpisodeSpec) -> None:
        """Add one scenario and its episode to a run that grows, such as the run of a service."""
        body = scenario.model_dump_json()

        def work(tx: Transaction) -> None:
            number = tx.execute("SELECT COALESCE(MAX(number), -1) + 1 FROM episodes WHERE run = ?", (run,))[0][0]
            tx.execute("INSERT INTO scenarios (run, id, body) VALUES (?, ?, ?)", (run, scenario.id, body))
            tx.execute(_INSERT, _new_row(run, number, unit, spec))

        await self.database.write(work)

    async def all(self) -> list[RunRow]:
        """Every run, newest first."""
        rows = await self.select("SELECT id, clinic, config, players, created_ms FROM runs ORDER BY number DESC")
        return [run_row(row) for row in rows]

    async def get(self, run: str) -> RunRow:
        """One run; ``last`` is the newest. The start of an id is enough if only one id begins with it."""
        try:
            return await self.row(run)
        except UnknownName:
            known = await self.all()
        if run == "last" and known:
            return known[0]
        begin = [row for row in known if row.id.startswith(run)] if run else []
        if len(begin) == 1:
            return begin[0]
        advice = "make one with: polyclinic run demo (a run is kept in the folder where it was started, or in --store)"
        raise UnknownName("run", run, (row.id for row in known), begin=advice)

    async def scenarios(self, run: str, containing: str = "") -> dict[str, str]:
        """The JSON of each scenario, by its id. With `containing`, only those whose JSON contains that text."""
        rows = await self.select(
            "SELECT id, body FROM scenarios WHERE run = ? AND (? = '' OR REPLACE(body, ?, '') <> body)",
            (run, containing, containing),
        )
        return {row[0]: row[1] for row in rows}

    async def scenario(self, run: str, id: str) -> str | None:
        """One scenario's JSON, if there is such a scenario."""
        rows = await self.select("SELECT body FROM scenarios WHERE run = ? AND id = ?", (run, id))
        return str(rows[0][0]) if rows else None

    async def episodes(self, run: str, seed: int = 0, clinic: str = "", status: str = "") -> list[StoredEpisode]:
        """The episodes of a run, in planned order. With `status`, only those in that status."""
        rows = await self.select(
            f"SELECT {EPISODE_COLUMNS} FROM episodes WHERE run = ? AND (? = '' OR status = ?) ORDER BY number",
            (run, status, status),
        )
        return [episode_row(run, seed, clinic, row) for row in rows]

    async def transcript(self, run: str, episode: str) -> Transcript:
        """One episode's transcript."""
        rows = await self.select("SELECT transcript FROM episodes WHERE run = ? AND id = ?", (run, episode))
        if not rows:
            known = await self.episodes(run)
            raise UnknownName("episode in {1}", episode, (row.spec.id for row in known), of=run)
        return Transcript.from_json(rows[0][0])

    async def transcripts(self, run: str, episodes: Sequence[str]) -> dict[str, Transcript]:
        """The transcripts of several episodes, read in one statement."""
        marks = ", ".join("?" * len(episodes))
        found = await self.select(
            f"SELECT id, transcript FROM episodes WHERE run = ? AND id IN ({marks})", (run, *episodes)
        )
        return {id: Transcript.from_json(text) for id, text in found}

    async def spent(self, run: str) -> Usage:
        """What all calls of a run have cost, also those of episodes that have not ended yet, and those that got no
        answer.
        """
        rows = await self.select("SELECT completion FROM calls WHERE run = ?", (run,))
        lost = await self.select("SELECT usage FROM lost_costs WHERE run = ?", (run,))
        answered = [Usage.read(orjson.loads(row[0])["usage"]) for row in rows]
        return total([*answered, *(Usage.read(orjson.loads(row[0])) for row in lost)])

    def lose(self, run: str, usage: Usage) -> Awaitable[None]:
        """Keep what a call has cost that got no answer."""
        return self.database.write(lambda tx: put_lost(tx, run, usage))

    async def timings(self, run: str) -> dict[str, dict[tuple[str, int], int]]:
        """How long each call of a run took: milliseconds by episode and by (key, occurrence)."""
        rows = await self.select("SELECT episode, key, occurrence, latency_ms FROM calls WHERE run = ?", (run,))
        found: dict[str, dict[tuple[str, int], int]] = {}
        for episode, key, occurrence, latency_ms in rows:
            found.setdefault(episode, {})[(key, int(occurrence))] = int(latency_ms)
        return found

    async def models_asked(self, run: str, scoring: str, role: str) -> list[str]:
        """The models that a rescoring asked in a role, by name."""
        rows = await self.select(
            "SELECT DISTINCT model FROM calls WHERE run = ? AND role = ? AND episode LIKE ? ORDER BY model",
            (run, role, f"%#{scoring}"),
        )
        return [model for (model,) in rows]

    async def answers_of(self, run: str, episode: str, role: str) -> list[tuple[list[SentMessage], Completion]]:
        """What a role was sent in one episode and what it answered, in an order that does not depend on time."""
        rows = await self.select(
            "SELECT request, completion FROM calls WHERE run = ? AND episode = ? AND role = ? ORDER BY key, occurrence",
            (run, episode, role),
        )
        return [(sent_messages(request), Completion.from_json(text)) for request, text in rows]

    async def thinking_ms(self, run: str) -> dict[str, int]:
        """How long people thought about their answers: milliseconds by episode, over all sittings."""
        rows = await self.select(
            "SELECT episode, SUM(latency_ms) FROM calls WHERE run = ? AND model = 'human' GROUP BY episode", (run,)
        )
        return {episode: int(spent) for episode, spent in rows}

    async def row(self, run: str) -> RunRow:
        """One run by its full id."""
        rows = await self.select("SELECT id, clinic, config, players, created_ms FROM runs WHERE id = ?", (run,))
        if not rows:
            raise UnknownName("run", run)
        return run_row(rows[0])

    async def all_counts(self) -> dict[str, dict[str, int]]:
        """For each run, how many of its episodes are in each state."""
        rows = await self.select("SELECT run, status, COUNT(*) FROM episodes GROUP BY run, status")
        found: dict[str, dict[str, int]] = {}
        for run, status, count in rows:
            found.setdefault(run, {})[status] = int(count)
        return found

    async def counts(self, run: str) -> dict[str, int]:
        """How many episodes of a run are in each state."""
        rows = await self.select("SELECT status, COUNT(*) FROM episodes WHERE run = ? GROUP BY status", (run,))
        return {status: int(count) for status, count in rows}

    async def effects(self, run: str, unit: str) -> list[tuple[str, StoredEffect]]:
        """(episode, effect) of a unit, in the order in which they were committed."""
        rows = await self.select(
            "SELECT episode, body FROM effects WHERE run = ? AND unit = ? ORDER BY sequence, number", (run, unit)
        )
        return [(episode, StoredEffect.from_json(body)) for episode, body in rows]

    def finish(
        self, run: str, unit: str, result: EpisodeResult, owner: str, elapsed_ms: int, chain: CommitChain | None = None
    ) -> Awaitable[None]:
        """End an episode: last answers, transcript, scores, usage, effects and commit hooks, all in one transaction.

        An episode that is a unit by itself releases its lease in the same transaction. Raises `LeaseLost` when another
        process has taken the lease meanwhile, so that no episode can end twice. Raises `ChainBroken` when the commit of
        an earlier episode that this one depends on was refused.
        """
        transcript = result.transcript.to_json().decode()
        usage = {role: {**used.__dict__, "calls": result.calls.get(role, 0)} for role, used in result.usage.items()}
        usage_text = orjson.dumps(usage, option=orjson.OPT_SORT_KEYS).decode()
        effects = [effect.stored().decode() for effect in result.effects]
        episode = result.spec.id
        keep = keep_calls(run, result.unwritten) if result.unwritten else None

        link = chain.next(run, episode) if chain is not None else None

        def work(tx: Transaction) -> None:
            with link.held(tx) if link is not None else nullcontext():
                end(tx)

        def end(tx: Transaction) -> None:
            if not (holds if result.spec.campaign else give_up)(tx, run, unit, owner):
                raise LeaseLost(f"the lease on {unit} went to another process")
            if keep is not None:
                keep(tx)
            number, attempt = tx.execute(
                "UPDATE episodes SET status = ?, attempt = attempt + 1, outcome = ?, transcript = ?, usage = ?, "
                "elapsed_ms = ? WHERE run = ? AND id = ? RETURNING number, attempt",
                (result.status, result.outcome, transcript, usage_text, elapsed_ms, run, episode),
            )[0]
            put_scores(tx, run, episode, LIVE, result.scores, first=attempt == 1)
            put_ended(tx, result, number, attempt, elapsed_ms)
            if effects:
                next_sequence = tx.execute(
                    "SELECT COALESCE(MAX(sequence), -1) + 1 FROM effects WHERE run = ? AND unit = ?", (run, unit)
                )[0][0]
                tx.executemany(
                    "INSERT INTO effects (run, unit, episode, sequence, number, body) VALUES (?, ?, ?, ?, ?, ?)",
                    [(run, unit, episode, next_sequence, i, body) for i, body in enumerate(effects)],
                )
            for hook in result.commit_hooks:
                hook(tx)

        return self.database.write(work)

    async def retry_failed(self, run: str) -> int:
        """Make failed episodes pending again, if no later episode of their campaign has ended; returns how many.

        Answers stay in the journal and are not asked for again, except replies that could not be read. Episodes that
        another process is working on right now are not touched.
        """
        return await self.database.write(lambda tx: retry_failed(tx, run))
