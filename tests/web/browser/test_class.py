"""An educator's class with three trainees, each in a separate browser; the server is killed in the middle."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.web.browser.conftest import PATIENCE_MS, Server
from tests.web.browser.conftest import all_well as all_is_well
from tests.web.xapi_shape import faults, record_store

Come = Callable[[], Page]
STARTED = 120_000
"""Milliseconds in which a server on a busy machine is up again with all sessions."""


def all_well(page: Page) -> None:
    """Check the page scrolled to its top, because elements half behind the sticky header cannot be measured."""
    page.evaluate("() => scrollTo(0, 0)")
    all_is_well(page)


@pytest.fixture
def come(browser: Browser, server: Server) -> Iterator[Come]:
    """Another logged-in browser; it may load nothing from other hosts."""
    contexts: list[BrowserContext] = []
    elsewhere: list[str] = []

    def opened() -> Page:
        context = browser.new_context(viewport={"width": 390, "height": 844}, locale="en-US", reduced_motion="reduce")
        context.set_default_timeout(PATIENCE_MS)
        contexts.append(context)
        page = context.new_page()
        page.on("request", lambda request: elsewhere.append(request.url) if server.url not in request.url else None)
        page.goto(server.entry)
        return page

    yield opened
    for context in contexts:
        context.close()
    assert not elsewhere


def open_class(page: Page, clinic: str, cases: int) -> str:
    page.get_by_role("link", name="Class", exact=True).click()
    form = page.locator("section", has=page.get_by_role("heading", name="Open a class"))
    form.get_by_label(re.compile("^Title")).fill("Tuesday <b>round</b>")
    form.get_by_label(re.compile("^Your name")).fill("Dr Kim")
    form.get_by_label(re.compile("^Clinic")).select_option(clinic)
    boxes = form.locator(".case input")
    expect(boxes.first).to_be_checked()
    for number in range(1, cases):
        boxes.nth(number).check()
    form.get_by_role("button", name="Open the class").click()
    expect(page.locator(".sign")).to_be_visible()
    return page.locator(".sign").inner_text()


def join(page: Page, server: Server, code: str, name: str) -> None:
    page.goto(f"{server.url}/join?code={code}")
    page.get_by_label("Your name").fill(name)
    page.get_by_role("button", name="Join", exact=True).click()
    expect(page.get_by_role("button", name="Begin", exact=True).first).to_be_visible()


def begin(page: Page) -> None:
    page.get_by_role("button", name="Begin", exact=True).first.click()
    expect(page.locator(".composer")).to_contain_text(re.compile("."))


def say(page: Page, words: str) -> None:
    box = page.get_by_label("What you say")
    box.fill(words)
    box.press("Enter")
    expect(page.locator(".log article.mine").last).to_contain_text(words)
    expect(page.get_by_label("What you say")).to_be_enabled()


def finish(page: Page) -> None:
    page.get_by_role("button", name="I know enough").click()
    page.get_by_label("Your diagnosis").fill("acute pancreatitis")
    page.get_by_label(re.compile("^Why")).fill("Pain above the navel")
    page.get_by_role("button", name="Answer", exact=True).click()
    expect(page.get_by_text("The session has ended.")).to_be_visible()


def test_a_class_of_three_survives_kill_9_and_ends_with_feedback_csv_and_a_record_store(
    page: Page, server: Server, come: Come
) -> None:
    code = open_class(page, "patient", 2)
    ada, ben, cho = come(), come(), come()
    for trainee, name in ((ada, "Ada"), (ben, "<img src=x onerror=hit=1>"), (cho, "최서연")):
        join(trainee, server, code, name)
    expect(page.locator(".member")).to_have_count(3)
    assert page.locator(".member img").count() == 0 and page.evaluate("() => window.hit") is None
    for trainee in (ada, ben, cho):
        begin(trainee)
    say(ada, "Where does it hurt?")
    first = page.locator(".member").first
    expect(first).to_contain_text("is thinking")
    first.get_by_role("link", name="Watch: Ada").click()
    watched = page.locator(".watch .log")
    expect(watched).to_contain_text("Where does it hurt?")
    page.get_by_label("Hint to Ada").fill("Ask about <i>alcohol</i>.")
    page.get_by_role("button", name="Send the hint").click()
    expect(ada.get_by_role("log").get_by_text("Ask about <i>alcohol</i>.")).to_be_visible()
    expect(ada.get_by_text("Hint from Dr Kim")).to_be_visible()
    expect(ben.get_by_text("Hint from Dr Kim")).to_be_hidden()
    all_well(page)
    before = ada.locator(".log article").all_inner_texts()

    server.kill()
    expect(page.get_by_text("The connection was lost").first).to_be_visible()
    server.start()
    expect(ada.get_by_text("The connection was lost")).to_be_hidden(timeout=STARTED)
    expect(page.get_by_text("The connection was lost")).to_have_count(0, timeout=STARTED)
    say(ada, "Do you drink alcohol?")
    assert ada.locator(".log article").all_inner_texts()[: len(before)] == before, "nothing lost, nothing doubled"
    expect(ada.get_by_text("Ask about <i>alcohol</i>.")).to_have_count(1)
    expect(watched).to_contain_text("Do you drink alcohol?")
    expect(watched.get_by_text("Where does it hurt?")).to_have_count(1)

    finish(ada)
    ada.get_by_role("link", name="Back to the class").click()
    expect(ada.get_by_role("link", name="See your feedback")).to_be_visible()
    expect(first).to_contain_text("finished")
    page.get_by_role("button", name="End the class").click()
    page.get_by_role("button", name="End the class").click()
    expect(ben.get_by_text("The class has ended.")).to_be_visible()
    rows = page.locator("section", has=page.locator("#results")).locator("tbody tr")
    expect(rows).to_have_count(3)
    expect(rows.first).to_contain_text("finished")
    expect(rows.nth(1)).to_contain_text("<img src=x onerror=hit=1>")
    all_well(page)
    page.get_by_role("button", name="한국어").click()
    expect(page.get_by_role("heading", name="결과")).to_be_visible()
    page.get_by_role("button", name="English").click()
    take_out(page)
    rows.first.get_by_role("link", name=re.compile("Feedback")).click()
    expect(page.get_by_role("heading", name="Feedback: Ada")).to_be_visible()


def take_out(page: Page) -> None:
    """The table as a file, the xAPI statements as a file, and the same statements in a record store."""
    with page.expect_download() as download:
        page.get_by_role("link", name="Table as CSV").click()
    text = download.value.path().read_text(encoding="utf-8-sig")
    assert "Ada" in text and "최서연" in text
    with page.expect_download() as download:
        page.get_by_role("link", name="xAPI statements").click()
    found = json.loads(download.value.path().read_text(encoding="utf-8"))
    assert found and [fault for one in found for fault in faults(one)] == []
    with record_store("key", "secret") as store:
        page.get_by_text("Send to a learning record store").click()
        page.get_by_label("Address of the record store").fill(store.url)
        page.get_by_label("Name or key").fill("key")
        page.get_by_label("Password or secret").fill("secret")
        all_well(page)
        page.get_by_role("button", name="Send", exact=True).click()
        expect(page.get_by_text(f"The record store has {len(found)} statements.")).to_be_visible()
        assert store.wrong == [] and set(store.kept) == {one["id"] for one in found}
