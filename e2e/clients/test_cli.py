"""The command line."""

import json
import time

import pytest
from conftest import SERVER, check, dataset, emit, schema, settle
from datahub.metadata import schema_classes as models

CLI = "command line"


def row(text, since_1=False, ends="works"):
    return check(CLI, text, since_1, ends)


@row("put, get, exists")
def test_put_get(graph, datahub, tmp_path):
    value = tmp_path / "value.json"
    value.write_text(json.dumps({"tags": [{"tag": "urn:li:tag:put"}]}))
    datahub("put", "aspect", "--urn", dataset("put"), "-a", "globalTags", "-d", str(value))
    assert "true" in datahub("exists", "--urn", dataset("put")).lower()
    assert json.loads(datahub("get", "urn", "--urn", dataset("put"), "-a", "globalTags"))["globalTags"]["tags"][0]["tag"] == "urn:li:tag:put"
    assert "datasetKey" in json.loads(datahub("get", "urn", "--urn", dataset("put")))


@row("put platform")
def test_put_platform(graph, datahub):
    datahub("put", "platform", "--name", "checksplatform", "--display_name", "Checks", "--logo", "https://example.com/x.png")
    assert graph.get_aspect("urn:li:dataPlatform:checksplatform", models.DataPlatformInfoClass).displayName == "Checks"


@row("delete --urn, softly and --hard")
def test_delete(graph, datahub):
    for name in ("cli_soft", "cli_hard"):
        emit(graph, dataset(name), models.DatasetPropertiesClass(description="d"))
    settle()
    datahub("delete", "--urn", dataset("cli_soft"), "--force")
    assert graph.get_aspect(dataset("cli_soft"), models.StatusClass).removed
    datahub("delete", "--urn", dataset("cli_hard"), "--hard", "--force")
    assert not graph.exists(dataset("cli_hard"))


@row("delete by platform and type")
def test_delete_by_filter(graph, datahub):
    urns = [dataset(f"filter{n}", "checksdeleted") for n in range(3)]
    for urn in urns:
        emit(graph, urn, models.DatasetPropertiesClass(description="d"))
    settle()
    datahub("delete", "--platform", "checksdeleted", "--entity-type", "dataset", "--force")
    assert all(graph.get_aspect(urn, models.StatusClass).removed for urn in urns)


@row("delete undo-by-filter", since_1=True)
def test_undo(graph, datahub):
    emit(graph, dataset("undone", "checksundone"), models.StatusClass(removed=True))
    settle()
    datahub("delete", "undo-by-filter", "--platform", "checksundone", "--force")
    assert not graph.get_aspect(dataset("undone", "checksundone"), models.StatusClass).removed


@row("delete references")
def test_delete_references(graph, datahub):
    emit(graph, dataset("references"), models.GlobalTagsClass(tags=[models.TagAssociationClass("urn:li:tag:cligone")]))
    datahub("delete", "references", "--urn", "urn:li:tag:cligone", "--force")
    left = graph.get_tags(dataset("references"))
    assert left is None or left.tags == []


@row("timeline")
def test_timeline(graph, datahub):
    for text in ("first", "second"):
        emit(graph, dataset("timeline"), models.DatasetPropertiesClass(description=text))
    told = datahub("timeline", "--urn", dataset("timeline"), "-c", "documentation", "-c", "owner")
    assert "ADD DOCUMENTATION" in told and "MODIFY DOCUMENTATION" in told, told


@row("ingest list-runs, show, rollback")
def test_runs(graph, datahub, recipe, tmp_path):
    file = tmp_path / "records.json"
    file.write_text(json.dumps([{
        "entityType": "dataset", "entityUrn": dataset("by_recipe"), "changeType": "UPSERT", "aspectName": "datasetProperties", "aspect": {"json": {"description": "d"}},
    }]))
    recipe({"type": "file", "config": {"path": str(file)}}, run_id="checks-run")
    assert "checks-run" in datahub("ingest", "list-runs")
    assert "datasetProperties" in datahub("ingest", "show", "--run-id", "checks-run")
    datahub("ingest", "rollback", "--run-id", "checks-run", "--nuke", "--force")
    assert not graph.exists(dataset("by_recipe"))


