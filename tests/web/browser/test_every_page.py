"""Every page, with the data of a clinic that `polyclinic new` made: axe, zoom, telephone, keyboard, hostile text."""

from __future__ import annotations

import json
import signal
from collections.abc import Iterator
from itertools import cycle
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Page, Route, expect

from polyclinic.cli.new import copy_demo
from tests.web.browser.conftest import CHROMIUM, Server, fits, settled, violations
from tests.web.browser.everything import CLINIC, pages_with_something
from tests.web.payloads import PAYLOADS

TEXT = ("title", "about", "text", "introduction", "author", "speaker", "reason", "words", "comment", "label", "why")
LOGIC = ("kind", "id", "key", "path", "digest", "begun_ms", "pattern")
READY = """() => document.querySelector('main h1, main h2') && !document.querySelector('main [role=status].soft')"""
MARKUP = "[onerror], [onload], [ontoggle], [onfocus], [onmouseover], [onclick], [onstart], [onbegin], [onpointerenter]"
TABS = 30


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    if CHROMIUM is None:
        pytest.skip("there is no chromium here")
    folder = tmp_path_factory.mktemp("everything")
    copy_demo(CLINIC, folder / "clinics")
    found = Server(folder, {"POLYCLINIC_PATH": str(folder / "clinics")})
    yield found
    found.kill(signal.SIGTERM)


@pytest.fixture(scope="module")
def addresses() -> list[str]:
    """Filled by the first test that asks: making them takes a browser's cookies."""
    return []


def every_page(page: Page, server: Server, addresses: list[str]) -> Iterator[str]:
    """Go to every page, one after the other."""
    if not addresses:
        addresses += pages_with_something(page, server)
    for address in addresses:
        page.goto(server.url + address)
        page.wait_for_function(READY)
        yield address


def by_keyboard(page: Page) -> None:
    """Tab goes on from one thing to the next, never stays, and always shows where it is."""
    page.evaluate("() => { document.activeElement?.blur(); scrollTo(0, 0); }")
    seen: list[Any] = []
    for _ in range(TABS):
        page.keyboard.press("Tab")
        now = page.evaluate(
            """() => {
              const here = document.activeElement;
              if (!here || here === document.body) return null;
              const look = getComputedStyle(here);
              window.places = window.places || [];
              if (!window.places.includes(here)) window.places.push(here);
              const marked = look.outlineStyle !== 'none' || look.boxShadow !== 'none';
              return [window.places.indexOf(here), marked, here.outerHTML.slice(0, 90)];
            }"""
        )
        if now is None or (seen and now[0] == seen[0][0]):
            break  # once around
        assert not seen or now[0] != seen[-1][0], f"{page.url}: Tab stays at {now[2]}"
        assert now[1], f"{page.url}: nobody sees where the keyboard is: {now[2]}"
        seen.append(now)
    assert len(seen) > 5, page.url


@pytest.mark.parametrize("language", ["en", "ko"])
def test_every_page_is_accessible_in_both_themes_zoomed_small_and_by_keyboard(
    page: Page, server: Server, addresses: list[str], language: str
) -> None:
    if language == "ko":
        page.get_by_role("button", name="한국어").click()
        expect(page.locator("html")).to_have_attribute("lang", "ko")
    seen = 0
    for _ in every_page(page, server, addresses):
        for theme in ("light", "dark"):
            settled(page, theme)
            assert violations(page) == [], f"{page.url} in the {theme} theme, {language}"
        fits(page)
        if language == "en":
            by_keyboard(page)
        seen += 1
    assert seen > 20


def spoiled(body: Any, payloads: Iterator[str], name: str = "") -> Any:
    """The same answer with hostile text after every text that people read."""
    if isinstance(body, dict):
        return {key: spoiled(value, payloads, key) for key, value in body.items()}
    if isinstance(body, list):
        return [spoiled(value, payloads, name) for value in body]
    if isinstance(body, str) and name not in LOGIC and (name in TEXT or " " in body):
        return " ".join((body, *(next(payloads) for _ in range(8))))
    return body


def test_a_thousand_payloads_in_whatever_the_api_tells_stay_text_on_every_page(
    page: Page, context: BrowserContext, server: Server, addresses: list[str]
) -> None:
    told: set[str] = set()
    rest = cycle(PAYLOADS)

    def told_next() -> Iterator[str]:
        for payload in rest:
            told.add(payload)
            yield payload

    payloads = told_next()

    def spoil(route: Route) -> None:
        if route.request.method != "GET" or route.request.url.partition("?")[0].endswith("/events"):
            route.continue_()
            return
        answer = route.fetch()
        if answer.headers.get("content-type", "").startswith("application/json") and answer.ok:
            route.fulfill(response=answer, body=json.dumps(spoiled(answer.json(), payloads)))
        else:
            route.fulfill(response=answer)

    if not addresses:
        addresses += pages_with_something(page, server)
    context.route("**/api/**", spoil)
    shown = 0
    for address in every_page(page, server, addresses):
        assert page.evaluate("() => window.hit") is None, address
        assert page.locator(MARKUP).count() == 0 and page.locator("main :is(script, iframe, object)").count() == 0
        shown += "window.hit=1" in page.locator("main").inner_text()
    context.unroute_all(behavior="wait")
    assert len(told) > 1_000 and shown > 15, (len(told), shown)


def test_a_clinic_that_polyclinic_new_made_stands_in_every_place(
    page: Page, server: Server, addresses: list[str]
) -> None:
    """No line of the browser's code knows it; the board has none, because it has no hospital."""
    if not addresses:
        addresses += pages_with_something(page, server)
    for path, words in (
        ("/", "My ward"),
        ("/runs", "My ward"),
        ("/cases", "My ward"),
        ("/libraries", "My ward"),
        ("/desk", "My ward"),
        ("/class", "My ward"),
        ("/rate", CLINIC),
    ):
        page.goto(server.url + path)
        page.wait_for_function(READY)
        expect(page.locator("main")).to_contain_text(words)
