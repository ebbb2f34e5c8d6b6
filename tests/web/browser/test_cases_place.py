"""A case is written in a form with the linter beside it, survives kill -9, and is played at once."""

from __future__ import annotations

import re

from playwright.sync_api import Page, expect

from tests.web.browser.conftest import Server, all_well


def test_a_case_is_written_survives_kill_9_and_is_played_at_once(page: Page, server: Server) -> None:
    page.get_by_role("link", name="Cases", exact=True).click()
    expect(page.get_by_text("There are no cases of your own yet.")).to_be_visible()
    page.get_by_role("link", name=re.compile("Case ?, Medicine helpline")).click()
    linter = page.get_by_role("complementary", name="Linter")
    expect(linter).to_contain_text("It cannot be saved yet.")
    all_well(page)
    page.get_by_label("Begin from").select_option("call-01")
    expect(linter).to_contain_text("No problems found.")
    page.get_by_label("Id", exact=True).fill("tea-time")
    page.get_by_label(re.compile("^Tablets")).fill("99")
    expect(linter).to_contain_text("the usual dose exceeds most_a_day")
    server.kill()
    page.get_by_label(re.compile("^Tablets")).fill("1")
    page.get_by_label(re.compile("^Caller")).fill("Mina")
    server.start()
    page.reload()
    expect(page.get_by_text("What you had not saved is back.")).to_be_visible()
    expect(page.get_by_label(re.compile("^Caller"))).to_have_value("Mina")
    expect(linter).to_contain_text("No problems found.")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_text("Saved:")).to_be_visible()
    assert "Mina" in (server.folder / "cases" / "demo" / "tea-time.jsonl").read_text(encoding="utf-8")
    all_well(page)
    page.get_by_role("button", name="Save and try it").click()
    expect(page).to_have_url(re.compile("case=own%2Ftea-time"))
    expect(page.get_by_role("button", name=re.compile("Mina asks about"))).to_have_attribute("aria-pressed", "true")
    page.get_by_role("button", name="Begin", exact=True).click()
    expect(page.locator(".composer")).to_be_visible()


def test_a_shift_with_lists_can_be_changed_in_korean(page: Page) -> None:
    page.goto(page.url.split("?")[0].rstrip("/") + "/cases/duty/T2")
    page.get_by_label("Begin from").select_option("t2-01-chest-pain")
    expect(page.get_by_text("No problems found.")).to_be_visible()
    page.get_by_role("button", name="한국어").click()
    linter = page.get_by_role("complementary", name="검사기")
    expect(linter).to_contain_text("문제가 없습니다.")
    page.get_by_role("button", name="추가: 놓치면 안 되는 신호").click()
    expect(linter).to_contain_text("채워 주세요")
    page.get_by_role("button", name=re.compile("삭제: 놓치면 안 되는 신호 3")).click()
    expect(linter).to_contain_text("문제가 없습니다.")
    page.get_by_role("checkbox", name="행정 직원").first.uncheck()
    expect(linter).to_contain_text("nobody present knows the finding")
