"""The browser's API in this process: who may log in, sessions that continue, and every part of every clinic."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from polyclinic.clinics.patient.scenario import scenarios
from polyclinic.runner.registry import load_clinic
from polyclinic.testing.forms import fill_form
from polyclinic.web.app import create_web
from polyclinic.web.catalogue import all_clinics
from polyclinic.web.entry import POLICY
from polyclinic.web.fixed_words import Korean, korean_words

Open = Callable[[], AbstractAsyncContextManager[httpx.AsyncClient]]
HOST = "http://127.0.0.1:8040"
ANSWER = "When did it begin, and how is it now?"


@pytest.fixture
def opened(tmp_path: Path) -> Open:
    """Open the application on one store; opening it again is a restart."""

    @asynccontextmanager
    async def open_it() -> AsyncIterator[httpx.AsyncClient]:
        app = create_web(str(tmp_path / "s.db"), "start-up")
        async with (
            app.router.lifespan_context(app),
            httpx.AsyncClient(
                transport=httpx.ASGITransport(app), base_url=HOST, headers={"Authorization": "Bearer start-up"}
            ) as client,
        ):
            yield client

    return open_it


async def begin(client: httpx.AsyncClient, clinic: str, part: str, **more: Any) -> str:
    answer = await client.post("/api/practise", json={"clinic": clinic, "part": part, **more})
    assert answer.status_code == 201, answer.text
    return str(answer.json()["id"])


async def room(client: httpx.AsyncClient, run: str) -> dict[str, Any]:
    answer = await client.get(f"/api/practise/{run}")
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


async def give(client: httpx.AsyncClient, run: str, asked: dict[str, Any], **body: Any) -> str:
    if not body:
        values = fill_form(asked["rows"])
        body = {"values": values} if values else {"text": ANSWER}
    answer = await client.post(f"/api/practise/{run}/answer", json={"question": asked["key"], **body})
    assert answer.status_code == 200, answer.text
    return str(answer.json()["wrong"])


async def to_the_end(client: httpx.AsyncClient, run: str, most: int = 12) -> dict[str, Any]:
    """Answer every question until the session is over."""
    for _ in range(most):
        found = await room(client, run)
        if found["standing"]["state"] == "ended":
            return found
        assert await give(client, run, found["standing"]["asked"]) == ""
    raise AssertionError("it does not end")


async def test_only_people_with_the_token_get_in_and_the_page_loads_nothing_from_elsewhere(opened: Open) -> None:
    async with opened() as client:
        for headers in ({"Authorization": ""}, {"Authorization": "Bearer other"}):
            assert (await client.get("/api/clinics", headers=headers)).status_code == 401
            assert (await client.get("/", headers=headers)).status_code == 401
        assert (await client.get("/?token=other", headers={"Authorization": ""})).status_code == 401
        welcome = await client.get("/practise?token=start-up&clinic=demo", headers={"Authorization": ""})
        assert welcome.status_code == 303 and welcome.headers["location"] == "/practise?clinic=demo"
        cookie = welcome.headers["set-cookie"].lower()
        assert "httponly" in cookie and "samesite=strict" in cookie and cookie.startswith("polyclinic-8040=")
        page = await client.get("/practise/anything")
        assert page.headers["content-security-policy"] == POLICY and "'unsafe" not in POLICY and "http" not in POLICY
        assert "<script>" not in page.text and page.headers["cache-control"] == "no-store"


@pytest.mark.usefixtures("stopped_clock")
async def test_people_who_guess_tokens_have_to_wait_and_people_with_a_token_do_not(opened: Open) -> None:
    async with opened() as client:
        wrong = [{"Authorization": f"Bearer {number}"} for number in range(40)]
        tried = [(await client.get("/api/clinics", headers=headers)).status_code for headers in wrong]
        assert tried[0] == 401 and tried[-1] == 429
        assert (await client.get("/?token=other", headers={"Authorization": ""})).status_code == 429
        assert (await client.get("/api/practise")).status_code == 200


async def test_another_host_name_and_another_site_are_refused(opened: Open) -> None:
    async with opened() as client:
        assert (await client.get("/api/clinics", headers={"Host": "evil.example"})).status_code == 421
        body = {"clinic": "demo", "part": "nurse"}
        for headers in ({"Origin": "http://evil.example"}, {"Sec-Fetch-Site": "cross-site"}):
            assert (await client.post("/api/practise", json=body, headers=headers)).status_code == 403
        assert (await client.get("/api/practise")).json() == []


async def test_a_path_cannot_leave_the_folder_of_built_files(opened: Open) -> None:
    async with opened() as client:
        for path in ("/..%2fapp.py", "/assets/..%2f..%2fapp.py", "/%2e%2e/app.py", "/static/../app.py"):
            assert "create_web" not in (await client.get(path)).text


async def test_the_same_key_starts_one_session_also_after_a_restart(opened: Open) -> None:
    body, headers = {"clinic": "demo", "part": "nurse"}, {"Idempotency-Key": "a-key"}
    async with opened() as client:
        first = (await client.post("/api/practise", json=body, headers=headers)).json()
        assert (await client.post("/api/practise", json=body, headers=headers)).json() == first
    async with opened() as client:
        assert (await client.post("/api/practise", json=body, headers=headers)).json() == first
        assert (await client.post("/api/practise", json=body)).json() != first
        assert len((await client.get("/api/practise")).json()) == 2


async def test_a_session_continues_after_a_restart_with_the_same_lines_and_no_answer_counts_twice(opened: Open) -> None:
    async with opened() as client:
        run = await begin(client, "patient", "doctor")
        asked = (await room(client, run))["standing"]["asked"]
        assert await give(client, run, asked, text="Where does it hurt?") == ""
        before = await room(client, run)
    async with opened() as client:
        after = await room(client, run)
        assert after["lines"] == before["lines"] and after["standing"]["asked"] == before["standing"]["asked"]
        assert await give(client, run, asked, text="Where does it hurt?") == "", "the same answer, sent again"
        assert (await room(client, run))["lines"] == before["lines"]
        assert await give(client, run, after["standing"]["asked"], text="Since when?") == ""
        lines = (await room(client, run))["lines"]
        assert [line["number"] for line in lines] == list(range(1, len(lines) + 1))
        assert [line["text"] for line in lines if line["mine"]] == ["Where does it hurt?", "Since when?"]


async def test_the_stream_continues_after_the_last_line_that_was_seen(opened: Open) -> None:
    async with opened() as client:
        run = await begin(client, "demo", "nurse")
        asked = (await room(client, run))["standing"]["asked"]
        assert await give(client, run, asked, tool="leaflet", values={"medicine": "Amberol"}) == ""
        lines = (await to_the_end(client, run))["lines"]
        answer = await client.get(f"/api/practise/{run}/events", headers={"Last-Event-ID": "1"})
        told = [json.loads(row.removeprefix("data: ")) for row in answer.text.splitlines() if row.startswith("data: ")]
        assert told[:-1] == lines[1:] and told[-1]["state"] == "ended"
        assert [row for row in answer.text.splitlines() if row.startswith("id: ")] == [
            f"id: {line['number']}" for line in lines[1:]
        ]


async def test_a_form_that_does_not_fit_is_refused_with_the_reason_and_the_question_stays_open(opened: Open) -> None:
    async with opened() as client:
        run = await begin(client, "demo", "nurse")
        asked = (await room(client, run))["standing"]["asked"]
        assert "Tablets" in await give(client, run, asked, values={"text": "Take some."})
        assert "no tool" in await give(client, run, asked, tool="other", values={})
        assert (await room(client, run))["standing"]["asked"]["key"] == asked["key"]
        assert await give(client, run, asked, values={"text": "Two, thrice.", "tablets": 2, "times_a_day": 3}) == ""


async def test_feedback_links_to_the_lines_it_quotes_and_the_person_can_try_again(opened: Open) -> None:
    async with opened() as client:
        run = await begin(client, "demo", "nurse", who="Kim", minutes=8)
        found = await to_the_end(client, run)
        assert found["about"]["language"] == "en" and found["about"]["who"] == "Kim" and found["about"]["minutes"] == 8
        feedback = (await client.get(f"/api/practise/{run}/feedback")).json()
        assert feedback["sections"] and feedback["figures"] and feedback["lines"] == found["lines"]
        assert feedback["measured"]
        again = (await client.post(f"/api/practise/{run}/again")).json()["id"]
        assert again != run and (await room(client, again))["about"]["case"] == found["about"]["case"]


async def test_feedback_says_whether_it_is_about_the_part_that_the_person_played(opened: Open) -> None:
    async with opened() as client:
        run = await begin(client, "demo", "caller")
        await to_the_end(client, run)
        feedback = (await client.get(f"/api/practise/{run}/feedback")).json()
        assert feedback["sections"] and not feedback["figures"]
        assert not feedback["measured"] and "“caller” is played is not measured" in str(feedback["sections"][0])
        assert feedback["lines"][0]["text"] in str(feedback["sections"][1]), "the caller's own words"


PARTS = [(clinic.name, part.name) for clinic in all_clinics() for part in clinic.parts]


async def test_pages_get_korean_for_fixed_texts(opened: Open) -> None:
    async with opened() as client:
        assert (await client.get("/api/words/ko")).json()["doctor"] == "의사"


@pytest.mark.parametrize(("clinic", "part"), PARTS)
async def test_every_part_can_be_played_with_its_form_on_a_korean_page(opened: Open, clinic: str, part: str) -> None:
    async with opened() as client:
        run = await begin(client, clinic, part, language="ko")
        answered = 0
        for _ in range(4):
            found = await room(client, run)
            asked = found["standing"]["asked"]
            if found["standing"]["state"] == "ended":
                break
            assert asked is not None, found["standing"]
            told = " ".join([*asked["known"], asked["ask"]])
            assert "/use" not in told and "JSON" not in told and " | " not in told and "Type " not in told[:5]
            assert _english(found) == []
            assert await give(client, run, asked) == ""
            answered += 1
        assert answered


def _english(found: dict[str, Any]) -> list[str]:
    """What a Korean page would show in English, except for the case itself and for words that somebody said."""
    asked, about, korean = found["standing"]["asked"], found["about"], Korean(korean_words())
    heads = [text.partition("\n")[0] for text in (*asked["known"], asked["ask"])]
    forms = [text for row in asked["rows"] for text in (row["label"], row["about"])]
    moves = [text for move in asked["moves"] for text in (move["label"], move["asks"])]
    tools = [text for tool in asked["tools"] for text in (tool["label"], tool["about"])]
    written = re.compile("(- |“).+|[^a-zA-Z]*")
    left = [
        text
        for text in (*heads, *forms, *moves, *tools)
        if not written.fullmatch(text) and not re.search("[가-힣]", korean.told(text))
    ]
    if not left:
        return []
    said = " ".join([ANSWER, *(line["text"] for line in found["lines"])])
    case = next(one for one in load_clinic(about["clinic"]).scenarios("", 0) if one.id == about["case"])
    return [text for text in left if text not in said and text not in case.model_dump_json()]


@pytest.mark.slow
@pytest.mark.parametrize(("clinic", "part"), PARTS)
async def test_every_part_is_played_to_its_end_and_gets_feedback_in_words(opened: Open, clinic: str, part: str) -> None:
    async with opened() as client:
        run = await begin(client, clinic, part)
        await to_the_end(client, run, most=60)
        for language, title, step in (("en", "In short", "Next step: "), ("ko", "요약", "다음 단계: ")):
            told = (await client.get(f"/api/practise/{run}/feedback", params={"language": language})).json()
            short = [block["text"] for block in told["sections"][0]["body"]]
            assert told["sections"][0]["title"] == title and len(short) > 1, short
            assert [text for text in short if text.startswith(step)], short


async def test_a_case_is_introduced_without_its_diagnosis(opened: Open) -> None:
    async with opened() as client:
        cases = (await client.get("/api/clinics/patient/cases?part=doctor")).json()
        assert len(cases) > 20
        known = {scenario.id: scenario for scenario in scenarios("", 0)}
        for case in cases:
            disease = known[case["id"]].record.disease
            names = (disease.name, *disease.synonyms)
            assert not any(name.casefold() in case["introduction"].casefold() for name in names), case


async def test_the_description_of_the_api_names_every_route(opened: Open) -> None:
    async with opened() as client:
        paths = (await client.get("/api/openapi.json")).json()["paths"]
        assert {"/api/practise", "/api/practise/{run}/answer", "/api/clinics"} <= set(paths)