@row("ingest mcps")
def test_mcps(graph, datahub, tmp_path):
    file = tmp_path / "mcps.json"
    file.write_text(json.dumps([{
        "entityType": "dataset", "entityUrn": dataset("mcps"), "changeType": "UPSERT", "aspectName": "datasetProperties",
        "aspect": {"json": {"description": "d", "customProperties": {}, "tags": []}},
    }]))
    datahub("ingest", "mcps", str(file))
    assert graph.get_aspect(dataset("mcps"), models.DatasetPropertiesClass).description == "d"


@row("user upsert")
def test_user(graph, datahub, tmp_path):
    file = tmp_path / "user.yaml"
    file.write_text("- id: checks.grace\n  display_name: Grace\n  email: grace@example.com\n  groups: [checks.team]\n")
    datahub("user", "upsert", "-f", str(file))
    assert graph.get_aspect("urn:li:corpuser:checks.grace", models.GroupMembershipClass).groups == ["urn:li:corpGroup:checks.team"]


@row("group upsert")
def test_group(graph, datahub, tmp_path):
    file = tmp_path / "group.yaml"
    file.write_text("id: checks.owners\ndisplay_name: The owners\nemail: owners@example.com\nowners: [checks.ada]\nmembers: [checks.bob]\n")
    datahub("group", "upsert", "-f", str(file))
    assert graph.get_aspect("urn:li:corpGroup:checks.owners", models.CorpGroupInfoClass).displayName == "The owners"
    assert graph.get_aspect("urn:li:corpuser:checks.bob", models.GroupMembershipClass).groups == ["urn:li:corpGroup:checks.owners"]


@row("dataproduct upsert, add_owner, get, delete")
def test_dataproduct(graph, datahub, tmp_path):
    emit(graph, dataset("asset"), models.StatusClass(removed=False))
    emit(graph, "urn:li:domain:checks", models.DomainPropertiesClass(name="Checks", description=""))
    file = tmp_path / "product.yaml"
    file.write_text(f"id: checks_product\ndomain: urn:li:domain:checks\ndisplay_name: The product\ndescription: What it is\nassets:\n  - {dataset('asset')}\n"
                    "owners:\n  - {id: checks.grace, type: BUSINESS_OWNER}\nproperties: {tier: gold}\n")
    urn = "urn:li:dataProduct:checks_product"
    datahub("dataproduct", "upsert", "-f", str(file))
    datahub("dataproduct", "add_owner", "--urn", urn, "--owner", "checks.alan", "--owner-type", "TECHNICAL_OWNER")
    assert [a.destinationUrn for a in graph.get_aspect(urn, models.DataProductPropertiesClass).assets] == [dataset("asset")]
    assert len(graph.get_ownership(urn).owners) == 2
    assert "What it is" in datahub("dataproduct", "get", "--urn", urn)
    datahub("dataproduct", "delete", "--urn", urn, "--hard")
    assert not graph.exists(urn)


@row("dataset upsert, get", since_1=True)
def test_dataset(graph, datahub, tmp_path):
    file = tmp_path / "dataset.yaml"
    file.write_text("- id: checks.by_file\n  platform: hive\n  env: PROD\n  description: By a file\n  properties: {tier: gold}\n  schema:\n    fields:\n      - {id: a, type: string}\n")
    datahub("dataset", "upsert", "-f", str(file))
    assert graph.get_aspect(dataset("by_file"), models.DatasetPropertiesClass).description == "By a file"
    assert "By a file" in datahub("dataset", "get", "--urn", dataset("by_file"))


