"""A trainee's whole interview in a real browser, with the server killed in the middle."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, Route, expect

from tests.web.browser.conftest import Server, all_well
from tests.web.payloads import PAYLOADS


def start(page: Page, clinic: str, part: str) -> None:
    page.get_by_role("button", name=re.compile(clinic)).click()
    page.get_by_role("button", name=re.compile(f"^{part}", re.IGNORECASE)).first.click()
    page.get_by_role("button", name="Begin", exact=True).click()
    expect(page.locator(".composer")).to_contain_text(re.compile("."))


def say(page: Page, words: str) -> None:
    box = page.get_by_label("What you say")
    box.fill(words)
    expect(page.locator("form.say button").first).to_be_enabled()  # the last answer has arrived
    box.press("Enter")
    expect(page.locator(".log article.mine").last).to_contain_text(words[:40])
    expect(page.get_by_label("What you say")).to_be_enabled()


def test_an_interview_survives_kill_9_and_ends_with_feedback_that_links_to_its_lines(
    page: Page, server: Server
) -> None:
    expect(page.get_by_role("heading", name="Where do you want to practise?")).to_be_visible()
    start(page, "standardized patient", "doctor")
    say(page, "Where does it hurt?")
    before = page.locator(".log article").all_inner_texts()
    server.kill()
    expect(page.get_by_text("The connection was lost")).to_be_visible()
    server.start()
    expect(page.get_by_text("The connection was lost")).to_be_hidden()
    say(page, "Do you drink alcohol?")
    after = page.locator(".log article").all_inner_texts()
    assert after[: len(before)] == before and len(after) == len(before) + 2, "nothing lost, nothing doubled"
    page.reload()
    expect(page.locator(".log article")).to_have_count(len(after))
    page.get_by_role("button", name="Order a test").click()
    page.get_by_label("Which test?").fill("serum lipase")
    page.locator(".drawer button").click()
    expect(page.locator(".log article").last).to_contain_text("980")
    page.get_by_role("button", name="I know enough").click()
    page.get_by_label("Your diagnosis").fill("acute pancreatitis")
    page.get_by_label(re.compile("^Why")).fill("Pain above the navel, lipase very high")
    all_well(page)
    page.get_by_role("button", name="Answer", exact=True).click()
    page.get_by_role("link", name="See your feedback").click()
    expect(page.get_by_role("heading", name="What went well")).to_be_visible()
    quote = page.locator("a.quote").first
    words = quote.inner_text().strip("“”")
    quote.click()
    expect(page.locator(".talk .marked")).to_contain_text(words)
    heads = page.locator("h2").all_inner_texts()
    assert heads.index("In figures") > heads.index("What you found out"), "figures last"
    all_well(page)
    page.get_by_role("button", name="한국어").click()
    expect(page.get_by_role("heading", name="잘한 점")).to_be_visible()
    expect(page.get_by_role("heading", name="알아낸 것")).to_be_visible()
    expect(page.get_by_role("heading", name="What you found out")).to_have_count(0)
    page.get_by_role("button", name="다시 해 보기").click()
    expect(page.locator(".composer")).to_be_visible()


def test_words_stay_in_the_box_exactly_until_the_server_has_accepted_them(page: Page, server: Server) -> None:
    start(page, "standardized patient", "doctor")
    box, mine = page.get_by_label("What you say"), page.locator(".log article.mine")
    box.fill("Have you been abroad?")
    page.get_by_role("button", name="Order a test").click()
    page.get_by_label("Which test?").fill("serum lipase")
    page.locator(".drawer button").click()
    expect(page.locator(".log article").last).to_contain_text("980")
    expect(box).to_have_value("Have you been abroad?")  # the next question did not clear the box
    server.kill()
    box.press("Enter")
    expect(page.locator(".composer .notice.bad")).to_be_visible()
    expect(box).to_have_value("Have you been abroad?")
    server.start()
    expect(page.get_by_text("The connection was lost")).to_be_hidden()
    expect(box).to_have_value("Have you been abroad?")

    def lose_the_reply(route: Route) -> None:
        route.fetch()
        route.abort()

    page.route("**/answer", lose_the_reply, times=1)
    box.press("Enter")
    expect(mine.last).to_contain_text("Have you been abroad?")
    expect(box).to_have_value("")
    say(page, "Do you drink alcohol?")
    expect(box).to_have_value("")
    expect(mine.filter(has_text="Have you been abroad?")).to_have_count(1)


def test_a_half_filled_form_stays_exactly_until_the_server_has_accepted_it(page: Page) -> None:
    start(page, "standardized patient", "doctor")
    test = page.get_by_label("Which test?")
    page.get_by_role("button", name="Order a test").click()
    test.fill("serum lip")
    say(page, "Where does it hurt?")
    expect(test).to_have_value("serum lip")  # the next question did not clear the form
    test.fill("serum lipase")
    page.locator(".drawer button").click()
    expect(page.locator(".log article").last).to_contain_text("980")
    expect(test).to_have_count(0)
    page.get_by_role("button", name="Order a test").click()
    expect(test).to_have_value("")

    page.goto(page.url.partition("/practise")[0])
    start(page, "Medicine helpline", "nurse")
    tablets, medicine = page.get_by_label(re.compile("^Tablets")), page.get_by_label(re.compile("^Medicine"))
    tablets.fill("2")
    page.get_by_role("button", name=re.compile("Look up: leaflet")).click()
    medicine.fill("Amberol")
    page.get_by_role("button", name="Use", exact=True).click()
    expect(page.locator(".log .tool")).to_be_visible()
    expect(tablets).to_have_value("2")
    expect(medicine).to_have_count(0)
    page.get_by_role("button", name=re.compile("Look up: leaflet")).click()
    expect(medicine).to_have_value("")


@pytest.mark.slow  # the test of every page shows hostile text too
def test_words_of_people_are_never_rendered_as_markup(page: Page) -> None:
    assert len(PAYLOADS) > 1_000
    start(page, "standardized patient", "doctor")
    for begin in range(0, len(PAYLOADS), 170):
        say(page, " ".join(PAYLOADS[begin : begin + 170])[:7_900])
    assert page.evaluate("() => window.hit") is None
    assert page.locator(".log img, .log svg, .log iframe, .log video").count() == 0
    page.get_by_role("link", name=re.compile("Leave")).click()
    expect(page.get_by_role("heading", name="Where do you want to practise?")).to_be_visible()
    assert page.evaluate("() => window.hit") is None


def test_the_first_page_can_be_used_by_keyboard_in_both_languages(page: Page) -> None:
    expect(page.get_by_role("button", name=re.compile("Medicine helpline"))).to_be_visible()
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to content")).to_be_focused()
    page.get_by_role("button", name=re.compile("Medicine helpline")).press("Enter")
    page.get_by_role("button", name=re.compile("^nurse", re.IGNORECASE)).press("Enter")
    page.get_by_role("button", name="Begin", exact=True).press("Enter")
    page.get_by_role("button", name=re.compile("Look up: leaflet")).press("Enter")
    page.get_by_label(re.compile("^Medicine")).fill("Amberol")
    page.get_by_role("button", name="Use", exact=True).press("Enter")
    expect(page.locator(".log .tool")).to_be_visible()
    all_well(page)
    page.get_by_role("button", name="한국어").press("Enter")
    expect(page.get_by_role("heading", name="내 역할: 간호사")).to_be_visible()
