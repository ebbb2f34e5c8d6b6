from __future__ import annotations

import gc
import os
import uuid
from collections.abc import Generator, Iterator
from contextlib import contextmanager

import httpx
import pytest
from hypothesis import HealthCheck, settings

import polyclinic  # noqa: F401  # before any test imports NumPy: it sets how many threads NumPy may use

settings.register_profile("busy", suppress_health_check=[HealthCheck.too_slow], deadline=None)
settings.load_profile("busy")
"""The time to draw an example depends on how busy the machine is, not on our code."""

LONG_FILES = (
    "tests/contract/",
    "tests/web/browser/",
    "tests/training/",
    "tests/clinics/rounds/",
    "tests/web/",
    "tests/runner/",
    "tests/test_docs.py",
)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Run long files first, so that two processes that take one file after the other end at about the same time."""

    def rank(item: pytest.Item) -> int:
        starts = (place for place, start in enumerate(LONG_FILES) if item.nodeid.startswith(start))
        return next(starts, len(LONG_FILES))

    items.sort(key=rank)


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Modules and tests stay until the end, so the garbage collector need not look at them."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


@pytest.fixture(scope="session", autouse=True)
def certificates_are_loaded_once() -> Iterator[None]:
    """Load the CA certificates once, because every new httpx client would read them (60 ms), even for plain HTTP."""
    make = httpx.create_ssl_context
    kept = make()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            "httpx._transports.default.create_ssl_context",
            lambda verify=True, cert=None, trust_env=True: (
                kept if verify is True and cert is None else make(verify, cert, trust_env)
            ),
        )
        yield


POSTGRES = os.environ.get("POLYCLINIC_TEST_POSTGRES", "")


@contextmanager
def postgres_database() -> Iterator[str]:
    """Create a separate database on the server that POLYCLINIC_TEST_POSTGRES names, because tests run in parallel."""
    import psycopg

    name = f"polyclinic_{uuid.uuid4().hex[:12]}"
    with psycopg.connect(POSTGRES, autocommit=True) as server:
        server.execute(f"CREATE DATABASE {name}")
    base, _, _ = POSTGRES.rpartition("/")
    yield f"{base}/{name}"
    with psycopg.connect(POSTGRES, autocommit=True) as server:
        server.execute(f"DROP DATABASE {name} WITH (FORCE)")


@pytest.fixture(scope="session")
def postgres_url() -> Iterator[str]:
    """One PostgreSQL database for this process's tests; a test that uses it clears its own tables."""
    if not POSTGRES:
        pytest.skip("set POLYCLINIC_TEST_POSTGRES to a server's URL to test on PostgreSQL")
    with postgres_database() as url:
        yield url


@pytest.fixture(params=["sqlite", "postgres"])
def store_url(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A fresh store of each kind; PostgreSQL only where POLYCLINIC_TEST_POSTGRES names a server."""
    if request.param == "sqlite":
        yield str(tmp_path_factory.mktemp("store") / "store.db")
        return
    if not POSTGRES:
        pytest.skip("set POLYCLINIC_TEST_POSTGRES to a server's URL to test on PostgreSQL")
    with postgres_database() as url:
        yield url