@row("properties upsert, get, list", since_1=True)
def test_properties(graph, datahub, tmp_path):
    file = tmp_path / "properties.yaml"
    file.write_text("- id: io.checks.retention\n  type: number\n  display_name: Retention\n  entity_types: [dataset]\n  cardinality: SINGLE\n  allowed_values:\n    - {value: 30}\n    - {value: 90}\n")
    datahub("properties", "upsert", "-f", str(file))
    settle()
    assert "Retention" in datahub("properties", "get", "--urn", "urn:li:structuredProperty:io.checks.retention")
    assert "io.checks.retention" in datahub("properties", "list")


@row("assertions upsert", since_1=True)
def test_assertions(graph, datahub, tmp_path):
    file = tmp_path / "assertions.yaml"
    file.write_text(f"version: 1\nassertions:\n  - entity: {dataset('asserted')}\n    type: freshness\n    lookback_interval: 6h\n    last_modified_field: updated\n    schedule: {{type: interval, interval: 6h}}\n")
    datahub("assertions", "upsert", "-f", str(file))
    assert list(graph.get_related_entities(dataset("asserted"), ["Asserts"], graph.RelationshipDirection.INCOMING))


@row("search", since_1=True)
def test_search(graph, datahub):
    emit(graph, dataset("clisearch"), models.DatasetPropertiesClass(name="clisearchable", description="d"))
    settle()
    assert dataset("clisearch") in datahub("search", "clisearchable", "--urns-only")
    found = json.loads(datahub("search", "query", "clisearchable", "--limit", "5", "--format", "json"))
    assert dataset("clisearch") in json.dumps(found)


def edge(graph, name):
    up, down = dataset(name + "_up"), dataset(name + "_down")
    emit(graph, up, schema("a"))
    emit(graph, down, schema("a"), models.UpstreamLineageClass(
        upstreams=[models.UpstreamClass(dataset=up, type="TRANSFORMED")],
        fineGrainedLineages=[models.FineGrainedLineageClass(
            upstreamType="FIELD_SET", downstreamType="FIELD", upstreams=[f"urn:li:schemaField:({up},a)"], downstreams=[f"urn:li:schemaField:({down},a)"])],
    ))
    settle()
    return up, down


@row("lineage", since_1=True)
def test_lineage(graph, datahub):
    up, down = edge(graph, "cli")
    assert up in datahub("lineage", "--urn", down, "--direction", "upstream", "--format", "json")
    assert down in datahub("lineage", "--urn", up, "--direction", "downstream", "--hops", "1", "--format", "json")


@row("lineage --column, from dataset to dataset", since_1=True)
def test_column_lineage(graph, datahub):
    up, down = edge(graph, "clicolumn")
    assert up in datahub("lineage", "--urn", down, "--column", "a", "--direction", "upstream", "--format", "json")


@row("lineage --column of a column that a chart reads", since_1=True, ends="ends with an error of the client, which takes the chart for a dataset")
def test_column_lineage_to_chart(graph, datahub):
    read, chart = dataset("clichart"), "urn:li:chart:(looker,clichart)"
    emit(graph, read, schema("a"))
    field = schema("a").fields[0]
    emit(graph, chart, models.ChartInfoClass(title="c", description="", lastModified=models.ChangeAuditStampsClass(), inputs=[read]),
         models.InputFieldsClass(fields=[models.InputFieldClass(schemaFieldUrn=f"urn:li:schemaField:({read},a)", schemaField=field)]))
    settle()
    assert chart in datahub("lineage", "--urn", read, "--direction", "downstream", "--format", "json")
    with pytest.raises(AssertionError, match="an urn of type chart to the from_string method of DatasetUrn"):
        datahub("lineage", "--urn", read, "--column", "a", "--direction", "downstream", "--format", "json")


@row("lineage path", since_1=True)
def test_lineage_path(graph, datahub):
    up, down = edge(graph, "clipath")
    assert down in datahub("lineage", "path", "--from", up, "--to", down, "--format", "json")


@row("graphql: a query, the list of operations", since_1=True)
def test_graphql(graph, datahub):
    emit(graph, dataset("graphql"), models.DatasetPropertiesClass(name="bygraphql", description="d"))
    told = datahub("graphql", "--query", "query q($urn: String!) { dataset(urn: $urn) { properties { name } } }", "--variables", json.dumps({"urn": dataset("graphql")}), "--format", "json")
    assert "bygraphql" in told
    assert "searchAcrossEntities" in datahub("graphql", "--list-operations", "--format", "json")


