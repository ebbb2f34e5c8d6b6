"""A real Chromium and a real server, for the tests of whole journeys."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
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

CHROMIUM = os.environ.get("POLYCLINIC_TEST_CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
AXE = (Path(__file__).parent / "axe.min.js").read_text(encoding="utf-8")

expect.set_options(timeout=30_000)
SETTLED = "dark => getComputedStyle(document.body).backgroundColor.includes(dark) && !document.getAnimations().length"


class Server:
    """`polyclinic web` as a process of its own, which can be killed and started again on the same port."""

    def __init__(self, folder: Path, extra: dict[str, str] | None = None, *words: str) -> None:
        self.folder, self.port, self._words = folder, 0, words
        self._extra = extra or {}
        self._process: subprocess.Popen[str] | None = None
        self.start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def entry(self) -> str:
        return f"{self.url}/?token={(self.folder / 'web-token').read_text(encoding='ascii')}"

    def start(self) -> None:
        words = ["web", "--store", str(self.folder / "s.db"), "--port", str(self.port), *self._words]
        self._process = subprocess.Popen(
            [sys.executable, "-m", "polyclinic", *words],
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, **self._extra},
        )
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        assert line.startswith("open http://127.0.0.1:"), line
        self.port = int(line.split(":")[2].partition("/")[0])

    def kill(self, how: signal.Signals = signal.SIGKILL) -> None:
        assert self._process is not None
        self._process.send_signal(how)
        self._process.wait(20)
        if self._process.stdout is not None:
            self._process.stdout.close()


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
        found = play.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-dev-shm-usage"])
        yield found
        found.close()


@pytest.fixture
def context(browser: Browser) -> Iterator[BrowserContext]:
    found = browser.new_context(viewport={"width": 1280, "height": 900}, locale="en-US", reduced_motion="reduce")
    found.set_default_timeout(30_000)
    yield found
    found.close()


@pytest.fixture
def page(context: BrowserContext, server: Server) -> Iterator[Page]:
    """A page that has come in. No request may leave this host, no script may fail, nothing may open a dialog."""
    found = context.new_page()
    faults: list[str] = []

    def told(line: ConsoleMessage) -> None:
        if line.type == "error" and "net::ERR_" not in line.text:  # a killed server is no fault of the page
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
    """What axe finds wrong with a page by WCAG 2.2 A and AA."""
    page.evaluate(AXE)
    found = page.evaluate(
        "async () => (await axe.run(document, {runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa']}))"
        ".violations"
    )
    return [f"{one['id']}: {one['nodes'][0]['html'][:200]} {one['nodes'][0]['failureSummary'][:300]}" for one in found]


def all_well(page: Page) -> None:
    """No violation in either theme, and nothing wider than a telephone."""
    page.bring_to_front()
    for theme in ("light", "dark"):
        page.emulate_media(color_scheme="dark" if theme == "dark" else "light")
        page.wait_for_function(SETTLED, arg="19, 24, 25" if theme == "dark" else "246, 245, 241")
        assert violations(page) == [], f"{page.url} in the {theme} theme"
    page.emulate_media(color_scheme="light")
    size = page.viewport_size
    page.set_viewport_size({"width": 390, "height": 844})
    page.wait_for_function("() => matchMedia('(max-width: 390px)').matches")
    with suppress(PlaywrightTimeout):  # a busy machine lays a page out a little later
        page.wait_for_function("() => document.documentElement.scrollWidth <= 390", timeout=5000)
    wide = page.evaluate(
        "() => [...document.querySelectorAll('body *')].filter((one) => one.getBoundingClientRect().right > 391"
        " && !one.closest('.scroll, .log, nav, dialog')).map((one) => one.outerHTML.slice(0, 120))"
    )
    assert page.evaluate("() => document.documentElement.scrollWidth") <= 390, f"{page.url}: too wide: {wide}"
    if size is not None:
        page.set_viewport_size(size)
