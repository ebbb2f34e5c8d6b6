"""Where people log in: by keyboard, in both languages and themes, and each sees the places of their role."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Iterator

import pytest
from playwright.sync_api import BrowserContext, expect

from tests.web.browser.conftest import CHROMIUM, Server, all_well

PASSWORD = "correct horse battery"


def _add(store: str, role: str) -> None:
    words = ["staff", "add", role, "--role", role, "--store", store]
    command = [sys.executable, "-m", "polyclinic", *words]
    subprocess.run(command, input=PASSWORD + "\n", text=True, check=True, capture_output=True)


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    if CHROMIUM is None:
        pytest.skip("there is no chromium here")
    folder = tmp_path_factory.mktemp("accounts")
    _add(str(folder / "s.db"), "learner")
    found = Server(folder, None, "--accounts")
    yield found
    found.kill(signal.SIGTERM)


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
