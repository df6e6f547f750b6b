"""The client's GraphQL: operations, assertions and the circuit breakers built
on them. Each of them reads the whole schema first and checks its own queries
against it."""

import time
from datetime import timedelta

import datahub.emitter.mce_builder as builder
import pytest
from conftest import SERVER, TOKEN
from datahub.api.circuit_breaker import (
    AssertionCircuitBreaker,
    AssertionCircuitBreakerConfig,
    OperationCircuitBreaker,
    OperationCircuitBreakerConfig,
)
from datahub.api.graphql.assertion import Assertion
from datahub.api.graphql.operation import Operation
from datahub.emitter.mcp import MetadataChangeProposalWrapper
from datahub.metadata import schema_classes as models
from gql.transport.exceptions import TransportQueryError

LOADED = builder.make_dataset_urn("hive", "graphql.loaded", "PROD")
UNTOUCHED = builder.make_dataset_urn("hive", "graphql.untouched", "PROD")
UNKNOWN = builder.make_dataset_urn("hive", "graphql.unknown", "PROD")
ASSERTION = "urn:li:assertion:graphql-rows"


def emit(graph, urn, aspect):
    graph.emit_mcp(MetadataChangeProposalWrapper(entityUrn=urn, aspect=aspect))


def run_event(graph, millis, outcome):
    event = models.AssertionRunEventClass(
        timestampMillis=millis,
        runId=f"run-{millis}",
        assertionUrn=ASSERTION,
        asserteeUrn=LOADED,
        status=models.AssertionRunStatusClass.COMPLETE,
        result=models.AssertionResultClass(type=outcome, rowCount=7, actualAggValue=1.5, externalUrl="https://example.com"),
        partitionSpec=models.PartitionSpecClass(
            type=models.PartitionTypeClass.PARTITION,
            partition="d=1",
            timePartition=models.TimeWindowClass(
                startTimeMillis=millis, length=models.TimeWindowSizeClass(unit=models.CalendarIntervalClass.DAY, multiple=2)
            ),
        ),
    )
    emit(graph, ASSERTION, event)


@pytest.fixture(scope="module")
def shop(graph):
    for urn in (LOADED, UNTOUCHED):
        emit(graph, urn, models.DatasetPropertiesClass(description="for GraphQL"))
    emit(
        graph,
        ASSERTION,
        models.AssertionInfoClass(
            type=models.AssertionTypeClass.DATASET,
            datasetAssertion=models.DatasetAssertionInfoClass(
                dataset=LOADED, scope=models.DatasetAssertionScopeClass.DATASET_ROWS, operator=models.AssertionStdOperatorClass.NOT_NULL
            ),
        ),
    )


def test_operations(shop):
    api = Operation(datahub_host=SERVER, datahub_token=TOKEN)
    assert api.report_operation(LOADED, operation_type="INSERT", partition="d=1", num_affected_rows=12) == "true"
    time.sleep(0.01)
    assert api.report_operation(LOADED, operation_type="DELETE", source_type="DATA_PLATFORM") == "true"
    found = api.query_operations(LOADED)
    assert [o["operationType"] for o in found] == ["DELETE", "INSERT"]
    assert found[1]["partition"] == "d=1" and found[1]["numAffectedRows"] == 12 and found[1]["customProperties"] == []
    assert found[0]["lastUpdatedTimestamp"] == found[0]["timestampMillis"] > 1_600_000_000_000
    assert [o["operationType"] for o in api.query_operations(LOADED, limit=1)] == ["DELETE"]
    assert [o["operationType"] for o in api.query_operations(LOADED, operation_type="INSERT")] == ["INSERT"]
    assert [o["operationType"] for o in api.query_operations(LOADED, source_type="DATA_PLATFORM")] == ["DELETE"]
    assert [o["operationType"] for o in api.query_operations(LOADED, partition="d=1")] == ["INSERT"]
    assert api.query_operations(LOADED, start_time_millis=4_000_000_000_000) == []
    assert api.query_operations(UNTOUCHED) == [] and api.query_operations(UNKNOWN) == []
    with pytest.raises(TransportQueryError, match="does not exist"):
        api.report_operation(UNKNOWN)
    with pytest.raises(TransportQueryError, match="Invalid entity type"):
        api.report_operation(ASSERTION)


def test_operation_circuit_breaker(shop):
    breaker = OperationCircuitBreaker(OperationCircuitBreakerConfig(datahub_host=SERVER, datahub_token=TOKEN, time_delta=timedelta(hours=1)))
    assert breaker.is_circuit_breaker_active(urn=UNTOUCHED)
    Operation(datahub_host=SERVER, datahub_token=TOKEN).report_operation(LOADED)
    assert not breaker.is_circuit_breaker_active(urn=LOADED)


def test_assertions(graph, shop):
    now = int(time.time() * 1000)
    run_event(graph, now, "SUCCESS")
    run_event(graph, now + 1000, "FAILURE")
    found = Assertion(datahub_host=SERVER, datahub_token=TOKEN).query_assertion(LOADED, status="COMPLETE")
    assert len(found) == 1
    events = found[0]["runEvents"]
    assert (events["total"], events["succeeded"], events["failed"]) == (2, 1, 1)
    newest = events["runEvents"][0]
    assert newest["assertionUrn"] == ASSERTION and newest["timestampMillis"] == now + 1000
    assert newest["result"]["type"] == "FAILURE" and newest["result"]["rowCount"] == 7 and newest["result"]["actualAggValue"] == 1.5
    assert newest["partitionSpec"]["timePartition"]["durationMillis"] == 2 * 86_400_000
    assert Assertion(datahub_host=SERVER, datahub_token=TOKEN).query_assertion(LOADED, start_time_millis=now + 500)[0]["runEvents"]["total"] == 1
    assert Assertion(datahub_host=SERVER, datahub_token=TOKEN).query_assertion(UNTOUCHED) == []


def test_assertion_circuit_breaker(graph, shop):
    breaker = AssertionCircuitBreaker(
        AssertionCircuitBreakerConfig(datahub_host=SERVER, datahub_token=TOKEN, verify_after_last_update=False, time_delta=timedelta(days=1))
    )
    later = int(time.time() * 1000) + 10_000
    run_event(graph, later, "FAILURE")
    assert breaker.is_circuit_breaker_active(urn=LOADED)
    run_event(graph, later + 1, "SUCCESS")
    assert not breaker.is_circuit_breaker_active(urn=LOADED)


def test_own_queries(graph, shop):
    """What users write themselves: raised errors, answers with variables."""
    query = "query read($urn: String!) { dataset(urn: $urn) { properties { description } } }"
    assert graph.execute_graphql(query, variables={"urn": LOADED})["dataset"]["properties"]["description"] == "for GraphQL"
    with pytest.raises(Exception, match="FieldUndefined|Cannot query field"):
        graph.execute_graphql("{ raiseIncident }")
