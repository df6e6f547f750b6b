"""The client's searches: by filter, by name, and deletes by filter."""

from urllib.parse import quote

import datahub.emitter.mce_builder as builder
import pytest
import requests
from conftest import HEADERS, SERVER, emit, settle
from datahub.ingestion.graph.client import RemovedStatusFilter, SearchFilterRule
from datahub.metadata import schema_classes as models

PLATFORM = "clickhouse"
PROD = [builder.make_dataset_urn(PLATFORM, f"search.t{n}", "PROD") for n in range(5)]
DEV = builder.make_dataset_urn(PLATFORM, "search.t0", "DEV")
CHART = "urn:li:chart:(clickhouse,search1)"


@pytest.fixture(scope="module")
def shop(graph):
    for urn in [*PROD, DEV]:
        emit(graph, urn, models.DatasetPropertiesClass(description="to be found", customProperties={"tier": urn[-8:-6]}))
        emit(graph, urn, models.StatusClass(removed=False))
    stamp = models.AuditStampClass(time=0, actor="urn:li:corpuser:ada")
    emit(graph, CHART, models.ChartInfoClass(title="Found", description="", lastModified=models.ChangeAuditStampsClass(stamp, stamp)))
    emit(graph, "urn:li:domain:abc-1", models.DomainPropertiesClass(name="Search Team", description=""))
    emit(graph, "urn:li:domain:abc-2", models.DomainPropertiesClass(name="Search Team Two", description=""))
    settle()


def test_urns_by_filter(graph, shop):
    def found(**filters):
        return sorted(graph.get_urns_by_filter(**filters))

    assert found(platform=PLATFORM) == sorted([*PROD, DEV, CHART])
    assert found(platform=PLATFORM, entity_types=["dataset"]) == sorted([*PROD, DEV])
    assert found(platform=PLATFORM, entity_types=["dataset"], env="DEV") == [DEV]
    assert found(platform=PLATFORM, env="PROD", batch_size=2) == sorted(PROD)
    assert found(entity_types=["chart"], platform=PLATFORM) == [CHART]
    assert found(entity_types=["dataset"], query="search.t3") == [PROD[3]]
    assert found(platform="nothing") == []
    rule: SearchFilterRule = {"field": "urn", "condition": "EQUAL", "value": PROD[1]}
    assert found(entity_types=["dataset"], extraFilters=[rule]) == [PROD[1]]


def test_removed_status(graph, shop):
    emit(graph, PROD[4], models.StatusClass(removed=True))
    settle()
    try:
        filters = {"platform": PLATFORM, "entity_types": ["dataset"], "env": "PROD"}
        assert sorted(graph.get_urns_by_filter(**filters)) == sorted(PROD[:4])
        assert list(graph.get_urns_by_filter(**filters, status=RemovedStatusFilter.ONLY_SOFT_DELETED)) == [PROD[4]]
    finally:
        emit(graph, PROD[4], models.StatusClass(removed=False))
        settle()


def test_domain_by_name(graph, shop):
    assert graph.get_domain_urn_by_name("Search Team") == "urn:li:domain:abc-1"
    assert graph.get_domain_urn_by_name("search team") is None
    assert graph.get_domain_urn_by_name("Nobody") is None


def test_search_results(graph, shop):
    results = graph.get_search_results(entity="domain", count=10)
    assert results["value"]["numEntities"] == len(results["value"]["entities"])
    assert {"urn:li:domain:abc-1", "urn:li:domain:abc-2"} <= {hit["entity"] for hit in results["value"]["entities"]}


def test_delete_by_filter(graph, datahub, shop):
    arguments = ["delete", "--platform", PLATFORM, "--env", "DEV", "--entity-type", "dataset"]
    report = datahub(*arguments, "--dry-run", "--force")
    assert DEV in report
    assert not removed(DEV)
    datahub(*arguments, "--soft", "--force")
    assert removed(DEV)
    settle()
    assert sorted(graph.get_urns_by_filter(platform=PLATFORM, entity_types=["dataset"])) == sorted(PROD)


def removed(urn: str) -> bool:
    answer = requests.get(f"{SERVER}/entitiesV2/{quote(urn, safe='')}", headers={"X-RestLi-Protocol-Version": "2.0.0", **HEADERS}, timeout=10)
    return answer.json()["aspects"].get("status", {}).get("value", {}).get("removed", False)
