"""Two variants or runs side by side over HTTP."""

from __future__ import annotations

import asyncio
from dataclasses import asdict

import orjson
from fastapi import APIRouter, Request
from fastapi.responses import Response

from polyclinic.errors import UserError
from polyclinic.eval.compare import Arm, compare
from polyclinic.eval.overview import same_rules
from polyclinic.runner.results import load_results
from polyclinic.store.store import Store
from polyclinic.web.access.allowed import must
from polyclinic.web.runs.pages import Pages

router = APIRouter(prefix="/api/compare", tags=["runs"])


@router.get("", summary="Two variants or runs on the same scenarios")
async def compared(left: str, right: str, pages: Pages, request: Request) -> Response:
    for side in (left, right):
        await must(request, "run", "see", side.partition("/")[0])
    arms = [await _arm(pages.store, left), await _arm(pages.store, right)]
    if arms[0].results.clinic != arms[1].results.clinic:
        raise UserError("only runs of one clinic can be compared")
    found = await asyncio.to_thread(compare, arms[0], arms[1], None)
    body = {
        "rows": [asdict(item) for item in found],
        "tested": not all(same_rules(arm.results) for arm in arms),
        "about": {m.name: {"about": m.about, "up": m.higher_is_better} for m in arms[0].results.metrics},
    }
    return Response(orjson.dumps(body, option=orjson.OPT_SERIALIZE_NUMPY), media_type="application/json")


async def _arm(store: Store, text: str) -> Arm:
    run, _, variant = text.partition("/")
    results = await load_results(store, run)
    names = results.variant_names()
    if not names:
        raise UserError(f"{run} has no finished episode")
    return Arm(results, variant or names[0])
