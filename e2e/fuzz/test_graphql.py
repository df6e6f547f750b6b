"""Sends generated GraphQL requests for every operation: whatever they say, the
answer has the interface's envelope, and no failure is the server's."""

import os
import random
import re

import pytest
import requests
import schemathesis
from hypothesis import HealthCheck, settings

SERVER = os.environ["HEADWATER_URL"]
EXAMPLES = int(os.environ.get("HEADWATER_FUZZ_EXAMPLES", "25"))
URL = SERVER + "/api/graphql"
# With a token, the requests are those of somebody who may not do everything.
TOKEN = os.environ.get("HEADWATER_FUZZ_TOKEN")
HEADERS = {"Authorization": "Bearer " + TOKEN} if TOKEN else {}
CODES = (400, 403, 404, 409) if TOKEN else (400, 404, 409)
schema = schemathesis.graphql.from_url(URL, headers=HEADERS)

# The generator knows nothing of URNs: most of the texts in their place become
# URNs of the sample catalog, of other things, or almost URNs.
URN_ARGUMENT = re.compile(r'(\b\w*(?:[uU]rns?|owner|tag|author|parentNode)\s*:\s*\[?)"(?:[^"\\]|\\.)*"')


def known_urns():
    query = '{ searchAcrossEntities(input: {query: "*", count: 500}) { searchResults { entity { urn } } } }'
    found = requests.post(URL, json={"query": query}, headers=HEADERS, timeout=60).json()["data"]["searchAcrossEntities"]["searchResults"]
    return [f["entity"]["urn"] for f in found]


URNS = known_urns()
STRANGE = ["urn:li:dataset:(a,b", "urn:li:tag:\\u0000", "urn:li:corpuser:nobody", "urn:li:chart:(,)", "urn:example:tag:x", "urn:li:schemaField:(urn:li:tag:a,b)"]


def with_urns(text: str) -> str:
    dice = random.Random(text)

    def replace(found):
        if dice.random() < 0.1:
            return found.group(0)
        urn = dice.choice(URNS) if dice.random() < 0.85 else dice.choice(STRANGE)
        return f'{found.group(1)}"{urn}"'

    return URN_ARGUMENT.sub(replace, text)


@pytest.fixture(scope="session", autouse=True)
def sample():
    assert len(URNS) > 100, "the server must hold the sample catalog"


@schema.parametrize()
@settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True, database=None)
def test_envelope(case):
    query = with_urns(case.body)
    response = requests.post(URL, json={"query": query}, headers=HEADERS, timeout=60)
    told = f"{query}\n{response.status_code} {response.text[:2000]}"
    assert response.status_code == 200, told
    answer = response.json()
    assert set(answer) - {"errors"} == {"data", "extensions"} and set(answer["extensions"]) <= {"warnings"}, told
    assert "errors" not in answer or list(answer)[0] == "errors", told
    for error in answer.get("errors", []):
        assert error["message"] and error["extensions"]["code"] in CODES, told
        assert error["extensions"]["type"] and error["extensions"]["classification"], told