@row("ingest deploy with a schedule, list-source-runs", since_1=True)
def test_deploy(graph, datahub, tmp_path):
    file = tmp_path / "recipe.yml"
    file.write_text("source:\n  type: postgres\n  config:\n    password: ${DEPLOYED_PASSWORD}\n")
    datahub("ingest", "deploy", "--name", "Deployed", "-c", str(file), "--schedule", "15 3 * * *", "--time-zone", "Europe/Berlin", "--cli-version", "1.7.0", "--extra-pip", '["pandas"]')
    settle()
    found = graph.execute_graphql(
        """query q($input: ListIngestionSourcesInput!) { listIngestionSources(input: $input) { ingestionSources {
            urn name type nextRun schedule { interval timezone } config { recipe executorId version debugMode extraArgs { key value } } } } }""",
        variables={"input": {"filters": [{"field": "name", "values": ["Deployed"]}]}},
    )["listIngestionSources"]["ingestionSources"]
    assert len(found) == 1
    source = found[0]
    assert source["type"] == "postgres"
    assert source["schedule"] == {"interval": "15 3 * * *", "timezone": "Europe/Berlin"}
    assert source["nextRun"] > time.time() * 1000
    assert json.loads(source["config"]["recipe"]) == {"source": {"type": "postgres", "config": {"password": "${DEPLOYED_PASSWORD}"}}}
    assert source["config"]["version"] == "1.7.0"
    assert source["config"]["extraArgs"] == [{"key": "extra_pip_requirements", "value": '["pandas"]'}]
    run = graph.execute_graphql("mutation r($urn: String!) { createIngestionExecutionRequest(input: {ingestionSourceUrn: $urn}) }", variables={"urn": source["urn"]})["createIngestionExecutionRequest"]
    settle()
    assert run.split(":")[-1] in datahub("ingest", "list-source-runs", "0", "100", "--urn", source["urn"])
    datahub("ingest", "deploy", "--name", "Deployed", "-c", str(file))
    again = graph.execute_graphql("query q($urn: String!) { ingestionSource(urn: $urn) { schedule { interval } nextRun } }", variables={"urn": source["urn"]})
    assert again["ingestionSource"] == {"schedule": None, "nextRun": None}
    datahub("ingest", "deploy", "--name", "Deployed", "-c", str(file), "--schedule", "3 * * *", ok=False)
    kept = graph.execute_graphql("query q($urn: String!) { ingestionSource(urn: $urn) { schedule { interval } } }", variables={"urn": source["urn"]})
    assert kept["ingestionSource"] == {"schedule": None}


@row("container tag", since_1=True)
def test_container(graph, datahub):
    container = "urn:li:container:checks"
    emit(graph, container, models.ContainerPropertiesClass(name="Checks"))
    path = models.BrowsePathsV2Class(path=[models.BrowsePathEntryClass(id=container, urn=container)])
    emit(graph, dataset("contained"), models.ContainerClass(container=container), path)
    settle()
    datahub("container", "tag", "--container-urn", container, "--tag-urn", "urn:li:tag:contained")
    assert [t.tag for t in graph.get_tags(dataset("contained")).tags] == ["urn:li:tag:contained"]


@row("check metadata-file")
def test_check_file(datahub, tmp_path):
    file = tmp_path / "good.json"
    file.write_text(json.dumps([{
        "entityType": "dataset", "entityUrn": dataset("checked"), "changeType": "UPSERT", "aspectName": "datasetProperties",
        "aspect": {"json": {"description": "x", "customProperties": {}, "tags": []}},
    }]))
    assert "all valid" in datahub("check", "metadata-file", str(file))


@row("check get-kafka-consumer-offsets", since_1=True)
def test_offsets(datahub):
    assert "search-index" in datahub("check", "get-kafka-consumer-offsets")
