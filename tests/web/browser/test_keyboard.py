"""Whole workflows without a pointer: Tab, arrows, letters, Enter and Space, with the focus always visible.

New lines are in regions that screen readers announce.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import BrowserContext, Locator, Page, expect

from tests.web.browser.conftest import Server
from tests.web.browser.everything import ask

pytestmark = pytest.mark.slow
FOCUSED = "one => one === document.activeElement || (one.contains(document.activeElement) && one.matches('label'))"
SEEN = """() => {
  const here = document.activeElement, look = getComputedStyle(here), inner = here.closest('label, .level') ?? here;
  const around = getComputedStyle(inner);
  return [look, around].some((one) => one.outlineStyle !== 'none' || one.boxShadow !== 'none');
}"""
MOST = 120


class Keyboard:
    """A user without a mouse."""

    def __init__(self, page: Page) -> None:
        self.page = page

    def to(self, wanted: Locator, key: str = "Tab") -> Keyboard:
        """Press Tab until this element has the focus; the focus must be visible."""
        expect(wanted.first).to_be_visible()
        expect(wanted.first).to_be_enabled()
        for _ in range(MOST):
            if wanted.first.evaluate(FOCUSED):
                assert self.page.evaluate(SEEN), f"the focus is not visible at {wanted}"
                return self
            self.page.keyboard.press(key)
        raise AssertionError(f"Tab never reaches {wanted}")

    def back_to(self, wanted: Locator) -> Keyboard:
        """Press Shift+Tab until this element has the focus."""
        return self.to(wanted, "Shift+Tab")

    def press(self, *keys: str) -> None:
        """Press these keys, one after the other."""
        for key in keys:
            self.page.keyboard.press(key)

    def type(self, words: str) -> None:
        """Type these letters."""
        self.page.keyboard.insert_text(words)

    def button(self, name: str | re.Pattern[str]) -> Locator:
        """A button by its name."""
        return self.page.get_by_role("button", name=name, exact=isinstance(name, str))

    def link(self, name: str | re.Pattern[str]) -> Locator:
        """A link by its name."""
        return self.page.get_by_role("link", name=name, exact=isinstance(name, str))


@pytest.fixture
def keys(page: Page) -> Iterator[Keyboard]:
    """Check that the test never uses a pointer."""
    page.add_init_script(
        "for (const kind of ['pointerdown', 'mousedown', 'touchstart'])"
        " addEventListener(kind, () => (window.pointed = true), true);"
    )
    page.reload()
    yield Keyboard(page)
    assert not page.evaluate("() => window.pointed")


def announced(page: Page, words: str) -> None:
    """Check that these words are in a live region, which screen readers announce."""
    log = page.get_by_role("log")
    expect(log).to_have_attribute("aria-live", "polite")
    expect(log).to_contain_text(words)


def test_an_interview_works_from_the_choice_to_the_feedback(keys: Keyboard) -> None:
    page = keys.page
    keys.to(keys.button(re.compile("standardized patient"))).press("Enter")
    keys.to(keys.button(re.compile("^doctor", re.IGNORECASE))).press("Enter")
    keys.to(keys.button("Begin")).press("Enter")
    box = page.get_by_label("What you say")
    expect(box).to_be_focused()  # a person may speak at once
    for words in ("Where does it hurt?", "Do you drink alcohol?"):
        keys.type(words)
        keys.press("Enter")
        announced(page, words)
        expect(page.locator(".log article").last).not_to_have_class(re.compile("mine"))
        expect(box).to_be_focused()
    keys.to(keys.button("Order a test")).press("Enter")
    keys.to(page.get_by_label("Which test?")).type("serum lipase")
    keys.press("Enter")
    announced(page, "980")
    keys.to(keys.button(re.compile("I know enough"))).press("Enter")
    keys.to(page.get_by_label("Your diagnosis")).type("acute pancreatitis")
    keys.to(page.get_by_label(re.compile("^Why"))).type("Lipase very high")
    keys.to(keys.button("Answer")).press("Enter")
    keys.to(keys.link("See your feedback")).press("Enter")
    expect(page.get_by_role("heading", name="What went well")).to_be_visible()
    quote = page.locator("a.quote").first
    keys.to(quote).press("Enter")
    expect(page.locator(".talk .marked")).to_be_visible()
    keys.to(keys.button(re.compile("Try again"))).press("Enter")
    expect(page.locator(".composer")).to_be_visible()


def test_a_supervisor_takes_over_writes_and_hands_back(keys: Keyboard, context: BrowserContext, server: Server) -> None:
    page = keys.page
    talk = ask(page, server, "desk/counsel/sessions", {})["id"]
    person = context.new_page()
    person.goto(f"{server.url}/talk/counsel/{talk}")
    there = Keyboard(person)
    there.to(person.get_by_label("What you say")).type("I am going to kill myself tonight.")
    there.press("Enter")
    announced(person, "emergency")
    page.bring_to_front()
    keys.to(keys.link("Desk")).press("Enter")
    expect(page.get_by_role("alert")).to_contain_text("waiting for a person now")
    keys.to(keys.link("Look")).press("Enter")
    name = page.get_by_label("Your name")
    keys.to(name).press("Control+a")
    keys.type("Kim")
    keys.to(keys.button("Take over")).press("Enter")
    keys.back_to(page.get_by_label("What you say")).type("I am here with you.")
    keys.to(keys.button("Say")).press("Enter")
    announced(page, "I am here with you.")
    announced(person, "I am here with you.")
    keys.to(keys.button(re.compile("back", re.IGNORECASE))).press("Enter")
    if page.locator(".composer form:not(.say)").count():
        keys.to(page.locator(".composer form:not(.say) button").last).press("Enter")
    expect(page.locator(".talk .head .tag")).to_contain_text(re.compile("automatic", re.IGNORECASE))
    expect(keys.button("Take over")).to_be_visible()


def demo_run(page: Page, server: Server) -> str:
    run = str(ask(page, server, "runs", {"clinic": "demo", "variants": ["plain", "tool"], "scenarios": "4"})["id"])
    page.request.get(f"{server.url}/api/runs/{run}/events")  # the stream ends with the run
    return run


def test_a_metric_leads_to_the_line_and_its_prompt(keys: Keyboard, server: Server) -> None:
    page = keys.page
    demo_run(page, server)
    keys.to(keys.link("Runs")).press("Enter")
    keys.to(page.locator("main table a").first).press("Enter")
    keys.to(keys.link(re.compile("Episodes behind dose, plain"))).press("Enter")
    expect(page).to_have_url(re.compile("variant=plain.*metric=dose"))
    rows = page.locator("#episodes ~ .scroll tbody tr")
    keys.to(page.get_by_role("searchbox")).type("tablet")
    expect(page).to_have_url(re.compile("words=tablet"))
    keys.to(rows.first.get_by_role("link")).press("Enter")
    expect(page.locator(".score.this")).to_contain_text("dose")
    keys.to(page.locator("summary", has_text="Prompt and raw reply").first).press("Enter")
    expect(page.locator("details.call pre").first).to_be_visible()


def test_a_packet_is_rated_with_its_words_marked(keys: Keyboard, server: Server) -> None:
    page = keys.page
    packet = ask(
        page, server, "packets", {"run": demo_run(page, server), "episodes": 1, "pairs": 1, "title": "A rating"}
    )
    page.goto(f"{server.url}/rate/join")
    keys.to(page.get_by_label(re.compile("code", re.IGNORECASE))).type(packet["code"])
    keys.to(page.get_by_label("Your name")).type("Kim")
    keys.press("Enter")
    keys.to(keys.button("Begin")).press("Enter")
    scales = page.get_by_role("radiogroup")
    expect(scales.first).to_be_visible()
    for number in range(scales.count()):
        keys.to(scales.nth(number).get_by_role("radio").first).press("Space")
        if number % 2:
            keys.press("ArrowRight")
        expect(scales.nth(number)).to_contain_text("saved")
    words = max(re.findall(r"\w+", page.locator("[data-line]").first.inner_text()), key=len)
    keys.back_to(page.get_by_label(re.compile("Words that show it"))).type(words)
    keys.press("Enter")
    expect(page.locator("mark")).to_have_text(words)
    keys.to(keys.button(re.compile("^Next"))).press("Enter")
    for _ in range(2):
        expect(page.get_by_role("heading", name="Side by side")).to_be_visible()
        keys.to(keys.button(re.compile("^The first"))).press("Enter")
        expect(page.get_by_text("saved")).to_be_visible()
        keys.to(keys.button(re.compile("^Next"))).press("Enter")
    expect(page.get_by_text("All is rated. Thank you!")).to_be_visible()


def test_an_ecg_can_be_enlarged_and_zoomed(keys: Keyboard, server: Server) -> None:
    page = keys.page
    run = ask(page, server, "practise", {"clinic": "rounds", "part": "tutor", "case": "card-01"})["id"]
    page.goto(f"{server.url}/practise/{run}")
    small = page.get_by_role("button", name=re.compile("Enlarge"))
    keys.to(small).press("Enter")
    large = page.get_by_role("dialog").locator(".view img")
    expect(large).to_be_visible()
    assert large.evaluate("one => one.naturalWidth") > 300, "the picture itself has come"
    before = large.bounding_box()
    keys.press("+", "+")
    expect(page.get_by_role("dialog")).to_contain_text("200 %")
    after = large.bounding_box()
    assert before is not None and after is not None and after["width"] > 1.9 * before["width"]
    keys.press("Escape")
    expect(page.get_by_role("dialog")).to_be_hidden()
    expect(small).to_be_focused()
