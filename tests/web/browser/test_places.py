"""From a figure to the line behind it, and a counsellor who takes over while a message arrives."""

from __future__ import annotations

import re

from playwright.sync_api import BrowserContext, Page, expect

from tests.web.browser.conftest import Server, all_well


def test_a_run_is_started_and_a_figure_leads_to_the_words_behind_it(page: Page, server: Server) -> None:
    page.get_by_role("link", name="Runs", exact=True).click()
    page.get_by_text("Start a new run").click()
    page.get_by_label("Clinic", exact=True).first.select_option("demo")
    page.get_by_label("plain", exact=True).check()
    page.get_by_label("tool", exact=True).check()
    page.get_by_role("button", name="Start", exact=True).click()
    figure = page.get_by_role("link", name=re.compile("Episodes behind dose, plain"))
    expect(figure).to_be_visible()
    server.kill()
    page.get_by_role("link", name="Libraries and norms", exact=True).click()
    server.start()
    expect(page.get_by_role("heading", name="Libraries and norms")).to_be_visible()  # its code was not there before
    page.go_back()
    figure.click()
    expect(page).to_have_url(re.compile("variant=plain.*metric=dose"))
    rows = page.locator("#episodes ~ .scroll tbody tr")
    expect(rows.first).to_contain_text("plain")
    rows.first.get_by_role("link").click()
    expect(page.get_by_role("heading", name="Scores")).to_be_visible()
    expect(page.locator(".score.this")).to_contain_text("dose")
    page.get_by_text("Prompt and raw reply").first.click()
    expect(page.locator("details.call pre").first).to_be_visible()
    all_well(page)


def test_a_counsellor_takes_over_while_a_message_arrives(page: Page, context: BrowserContext, server: Server) -> None:
    page.get_by_role("link", name="Counsel desk").click()
    expect(page.get_by_text("Nobody waits for a person.")).to_be_visible()
    visitor = context.new_page()
    visitor.goto(page.url)
    visitor.get_by_role("button", name="Open a conversation").click()
    words = visitor.get_by_label("What you say")
    words.fill("I am going to kill myself tonight.")
    words.press("Enter")
    expect(visitor.locator("article").last).to_contain_text("emergency")
    expect(page.get_by_role("alert")).to_contain_text("waiting for a person now")
    expect(page).to_have_title(re.compile(r"^\(1\)"))
    page.get_by_role("link", name="Look", exact=True).first.click()
    page.get_by_label("Your name").fill("Kim")
    words.fill("Is anybody there?")
    words.press("Enter")
    page.get_by_role("button", name="A person takes the session over").click()
    expect(page.get_by_text("Nobody waits for a person.")).to_be_visible()
    server.kill()
    server.start()
    page.reload()
    box = page.get_by_label("What you say")
    box.fill("I am here with you.")
    page.get_by_role("button", name="Say", exact=True).click()
    expect(visitor.get_by_text("I am here with you.")).to_be_visible()
    assert visitor.get_by_text("Is anybody there?").count() == 1, "nothing lost, nothing doubled"
    all_well(page)
