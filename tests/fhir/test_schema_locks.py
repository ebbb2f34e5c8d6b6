"""A worker that starts on PostgreSQL while others write does not wait for their tables."""

from __future__ import annotations

import asyncio

import psycopg

from polyclinic.fhir.schema import create_tables
from polyclinic.store.store import open_store


async def test_a_worker_that_starts_does_not_wait_for_writers(postgres_url: str) -> None:
    async with open_store(postgres_url) as store:
        await store.database.write(create_tables)
        with psycopg.connect(postgres_url) as writer:
            writer.execute("LOCK TABLE fhir_resource, fhir_index IN ROW EXCLUSIVE MODE")
            await asyncio.wait_for(asyncio.shield(asyncio.ensure_future(store.database.write(create_tables))), 20)
        await store.database.write(lambda tx: tx.execute("DROP INDEX fhir_unindexed"))
        await store.database.write(create_tables)
        found = await store.database.read(
            lambda tx: tx.execute("SELECT COUNT(*) FROM pg_class WHERE relname = 'fhir_unindexed'")
        )
        assert found == [(1,)], "a missing table is still created"
