"""A rating from the packet to the figures, by two raters; the server is killed in the middle."""

from __future__ import annotations

import re

from playwright.sync_api import Page, expect

from tests.web.browser.conftest import Server
from tests.web.browser.test_class import STARTED, Come, all_well, come

__all__ = ["come"]


def run_demo(page: Page) -> None:
    page.get_by_role("link", name="Runs", exact=True).click()
    page.get_by_text("Start a new run").click()
    page.get_by_label("Clinic", exact=True).first.select_option("demo")
    for variant in ("plain", "tool"):
        page.get_by_label(variant, exact=True).check()
    page.get_by_role("button", name="Start", exact=True).click()
    expect(page.get_by_role("link", name=re.compile("Episodes behind dose, plain"))).to_be_visible(timeout=STARTED)


def open_packet(page: Page) -> str:
    page.get_by_role("link", name="Rate", exact=True).click()
    run = page.get_by_label(re.compile("^Run to rate"))
    expect(run.locator("option")).to_have_count(2)
    run.select_option(index=1)
    page.get_by_label(re.compile("^Title")).fill("Study <b>one</b>")
    page.get_by_label(re.compile("^Conversations")).fill("3")
    page.get_by_label(re.compile("^Pairs")).fill("1")
    page.get_by_role("button", name="Open the rating").click()
    expect(page.locator(".sign")).to_be_visible()
    return page.locator(".sign").inner_text()


def join(page: Page, server: Server, code: str, name: str) -> None:
    page.goto(f"{server.url}/rate/join?code={code}")
    page.get_by_label("Your name").fill(name)
    page.get_by_role("button", name="Join", exact=True).click()
    page.get_by_role("button", name="Begin", exact=True).click()
    expect(page.locator("[data-line]").first).to_be_visible()


def rate_item(page: Page, level: int) -> None:
    """Answer every question of one transcript, with keyboard and pointer as a person would."""
    here, scales = page.url, page.get_by_role("radiogroup")
    expect(scales.first).to_be_visible()
    for number in range(scales.count()):
        chosen = scales.nth(number).locator(".level").nth(level)
        chosen.get_by_role("radio").check()
        expect(chosen).to_have_class(re.compile(r"\bset\b"))
    page.get_by_role("button", name="Next").click()
    expect(page).not_to_have_url(here)


def mark_words(page: Page) -> str:
    """Select words of the first line with the keyboard's selection, and mark them."""
    first = page.get_by_role("radiogroup").first
    first.get_by_role("radio").first.check()
    expect(first).to_contain_text("saved")
    words: str = page.evaluate(
        """() => {
          const all = document.createTreeWalker(document.querySelector('[data-line="0"]'), NodeFilter.SHOW_TEXT);
          let node = all.nextNode();
          while (node.length < 12) node = all.nextNode();
          const range = document.createRange();
          range.setStart(node, 2);
          range.setEnd(node, 12);
          getSelection().removeAllRanges();
          getSelection().addRange(range);
          return range.toString();
        }"""
    )
    page.get_by_role("button", name="Mark the words").click()
    expect(page.locator("mark")).to_have_text(words)
    return words


def test_two_raters_get_agreement_with_intervals_after_a_kill_9(page: Page, server: Server, come: Come) -> None:
    run_demo(page)
    code = open_packet(page)
    kim, lee = come(), come()
    join(kim, server, code, "Kim")
    words = mark_words(kim)
    all_well(kim)
    rate_item(kim, 1)
    expect(kim.locator(".chip.done")).to_have_count(1)

    server.kill()
    server.start()
    kim.reload()
    expect(kim.locator(".chip.done")).to_have_count(1, timeout=STARTED)
    rate_item(kim, 0)
    expect(kim.locator(".chip.done")).to_have_count(2)
    rate_item(kim, 2)
    for _ in range(2):
        expect(kim.get_by_role("heading", name="Side by side")).to_be_visible()
        kim.get_by_role("button", name="The first").click()
        expect(kim.get_by_text("saved")).to_be_visible()
        all_well(kim)
        kim.get_by_role("button", name="Next").click()
    expect(kim.get_by_text("All is rated. Thank you!")).to_be_visible()
    kim.get_by_role("button", name="한국어").click()
    expect(kim.get_by_text("모두 평가했습니다")).to_be_visible()
    all_well(kim)

    join(lee, server, code, "<img src=x onerror=hit=1>")
    for level in (1, 0, 1):
        rate_item(lee, level)
    page.reload()
    expect(page.locator(".rater")).to_have_count(2)
    expect(page.locator(".rater").first).to_contain_text("3 of 3 conversations")
    page.get_by_role("button", name="End the rating").click()
    for name in ("alpha (ordinal)", "ICC(2,1)", "kappa (quadratic)", "judge and people"):
        expect(page.get_by_text(name).first).to_be_visible()
    expect(page.get_by_role("region", name="What raters marked")).to_contain_text(words)
    arena = page.get_by_role("group", name=re.compile("How often the first variant"))
    expect(arena).to_contain_text("plain against tool")
    assert page.locator("main img").count() == 0 and page.evaluate("() => window.hit") is None
    all_well(page)
    page.get_by_role("button", name="한국어").click()
    expect(page.get_by_role("heading", name="일치도")).to_be_visible()
    page.get_by_role("region", name="평가자가 표시한 말").get_by_role("link").first.click()
    expect(page).to_have_url(re.compile("/runs/.+/episodes/.+"))
