from __future__ import annotations

import os
import uuid
from collections.abc import Iterator

import pytest

POSTGRES = os.environ.get("POLYCLINIC_TEST_POSTGRES", "")


@pytest.fixture(params=["sqlite", "postgres"])
def store_url(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A fresh store of each kind; PostgreSQL only where POLYCLINIC_TEST_POSTGRES names a server."""
    if request.param == "sqlite":
        yield str(tmp_path_factory.mktemp("store") / "store.db")
        return
    if not POSTGRES:
        pytest.skip("set POLYCLINIC_TEST_POSTGRES to a server's URL to test on PostgreSQL")
    import psycopg

    name = f"polyclinic_{uuid.uuid4().hex[:12]}"
    with psycopg.connect(POSTGRES, autocommit=True) as server:
        server.execute(f"CREATE DATABASE {name}")
    base, _, _ = POSTGRES.rpartition("/")
    yield f"{base}/{name}"
    with psycopg.connect(POSTGRES, autocommit=True) as server:
        server.execute(f"DROP DATABASE {name} WITH (FORCE)")
