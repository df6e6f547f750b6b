"""A pytest plugin that reports the tests that are rows of docs/clients.md.

Such a test has the mark check(group, text, client). If it has ends=TEXT too, the test shows
that the client fails by itself, and TEXT is the outcome. The file named by HEADWATER_CHECKS
gets one JSON object a line with the outcomes."""

import json
import os

import pytest


def pytest_configure(config):
    config.addinivalue_line("markers", "check(group, text, client, ends): a row of docs/clients.md")


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    report = (yield).get_result()
    row = item.get_closest_marker("check")
    if row is None or report.when != "call" and report.passed or "HEADWATER_CHECKS" not in os.environ:
        return
    group, text, client = row.args
    outcome, why = ("absent", "") if report.skipped else (row.kwargs.get("ends", "works"), "") if report.passed else ("fails", str(call.excinfo.value).strip().splitlines()[0][:200] if call.excinfo else "")
    with open(os.environ["HEADWATER_CHECKS"], "a") as out:
        out.write(json.dumps({"client": client, "group": group, "text": text, "outcome": outcome, "why": why}) + "\n")
