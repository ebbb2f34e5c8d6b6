"""Every page, with the data of a clinic that `polyclinic new` made: axe, zoom, phone, keyboard, hostile text."""

from __future__ import annotations

import json
import signal
from collections.abc import Iterator
from itertools import cycle
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Page, Route, expect

from polyclinic.cli.new import copy_template
from tests.web.browser.conftest import CHROMIUM, Server, fits, settled, violations
from tests.web.browser.everything import CLINIC, Furnished
from tests.web.payloads import PAYLOADS

TEXT = ("title", "about", "text", "introduction", "author", "speaker", "reason", "words", "comment", "label", "why")
LOGIC = ("kind", "id", "key", "path", "digest", "begun_ms", "pattern")
READY = """() => document.querySelector('main h1, main h2')
  && [...document.querySelectorAll('main [role=status]')].every((one) => !one.textContent.includes(' …'))"""
MARKUP = "[onerror], [onload], [ontoggle], [onfocus], [onmouseover], [onclick], [onstart], [onbegin], [onpointerenter]"
TABS = 30


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    if CHROMIUM is None:
        pytest.skip("there is no chromium here")
    folder = tmp_path_factory.mktemp("everything")
    copy_template(CLINIC, folder / "clinics")
    found = Server(folder, {"POLYCLINIC_PATH": str(folder / "clinics")})
    yield found
    found.kill(signal.SIGTERM)


@pytest.fixture(scope="module")
def furnished() -> Furnished:
    return Furnished()


def every_page(page: Page, server: Server, furnished: Furnished) -> Iterator[str]:
    """Visit every page, one after the other."""
    for address in furnished.come_in(page, server):
        go_to(page, server, address)
        yield address


def go_to(page: Page, server: Server, address: str) -> None:
    """Open a page and wait until its contents are shown."""
    page.goto(server.url + address)
    page.wait_for_function(READY)


def in_korean(page: Page) -> None:
    page.get_by_role("button", name="한국어").click()
    expect(page.locator("html")).to_have_attribute("lang", "ko")


def by_keyboard(page: Page) -> None:
    """Check that Tab moves from one element to the next, never gets stuck, and that the focus is always visible."""
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
        assert now[1], f"{page.url}: the focus is not visible: {now[2]}"
        seen.append(now)
    assert len(seen) > 5, page.url


@pytest.mark.slow
@pytest.mark.parametrize("language", ["en", "ko"])
def test_every_page_is_accessible_in_both_themes_zoomed_small_and_by_keyboard(
    page: Page, server: Server, furnished: Furnished, language: str
) -> None:
    if language == "ko":
        in_korean(page)
    seen = 0
    for _ in every_page(page, server, furnished):
        for theme in ("light", "dark"):
            settled(page, theme)
            assert violations(page) == [], f"{page.url} in the {theme} theme, {language}"
        fits(page)
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


class Spoiler:
    """Adds hostile text to every answer for the browser, and records which texts were used."""

    def __init__(self) -> None:
        self.told: set[str] = set()
        self._rest = cycle(PAYLOADS)

    def __call__(self, route: Route) -> None:
        if route.request.method != "GET" or route.request.url.partition("?")[0].endswith("/events"):
            route.continue_()
            return
        answer = route.fetch()
        if answer.headers.get("content-type", "").startswith("application/json") and answer.ok:
            route.fulfill(response=answer, body=json.dumps(spoiled(answer.json(), self._next())))
        else:
            route.fulfill(response=answer)

    def _next(self) -> Iterator[str]:
        for payload in self._rest:
            self.told.add(payload)
            yield payload


@pytest.mark.parametrize("every", [3, pytest.param(1, marks=pytest.mark.slow)])
def test_a_thousand_payloads_stay_text_and_pages_stay_accessible(
    page: Page, context: BrowserContext, server: Server, furnished: Furnished, every: int
) -> None:
    """Themes and languages alternate; the slow test above checks every page in each of them."""
    addresses, spoiler, shown = furnished.come_in(page, server)[::every], Spoiler(), 0
    context.route("**/api/**", spoiler)
    for number, address in enumerate(addresses):
        if number == len(addresses) // 2:
            in_korean(page)
        go_to(page, server, address)
        settled(page, "dark" if number % 2 else "light")
        assert page.evaluate("() => window.hit") is None, address
        assert page.locator(MARKUP).count() == 0 and page.locator("main :is(script, iframe, object)").count() == 0
        assert violations(page) == [], address
        fits(page)
        shown += "window.hit=1" in page.locator("main").inner_text()
    context.unroute_all(behavior="wait")
    assert len(spoiler.told) > 1_000 and shown > 15 / every, (len(spoiler.told), shown)


def test_a_clinic_that_polyclinic_new_made_appears_in_every_place(
    page: Page, server: Server, furnished: Furnished
) -> None:
    """The browser's code does not know this clinic; the board does not show it, because it has no hospital."""
    furnished.come_in(page, server)
    for path, words in (
        ("/", "My ward"),
        ("/runs", "My ward"),
        ("/cases", "My ward"),
        ("/libraries", "My ward"),
        ("/desk", "My ward"),
        ("/class", "My ward"),
        ("/rate", CLINIC),
    ):
        go_to(page, server, path)
        expect(page.locator("main")).to_contain_text(words)
