"""A visitor whose request is refused hears whom to call, and words of danger in it reach people."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any
from unittest.mock import patch
from urllib.parse import urlencode

import httpx
import pytest

from polyclinic.clinics.counsel.rules.messages import contacts, escalation_message, refused_message
from polyclinic.clinics.counsel.scenario import Lang
from polyclinic.clinics.counsel.service import CounselService
from polyclinic.core.live import REFUSED_WORDS
from polyclinic.web.sessions import refusals
from polyclinic.web.sessions.limits import ServiceLimits
from polyclinic.web.sessions.refusals import MOST_READ
from tests.web.conftest import DANGER, SERVICE, Serve, staff_login, started

GARDEN = "We talked about the garden. "
MARKET = "오늘은 날씨가 맑아요. 딸이 전화를 했어요. 점심에는 국수를 먹었어요. 마당에 꽃이 피었어요. "
DANGER_KO = "오늘 밤에 약을 다 먹고 죽을 거예요. "
LONG = {"en": GARDEN * 170 + DANGER + " " + GARDEN * 100, "ko": MARKET * 80 + DANGER_KO + MARKET * 60}
NIGHT = ServiceLimits(messages_per_minute=6, requests_per_minute=1e6, starts_per_minute=1e6)


async def refused(
    client: httpx.AsyncClient, url: str, mine: dict[str, str], status: int, **sent: Any
) -> tuple[list[str], dict[str, Any]]:
    """What is said with a refusal of a message, and the whole answer."""
    headers = {"Content-Type": "application/json", **sent.pop("headers", {}), **mine}
    answer = await client.post(url if "/" in url[13:] else f"{url}/say", headers=headers, **sent)
    assert answer.status_code == status, answer.text
    found: dict[str, Any] = answer.json()
    return [heard["text"] for heard in found["said"]], found


async def cases(client: httpx.AsyncClient, staff: dict[str, str]) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = (await client.get("/v1/queue", params={"status": "open"}, headers=staff)).json()
    return found


@pytest.mark.parametrize("lang", ["en", "ko"])
async def test_danger_in_the_middle_of_a_message_that_is_too_long_calls_people(serve: Serve, lang: Lang) -> None:
    async with serve(country="GB") as served:
        url, mine = await started(served.client, lang)
        said, whole = await refused(served.client, url, mine, 422, json={"text": LONG[lang]})
        assert said[-2:] == [escalation_message(lang, "GB"), refused_message(lang, "GB", "too long")]
        assert whole["detail"] == "text: please write at most 4000 characters"
        state = (await served.client.get(url, headers=mine)).json()
        assert state["control"] == "escalated"
        (case,) = await cases(served.client, await staff_login(served.app))
        assert case["rings"] and (DANGER if lang == "en" else DANGER_KO.strip()) in case["utterance"]
        assert (await served.client.get("/health")).status_code == 200


async def test_a_long_message_without_danger_is_asked_for_in_shorter_parts_and_calls_nobody(serve: Serve) -> None:
    async with serve(country="GB") as served:
        url, mine = await started(served.client)
        said, _ = await refused(served.client, url, mine, 422, json={"text": GARDEN * 200})
        assert said == [refused_message("en", "GB", "too long")]
        assert "shorter parts" in said[0] and "999" in said[0] and contacts("GB").crisis in said[0]
        assert await cases(served.client, await staff_login(served.app)) == []
        answer = await served.client.post(f"{url}/say", json={"text": "Hello."}, headers=mine)
        assert answer.json()["said"][-1]["speaker"] == "counsellor"


async def test_a_message_that_is_too_long_to_be_read_at_all_goes_to_people_unread(serve: Serve) -> None:
    async with serve(country="GB") as served:
        url, mine = await started(served.client)
        said, _ = await refused(served.client, url, mine, 422, json={"text": GARDEN * (MOST_READ // len(GARDEN) + 9)})
        assert said == [escalation_message("en", "GB"), refused_message("en", "GB", "too long")]
        (case,) = await cases(served.client, await staff_login(served.app))
        assert case["rings"] and case["utterance"].startswith(GARDEN) and "was not read" in case["why"]


@pytest.mark.parametrize(
    "sent",
    [
        {"json": {"message": DANGER}},
        {"json": [DANGER]},
        {"json": {"text": {"words": [DANGER]}}},
        {"json": {"text": DANGER, "mood": 3}},
        {"content": DANGER},
        {"content": b'{"text": "' + DANGER.encode() + b' \\ud83d"}'},
        {"content": b'{"text": "hello", "text": "' + DANGER.encode() + b'"}'},
        {"content": b"text=" + DANGER.encode(), "headers": {"Content-Type": "text/plain"}},
        {"content": json.dumps({"text": DANGER}).encode()[:-1]},
    ],
)
async def test_danger_in_a_body_that_does_not_fit_calls_people(serve: Serve, sent: dict[str, Any]) -> None:
    async with serve(country="GB") as served:
        url, mine = await started(served.client)
        said, _ = await refused(served.client, url, mine, 422, **sent)
        assert said[-2:] == [escalation_message("en", "GB"), refused_message("en", "GB", "unreadable")]
        (case,) = await cases(served.client, await staff_login(served.app))
        assert DANGER in case["utterance"]


@pytest.mark.parametrize(
    "body",
    [
        json.dumps({"text": DANGER_KO})[:-1],
        json.dumps({"text": DANGER_KO})[:-1] + ",}",
        json.dumps(json.dumps({"text": DANGER_KO})),
        urlencode({"text": DANGER_KO}),
    ],
)
async def test_people_can_read_korean_that_a_wrong_body_wrote_in_numbers(serve: Serve, body: str) -> None:
    async with serve(country="KR") as served:
        url, mine = await started(served.client, "ko")
        said, _ = await refused(served.client, url, mine, 422, content=body.encode())
        assert said[-2:] == [escalation_message("ko", "KR"), refused_message("ko", "KR", "unreadable")]
        (case,) = await cases(served.client, await staff_login(served.app))
        assert DANGER_KO.strip() in case["utterance"]


@pytest.mark.parametrize("scheme", ["bearer ", "BEARER ", "Bearer  "])
async def test_the_words_of_a_refused_body_count_however_the_token_is_written(serve: Serve, scheme: str) -> None:
    async with serve(country="GB") as served:
        url, mine = await started(served.client)
        token = {"Authorization": scheme + mine["Authorization"].split()[1]}
        assert (await served.client.get(url, headers=token)).status_code == 200
        body = b'{"text": "hello", "text": "' + DANGER.encode() + b'"}'
        said, _ = await refused(served.client, url, token, 422, content=body)
        assert said[-2] == escalation_message("en", "GB")
        assert len(await cases(served.client, await staff_login(served.app))) == 1


async def test_a_body_over_the_size_limit_goes_to_people_unread(serve: Serve) -> None:
    async with serve(country="AU") as served:
        url, mine = await started(served.client, "ko")
        body = json.dumps({"text": DANGER_KO * 9_000}).encode()

        async def pieces() -> AsyncIterator[bytes]:
            for at in range(0, len(body), 9_000):
                yield body[at : at + 9_000]

        for content in (body, pieces()):
            said, _ = await refused(served.client, url, mine, 413, content=content)
            assert said == [escalation_message("ko", "AU"), refused_message("ko", "AU", "too long")]
        found = await cases(served.client, await staff_login(served.app))
        assert len(found) == 2 and all(DANGER_KO in case["utterance"] and case["rings"] for case in found)


@pytest.mark.usefixtures("stopped_clock")
async def test_danger_that_comes_too_fast_is_heard_and_such_messages_are_limited_too(serve: Serve) -> None:
    async with serve(replace(NIGHT, refused_read_per_minute=12), country="AU") as served:
        url, mine = await started(served.client, "ko")
        await served.client.post(f"{url}/say", json={"text": "안녕하세요."}, headers=mine)
        fast, _ = await refused(served.client, url, mine, 429, json={"text": "딸이 전화를 했어요."})
        assert fast == [refused_message("ko", "AU", "too fast")]
        twice = b'{"text": "a", "text": "' + DANGER_KO.encode() + b'"}'
        fast, _ = await refused(served.client, url, mine, 429, content=twice)
        assert fast[-2:] == [escalation_message("ko", "AU"), refused_message("ko", "AU", "too fast")]
        (case,) = await cases(served.client, await staff_login(served.app))
        assert DANGER_KO.strip() in case["utterance"]
        for sent in ({"json": {"text": DANGER_KO}}, {"content": twice}, {"json": {"txt": DANGER_KO}}):
            fast, _ = await refused(served.client, url, mine, 429, **sent)
            assert fast == [refused_message("ko", "AU", "too fast")], "two were read already"


async def test_bytes_that_are_no_text_go_to_people(serve: Serve) -> None:
    async with serve(country="KR") as served:
        url, mine = await started(served.client, "ko")
        body = json.dumps({"text": DANGER_KO}, ensure_ascii=False).encode("cp949")
        said, _ = await refused(served.client, url, mine, 400, content=body)
        assert said == [escalation_message("ko", "KR"), refused_message("ko", "KR", "unreadable")]
        assert len(await cases(served.client, await staff_login(served.app))) == 1


async def test_danger_after_the_session_was_closed_calls_people_and_thanks_do_not(serve: Serve) -> None:
    async with serve(country="US") as served:
        url, mine = await started(served.client)
        staff = await staff_login(served.app)
        await served.client.post(f"{url}/close", headers=mine)
        said, _ = await refused(served.client, url, mine, 409, json={"text": "Thank you, goodbye."})
        assert said == [refused_message("en", "US", "closed")] and await cases(served.client, staff) == []
        said, _ = await refused(served.client, url, mine, 409, json={"text": DANGER})
        assert said == [escalation_message("en", "US"), refused_message("en", "US", "closed")]
        assert [case["utterance"] for case in await cases(served.client, staff)] == [DANGER]


@pytest.mark.usefixtures("stopped_clock")
async def test_every_other_refusal_of_a_visitor_says_whom_to_call(serve: Serve) -> None:
    async with serve(NIGHT, country="AU") as served:
        url, mine = await started(served.client, "ko")
        unknown, _ = await refused(served.client, "/v1/sessions/0123456789abcdef", mine, 404, json={"text": DANGER})
        assert unknown == [refused_message("en", "AU", "no session")]
        stranger, _ = await refused(served.client, url, {"Authorization": "Bearer x"}, 404, json={"text": DANGER})
        assert stranger == unknown
        for headers, body, status in (({}, {}, 401), (SERVICE, {"lang": "xx"}, 422)):
            answer = await served.client.post("/v1/sessions", json=body, headers=headers)
            assert answer.status_code == status and "000" in answer.json()["said"][0]["text"]
        state = (await served.client.get(url, headers=mine)).json()
        assert state["control"] == "automatic" and await cases(served.client, await staff_login(served.app)) == []


async def test_four_thousand_characters_are_accepted_however_they_are_written(serve: Serve) -> None:
    async with serve() as served:
        url, mine = await started(served.client, "ko")
        body = json.dumps({"text": (MARKET * 100)[:3_999] + "."})
        assert len(body) > 16_384
        headers = {**mine, "Content-Type": "application/json"}
        assert (await served.client.post(f"{url}/say", content=body, headers=headers)).status_code == 200


async def test_who_asks_for_a_person_gets_one_whatever_the_length_of_the_reason(serve: Serve) -> None:
    async with serve() as served:
        url, mine = await started(served.client)
        answer = await served.client.post(f"{url}/hand-over", json={"reason": GARDEN * 200}, headers=mine)
        assert answer.status_code == 200 and answer.json()["state"]["control"] == "escalated"
        said, _ = await refused(served.client, f"{url}/hand-over", mine, 409, json={"reason": DANGER})
        assert said[-1] == refused_message("en", "", "not now")
        words = {case["utterance"] for case in await cases(served.client, await staff_login(served.app))}
        assert DANGER in words


async def test_staff_get_no_words_for_visitors(serve: Serve) -> None:
    async with serve() as served:
        url, _ = await started(served.client)
        staff = await staff_login(served.app)
        answer = await served.client.post(f"{url}/speak", json={"text": "I am here."}, headers=staff)
        assert answer.status_code == 409 and "said" not in answer.json()


async def test_reading_that_takes_too_long_is_given_up_and_people_get_the_text(
    serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def never(*_: object) -> str:
        await asyncio.Event().wait()
        return ""

    monkeypatch.setattr(refusals, "READ_S", 0.01)
    async with serve(country="GB") as served:
        url, mine = await started(served.client)
        with patch.object(CounselService, "must_be_heard", never):
            said, _ = await refused(served.client, url, mine, 422, json={"text": LONG["en"]})
        assert said == [escalation_message("en", "GB"), refused_message("en", "GB", "too long")]
        assert len(await cases(served.client, await staff_login(served.app))) == 1


async def test_a_reader_that_fails_and_words_that_fail_leave_nobody_alone(serve: Serve) -> None:
    async with serve(country="GB") as served:
        url, mine = await started(served.client)
        with (
            patch.object(CounselService, "must_be_heard", side_effect=RuntimeError("broken")),
            patch.object(CounselService, "refused_words", side_effect=RuntimeError("broken")),
        ):
            said, _ = await refused(served.client, url, mine, 422, json={"text": LONG["en"]})
        assert said[-1] == REFUSED_WORDS
        (case,) = await cases(served.client, await staff_login(served.app))
        assert case["utterance"].startswith(GARDEN)
