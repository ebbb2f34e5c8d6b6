from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from polyclinic.store.store import Store, open_store


@pytest.fixture
async def store(store_url: str) -> AsyncIterator[Store]:
    async with open_store(store_url) as opened:
        yield opened
