"""The page of the staff in a real browser: alerts ring, sessions change hands, and the service is killed meanwhile."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import Browser, Page, expect

from polyclinic.testing.serving import TOKEN, ServedProcess
from tests.web.browser.conftest import CHROMIUM, PATIENCE_MS

DANGER = "I am going to kill myself tonight."
PASSWORD = "correct horse battery"
SERVICE = {"Authorization": f"Bearer {TOKEN}"}


class Served:
    """A counselling service with three members of staff; it can be killed and started again at the same address."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        for name, role in (("kim", "take_over"), ("lee", "take_over"), ("han", "watch")):
            words = ["staff", "add", name, "--role", role, "--store", str(folder / "s.db")]
            done = [sys.executable, "-m", "polyclinic", *words]
            subprocess.run(done, input=f"{PASSWORD}\n", text=True, check=True, capture_output=True)
        self._process = ServedProcess("counsel", folder, "--set", "country=GB")
        self.address = self._process.address

    def restart(self) -> None:
        self._process.end(signal.SIGKILL)
        port = self.address.rpartition(":")[2]
        self._process = ServedProcess("counsel", self._folder, "--set", "country=GB", "--port", port)

    def end(self) -> None:
        self._process.end(signal.SIGKILL)

    def start(self) -> tuple[str, dict[str, str]]:
        """The address of a new session and the header of its visitor."""
        made = httpx.post(f"{self.address}/v1/sessions", json={}, headers=SERVICE, timeout=60).json()
        return f"{self.address}/v1/sessions/{made['id']}", {"Authorization": f"Bearer {made['token']}"}

    def say(self, visitor: tuple[str, dict[str, str]], text: str) -> list[str]:
        """What was said because of the visitor's words."""
        url, mine = visitor
        answer = httpx.post(f"{url}/say", json={"text": text}, headers=mine, timeout=90)
        assert answer.status_code == 200, answer.text
        return [f"{said['speaker']}: {said['text']}" for said in answer.json()["said"]]


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    if CHROMIUM is None:
        pytest.skip("there is no chromium here")
    found = Served(tmp_path_factory.mktemp("staff"))
    yield found
    found.end()


def log_in(browser: Browser, served: Served, name: str) -> Page:
    page = browser.new_context(locale="en-US").new_page()
    page.set_default_timeout(PATIENCE_MS)
    page.on("dialog", lambda dialog: dialog.accept("lee" if "whom" in dialog.message else "talked it over"))
    page.goto(f"{served.address}/staff")
    page.get_by_label("Name").fill(name)
    page.get_by_label("Password").fill(PASSWORD)
    page.keyboard.press("Enter")
    expect(page.locator("#who")).to_contain_text(name)
    return page


def test_staff_take_a_person_over_pass_them_on_and_hand_them_back_through_a_restart(
    browser: Browser, served: Served
) -> None:
    kim, lee, han = (log_in(browser, served, name) for name in ("kim", "lee", "han"))
    visitor = served.start()
    assert len(served.say(visitor, DANGER)) == 2
    for page in (kim, lee, han):
        expect(page.get_by_role("alert")).to_contain_text("1 waiting")
        expect(page.locator("#cases")).to_contain_text("kill myself")
    kim.locator("#cases").get_by_role("button", name="Take over").click()
    expect(kim.get_by_role("alert")).to_be_hidden()
    expect(kim.locator("#heard")).to_contain_text(DANGER)

    lee.locator("#cases").get_by_role("button", name="Take over").click()
    expect(lee.locator("#wrong")).to_contain_text("kim holds this session: ask them to pass it on")
    han.locator("#cases").get_by_role("button", name="Take over").click()
    expect(han.locator("#wrong")).to_contain_text("this needs the role take_over")

    kim.get_by_label("Say").fill("I am here with you.")
    kim.keyboard.press("Enter")
    expect(kim.locator("#heard")).to_contain_text("kim: I am here with you.")
    assert served.say(visitor, "Thank you. I am scared.") == ["patient: Thank you. I am scared."]
    expect(kim.locator("#heard")).to_contain_text("patient: Thank you. I am scared.")

    served.restart()
    expect(kim.locator("#wrong")).to_have_text("")
    assert served.say(visitor, "Are you still there?") == ["patient: Are you still there?"]
    expect(kim.locator("#heard")).to_contain_text("Are you still there?")
    assert kim.locator("#heard p").count() == 5

    kim.get_by_role("button", name="Pass on").click()
    lee.get_by_role("button", name="Look again").click()
    expect(lee.locator("#cases")).to_contain_text("taken lee")
    lee.get_by_label("Say").fill("Lee here.")
    lee.keyboard.press("Enter")
    expect(kim.locator("#heard")).to_contain_text("lee: Lee here.")
    kim.get_by_label("Say").fill("One more thing.")
    kim.keyboard.press("Enter")
    expect(kim.locator("#wrong")).to_contain_text("lee holds this session")

    lee.locator("#actions").get_by_role("button", name="Hand back").click()
    expect(lee.locator("#cases tr")).to_have_count(0)
    assert served.say(visitor, "Hello again.")[-1].startswith("counsellor: ")


def test_a_page_whose_service_is_gone_says_that_it_may_be_old(browser: Browser, served: Served) -> None:
    kim = log_in(browser, served, "kim")
    kim.route("**/v1/**", lambda route: route.abort())
    kim.evaluate("show()")
    expect(kim.locator("#wrong")).to_contain_text("cannot be reached")
    kim.unroute("**/v1/**")
    kim.evaluate("show()")
    expect(kim.locator("#wrong")).to_have_text("")
