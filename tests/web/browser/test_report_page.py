"""A report on a phone: tables and pictures may scroll, the page itself does not."""

from __future__ import annotations

from playwright.sync_api import BrowserContext

from polyclinic.eval.charts import Bars
from polyclinic.eval.html import render_sections
from polyclinic.eval.sections import Figure, Section
from tests.web.browser.conftest import fits


def test_a_long_count_does_not_make_a_report_wider_than_a_phone(context: BrowserContext) -> None:
    page = context.new_page()
    chart = Bars(["intake"], {"full": [1.5]})
    figure = Figure("Mean drafts per answer", chart, n="full 120 answers, single 118 answers, plain 97 answers, each")
    page.set_content(render_sections("Counsel", [Section("Drafts", [figure])]))
    fits(page)
