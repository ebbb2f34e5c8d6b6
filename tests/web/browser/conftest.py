"""A real Chromium and a real server, for tests of whole workflows."""

from __future__ import annotations

import os
import shutil
import signal
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from playwright.sync_api import (
    Browser,
    BrowserContext,
    ConsoleMessage,
    Dialog,
    Page,
    Request,
    expect,
    sync_playwright,
)
from playwright.sync_api import TimeoutError as PlaywrightTimeout

from tests.web.server import Server

__all__ = ["Server"]

_NAMES = ("chromium-headless-shell", "chromium", "chromium-browser")
CHROMIUM = os.environ.get("POLYCLINIC_TEST_CHROMIUM") or next(filter(None, map(shutil.which, _NAMES)), None)
QUIETLY = [
    "--no-sandbox",
    "--disable-dev-shm-usage",
    "--disable-gpu",  # a machine without a GPU would emulate one
    "--disable-extensions",
    "--disable-component-update",
    "--disable-background-networking",
    "--disable-features=OnDeviceModel,OptimizationHints,OptimizationGuideModelDownloading,MediaRouter,Translate",
]
AXE = (Path(__file__).parent / "axe.min.js").read_text(encoding="utf-8")

PATIENCE_MS = 90_000
"""How long one action may take on a busy machine."""
expect.set_options(timeout=PATIENCE_MS)
SETTLED = """dark => getComputedStyle(document.body).backgroundColor.includes(dark)
  && document.getAnimations().every(one => one.playState === 'finished')"""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    if CHROMIUM is None:
        pytest.skip("there is no chromium here")
    found = Server(tmp_path_factory.mktemp("web"))
    yield found
    found.kill(signal.SIGTERM)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    if CHROMIUM is None:
        pytest.skip("there is no chromium here")
    with sync_playwright() as play:
        found = play.chromium.launch(executable_path=CHROMIUM, args=QUIETLY)
        yield found
        found.close()


@pytest.fixture
def context(browser: Browser) -> Iterator[BrowserContext]:
    found = browser.new_context(viewport={"width": 1280, "height": 900}, locale="en-US", reduced_motion="reduce")
    found.set_default_timeout(PATIENCE_MS)
    yield found
    found.close()


@pytest.fixture
def page(context: BrowserContext, server: Server) -> Iterator[Page]:
    """A page of a logged-in browser. No request may leave this host, no script may fail, nothing may open a dialog."""
    found = context.new_page()
    faults: list[str] = []

    def told(line: ConsoleMessage) -> None:
        if line.type == "error" and "net::ERR_" not in line.text:  # a killed server is not the page's fault
            faults.append(f"console: {line.text}")

    def asked(dialog: Dialog) -> None:
        faults.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    def requested(request: Request) -> None:
        if not request.url.startswith((server.url, "data:")):
            faults.append(f"request to {request.url}")

    found.on("pageerror", lambda error: faults.append(f"script: {error}"))
    found.on("dialog", asked)
    found.on("console", told)
    found.on("request", requested)
    found.goto(server.entry)
    yield found
    assert not faults


def violations(page: Page) -> list[str]:
    """Violations of WCAG 2.2 A and AA that axe finds on a page."""
    page.evaluate(AXE)
    found = page.evaluate(
        "async () => (await axe.run(document, {runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa']}))"
        ".violations"
    )
    return [f"{one['id']}: {one['nodes'][0]['html'][:200]} {one['nodes'][0]['failureSummary'][:300]}" for one in found]


def settled(page: Page, theme: str) -> None:
    """Show this theme, and wait until no colour changes any more."""
    page.emulate_media(color_scheme="dark" if theme == "dark" else "light")
    page.wait_for_function(SETTLED, arg="19, 24, 25" if theme == "dark" else "246, 245, 241")


def all_well(page: Page) -> None:
    """Check that there is no violation in either theme, and nothing wider than the screen, zoomed or small."""
    page.bring_to_front()
    for theme in ("light", "dark"):
        settled(page, theme)
        assert violations(page) == [], f"{page.url} in the {theme} theme"
    page.emulate_media(color_scheme="light")
    fits(page)


def fits(page: Page) -> None:
    """Check that nothing is wider than a screen of 1280 pixels at 200 %, or than a phone."""
    size = page.viewport_size
    for width, height in ((640, 430), (390, 844)):
        page.set_viewport_size({"width": width, "height": height})
        page.wait_for_function("width => matchMedia(`(max-width: ${width}px)`).matches", arg=width)
        with suppress(PlaywrightTimeout):  # a busy machine lays out a page a little later
            page.wait_for_function("width => document.documentElement.scrollWidth <= width", arg=width, timeout=5000)
        wide = page.evaluate(
            "width => [...document.querySelectorAll('body *')].filter((one) => one.getBoundingClientRect().right >"
            " width + 1 && !one.closest('.scroll, .log, nav, dialog')).map((one) => one.outerHTML.slice(0, 120))",
            width,
        )
        assert page.evaluate("() => document.documentElement.scrollWidth") <= width, f"{page.url}: too wide: {wide}"
    if size is not None:
        page.set_viewport_size(size)
