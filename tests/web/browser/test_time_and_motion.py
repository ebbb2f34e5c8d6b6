"""The station's clock counts on the page, and nothing moves for people who asked for less motion."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.web.browser.conftest import PATIENCE_MS, Server

MOVES = """() => [...document.querySelectorAll('*')].flatMap((one) => ['', '::before', '::after'].map((part) => {
  const style = getComputedStyle(one, part || null);
  const turns = style.transitionDuration.split(',').some((time) => parseFloat(time) > 0);
  return turns || style.animationName !== 'none' ? one.tagName + part : '';
})).filter(Boolean)"""
"""Everything on a page that would move: each element and its pseudo-elements before and after."""


def open_room(page: Page, server: Server, minutes: int) -> str:
    asked = {"clinic": "demo", "part": "nurse", "minutes": minutes}
    answer = page.request.post(f"{server.url}/api/practise", data=asked, headers={"Origin": server.url})
    assert answer.status == 201, answer.text()
    return f"{server.url}/practise/{answer.json()['id']}"


def seconds(shown: str) -> int:
    found = re.search(r"(\d+):(\d\d)", shown)
    assert found is not None, shown
    return 60 * int(found[1]) + int(found[2])


def test_a_station_shows_the_time_left_counts_it_down_and_says_when_it_is_up(page: Page, server: Server) -> None:
    page.clock.install()
    page.goto(open_room(page, server, 8))
    clock = page.get_by_role("timer")
    expect(clock).to_be_visible()
    first = seconds(clock.inner_text())
    assert 7 * 60 < first <= 8 * 60
    page.clock.fast_forward("02:00")
    expect(clock).to_have_text(re.compile("^[56]:"))
    assert first - 180 <= seconds(clock.inner_text()) <= first - 119
    page.clock.fast_forward("05:30")
    expect(clock).to_have_class(re.compile("warn"))
    page.clock.fast_forward("01:00")
    expect(clock).to_have_text(re.compile("^Time is up"))
    expect(clock).to_have_class(re.compile("bad"))


def test_a_session_without_a_station_has_no_clock(page: Page, server: Server) -> None:
    page.goto(open_room(page, server, 0))
    expect(page.locator(".composer")).to_contain_text(re.compile("."))
    expect(page.get_by_role("timer")).to_have_count(0)


@pytest.mark.parametrize("wish", ["reduce", "no-preference"])
def test_nothing_moves_for_people_who_asked_for_less_motion_but_it_does_for_others(
    browser: Browser, server: Server, wish: str
) -> None:
    context = browser.new_context(reduced_motion="reduce" if wish == "reduce" else "no-preference")
    context.set_default_timeout(PATIENCE_MS)
    try:
        page = context.new_page()
        page.goto(server.entry)
        expect(page.get_by_role("heading", name="Where do you want to practise?")).to_be_visible()
        moving = page.evaluate(MOVES)
        page.goto(open_room(page, server, 8))
        expect(page.locator(".composer")).to_contain_text(re.compile("."))
        moving += page.evaluate(MOVES)
        running = page.evaluate("() => document.getAnimations().filter((one) => one.playState === 'running').length")
        assert bool(moving) == (wish == "no-preference"), moving
        assert wish == "no-preference" or running == 0
    finally:
        context.close()
