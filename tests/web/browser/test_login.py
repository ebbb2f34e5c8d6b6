"""People log in by keyboard, in both languages and themes, and each role sees its own places."""

from __future__ import annotations

import signal
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.web.browser.conftest import CHROMIUM, Server, all_well
from tests.web.browser.test_class import begin, join, open_class
from tests.web.server import add_account

PASSWORD = "correct horse battery"


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    if CHROMIUM is None:
        pytest.skip("there is no chromium here")
    folder = tmp_path_factory.mktemp("accounts")
    add_account(folder, "learner", PASSWORD)
    found = Server(folder, None, "--accounts")
    yield found
    found.kill(signal.SIGTERM)


@pytest.fixture(scope="module")
def reachable(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server that other machines can reach: people log in, and trainees join with their code."""
    if CHROMIUM is None:
        pytest.skip("there is no chromium here")
    folder = tmp_path_factory.mktemp("reachable")
    for role in ("educator", "learner"):
        add_account(folder, role, PASSWORD)
    found = Server(folder, None, "--host", "0.0.0.0")
    yield found
    found.kill(signal.SIGTERM)


def log_in(page: Page, server: Server, name: str) -> None:
    page.goto(server.url)
    page.get_by_label("Name").fill(name)
    page.get_by_label("Password").fill(PASSWORD)
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Where do you want to practise?")).to_be_visible()


def test_on_a_server_that_others_reach_only_its_educator_and_trainees_see_a_class(
    browser: Browser, context: BrowserContext, reachable: Server
) -> None:
    educator = context.new_page()
    log_in(educator, reachable, "educator")
    code = open_class(educator, "demo", 1)
    others = [browser.new_context(locale="en-US"), browser.new_context(locale="en-US")]
    trainee, learner = (one.new_page() for one in others)
    join(trainee, reachable, code, "Ada")
    begin(trainee)
    expect(educator.locator(".member")).to_contain_text("Ada")
    reachable.kill()
    reachable.start()
    trainee.reload()
    expect(trainee.locator(".composer")).to_be_visible()
    log_in(learner, reachable, "learner")
    for path in ("api/classes", f"api/classes/{educator.url.rpartition('/')[2]}", "api/runs"):
        assert learner.request.get(f"{reachable.url}/{path}").status in (403, 404), path
        assert trainee.request.get(f"{reachable.url}/{path}").status in (401, 403, 404), path
    assert learner.request.get(f"{reachable.url}/api/practise/{trainee.url.rpartition('/')[2]}").status == 404
    educator.get_by_role("button", name="End the class").click()
    educator.get_by_role("button", name="End the class").click()
    expect(trainee.get_by_text("The class has ended.")).to_be_visible()
    for one in others:
        one.close()


def test_a_learner_logs_in_by_keyboard_sees_no_runs_and_logs_out(context: BrowserContext, guarded: Server) -> None:
    page = context.new_page()
    page.goto(guarded.url)
    expect(page.get_by_role("heading", name="Log in")).to_be_visible()
    all_well(page)
    page.get_by_label("Name").focus()
    page.keyboard.type("learner")
    page.keyboard.press("Tab")
    page.keyboard.type("wrong password here")
    page.keyboard.press("Enter")
    expect(page.get_by_role("alert")).to_contain_text("wrong")
    all_well(page)
    page.get_by_label("Password").fill(PASSWORD)
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Where do you want to practise?")).to_be_visible()
    expect(page.get_by_role("link", name="Runs", exact=True)).to_be_hidden()
    guarded.kill()
    guarded.start()
    page.reload()
    expect(page.get_by_role("heading", name="Where do you want to practise?")).to_be_visible()
    page.get_by_role("button", name="한국어").click()
    page.get_by_role("button", name="로그아웃").click()
    expect(page.get_by_role("heading", name="로그인")).to_be_visible()
    all_well(page)
