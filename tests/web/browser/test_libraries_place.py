"""What was learned, the prompt it changed, and a rollback with a reason, while the server is killed."""

from __future__ import annotations

import re

from playwright.sync_api import Page, expect

from tests.web.browser.conftest import Server, all_well


def test_a_library_shows_what_it_changed_and_is_rolled_back_with_a_reason(page: Page, server: Server) -> None:
    made = page.request.post(
        f"{server.url}/api/runs",
        data={"clinic": "demo", "variants": ["taught"], "scenarios": "series:14"},
    )
    assert made.status == 201
    page.goto(f"{server.url}/runs/{made.json()['id']}")
    expect(page.get_by_role("link", name=re.compile("Episodes behind dose, taught"))).to_be_visible()
    page.get_by_role("link", name="Libraries and norms", exact=True).click()
    page.locator("summary", has_text=re.compile("Norms$")).click()
    expect(page.get_by_role("table", name="Norms of the house")).to_be_visible()
    all_well(page)
    page.get_by_role("link", name=re.compile(r"\.phrases")).click()
    page.get_by_text("How it changed a prompt").first.click()
    expect(page.locator(".diff .plus").first).to_be_visible()
    all_well(page)
    page.get_by_label("Name").fill("mine")
    server.kill()
    server.start()
    page.get_by_role("button", name="Keep it under a name").click()
    expect(page.get_by_role("heading", name="mine.phrases")).to_be_visible()
    page.get_by_role("button", name=re.compile("^Back to version 1$")).click()
    page.get_by_label("Why does it go back?").fill("callers were confused")
    page.locator("form").get_by_role("button", name="Back to version 1").click()
    expect(page.get_by_text("The history is kept.")).to_be_visible()
    expect(page.get_by_text("callers were confused").first).to_be_visible()
    expect(page.locator("#entries")).to_contain_text("1")
    page.get_by_role("button", name="한국어").click()
    expect(page.get_by_role("heading", name="변경 기록")).to_be_visible()
    page.get_by_role("link", name=re.compile("^call-")).first.click()
    expect(page.get_by_role("log").or_(page.locator("article")).first).to_be_visible()
