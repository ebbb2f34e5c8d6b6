"""From a figure to the line behind it, and a supervisor who takes over while a message arrives."""

from __future__ import annotations

import re

from playwright.sync_api import BrowserContext, Page, expect

from tests.web.browser.conftest import Server, all_well

COUNT_TONES = """() => {
  window.tones = 0;
  const make = AudioContext.prototype.createOscillator;
  AudioContext.prototype.createOscillator = function () {
    window.tones += 1;
    return make.call(this);
  };
}"""


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
    expect(page.get_by_role("heading", name="Libraries and norms")).to_be_visible()  # its code is loaded now
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


def test_a_supervisor_takes_over_while_a_message_arrives(page: Page, context: BrowserContext, server: Server) -> None:
    page.get_by_role("link", name="Desk", exact=True).click()
    expect(page.get_by_text("Nobody waits for a person.")).to_be_visible()
    page.evaluate(COUNT_TONES)
    page.get_by_role("button", name="Turn sound on").click()
    tones = page.evaluate("() => window.tones")
    visitor = context.new_page()
    visitor.goto(page.url)
    visitor.get_by_role("button", name="Open a conversation").click()
    words = visitor.get_by_label("What you say")
    words.fill("I am going to kill myself tonight.")
    words.press("Enter")
    expect(visitor.locator("article").last).to_contain_text("emergency")
    expect(page.get_by_role("alert")).to_contain_text("waiting for a person now")
    expect(page).to_have_title(re.compile(r"^\(1\)"))
    page.wait_for_function("before => window.tones > before", arg=tones)
    page.get_by_role("link", name="Look", exact=True).first.click()
    page.get_by_label("Your name").fill("Kim")
    words.fill("Is anybody there?")
    words.press("Enter")
    page.get_by_role("button", name="Take over").click()
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


def test_a_run_is_stopped_resumed_and_killed_and_shows_its_progress(page: Page, server: Server) -> None:
    made = page.request.post(f"{server.url}/api/runs", data={"clinic": "rounds", "scenarios": "40"})
    assert made.status == 201, made.text()
    page.goto(f"{server.url}/runs/{made.json()['id']}")
    far = page.get_by_role("progressbar")
    stop, resume = page.get_by_role("button", name="Stop"), page.get_by_role("button", name="Go on", exact=True)
    expect(far).to_be_visible()
    expect(page.get_by_text(re.compile("^about .* to go$"))).to_be_visible()
    stop.click()
    expect(resume).to_be_visible()
    before = page.request.get(f"{server.url}/api/runs/{made.json()['id']}").json()["left"]
    assert before > 0
    resume.click()
    expect(stop).to_be_visible()
    server.kill()
    server.start()
    page.reload()
    expect(resume).to_be_visible()
    left = page.request.get(f"{server.url}/api/runs/{made.json()['id']}").json()["left"]
    assert 0 < left <= before, "what had ended before the kill is not played again"
    resume.click()
    expect(stop).to_be_visible()
    stop.click()
    expect(resume).to_be_visible()


def test_what_the_server_refuses_is_in_the_language_of_the_page(context: BrowserContext, server: Server) -> None:
    page = context.new_page()
    page.goto(server.entry)
    page.get_by_role("button", name="한국어").click()
    page.goto(f"{server.url}/join?code=NO0001")
    page.get_by_label("이름").fill("Ada")
    page.get_by_role("button", name="참여하기", exact=True).click()
    expect(page.get_by_role("alert")).to_have_text("이 코드에 해당하는 것이 없습니다. 코드를 준 사람에게 확인하세요")
    page.get_by_role("button", name="English").click()
    expect(page.get_by_role("alert")).to_contain_text("nothing has this code")
    page.get_by_role("button", name="한국어").click()
    page.goto(f"{server.url}/runs/demo-nowhere")
    expect(page.get_by_role("alert")).to_contain_text("‘demo-nowhere’: 이런 이름의 실행이(가) 없습니다.")
