"""A pytest plugin that reports the outcome of each of the reference's own tests.

The file named by HEADWATER_ROWS gets one JSON object a line: the test, its outcome (passes,
skipped or fails) and the error's text.

The plugin leaves the tests as they are, but for three things around them. The tests wait after
each write until the server's lag is zero; they ask for the lag once a second and sleep again
afterwards. The plugin lets them ask twenty times a second. They delete what they wrote in ten
processes at once; the plugin gives them threads. And the plugin names the actor of the requests
that carry the token, as the reference's front end does for people who have signed in, if
HEADWATER_ACTOR is set."""

import json
import os
import time

import joblib
import pytest
import requests

_said = {}


class _Quick:
    """The module time, whose sleep is short."""

    def __getattr__(self, name):
        return getattr(time, name)

    @staticmethod
    def sleep(seconds):
        time.sleep(min(seconds, 0.05))


def _name_actor():
    actor, token, send = os.environ.get("HEADWATER_ACTOR"), os.environ.get("DATAHUB_GMS_TOKEN"), requests.Session.send

    def named(self, request, **kwargs):
        if request.headers.get("Authorization") == f"Bearer {token}":
            request.headers.setdefault("X-DataHub-Actor", actor)
        return send(self, request, **kwargs)

    if actor:
        requests.Session.send = named


def pytest_collection_finish(session):
    from tests import consistency_utils

    consistency_utils.time = _Quick()
    joblib.parallel_config(backend="threading")
    _name_actor()


def _write(row):
    with open(os.environ["HEADWATER_ROWS"], "a") as out:
        out.write(json.dumps(row) + "\n")


def _line(text):
    """A text as one line, shortened."""
    return " ".join(text.split())[:600]


def pytest_collectreport(report):
    if report.failed:
        _write({"test": report.nodeid, "outcome": "fails", "when": "collect", "why": _line(str(report.longrepr)[-600:])})


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    report = (yield).get_result()
    row = _said.setdefault(item.nodeid, {"test": item.nodeid, "outcome": "passes", "when": "call", "why": "", "seconds": 0})
    row["seconds"] = round(row["seconds"] + call.duration, 2)
    if report.skipped and row["outcome"] == "passes":
        row.update(outcome="skipped", when=report.when, why=_line(str(call.excinfo.value) if call.excinfo else ""))
    elif report.failed and row["outcome"] != "fails":
        row.update(outcome="fails", when=report.when, why=_line(f"{call.excinfo.typename}: {call.excinfo.value}" if call.excinfo else ""))
    if report.when == "teardown":
        _write(_said.pop(item.nodeid))
