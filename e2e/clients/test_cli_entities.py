"""The command line: structured properties, forms, data contracts, data products, assertions."""

import json

from conftest import check, dataset, emit, schema, settle
from datahub.metadata import schema_classes as models


def row(text, since_1=False):
    return check("command line", text, since_1)


def upsert(datahub, tmp_path, group, text):
    file = tmp_path / f"{group}.yaml"
    file.write_text(text)
    return datahub(group, "upsert", "-f", str(file))


def printed(text):
    """The JSON object that a command printed, without the lines around it."""
    return json.JSONDecoder().raw_decode(text[text.index("{"):])[0]


PROPERTY = "- id: {id}\n  type: string\n  display_name: {name}\n  entity_types: [dataset, schemaField]\n  cardinality: MULTIPLE\n"


@row("properties of URNs; get and list --to-file", since_1=True)
def test_properties_to_file(graph, datahub, tmp_path):
    urn = "urn:li:structuredProperty:io.checks.steward"
    upsert(datahub, tmp_path, "properties", "- id: io.checks.steward\n  type: urn\n  type_qualifier: {allowed_types: [corpuser]}\n  entity_types: [dataset]\n  cardinality: MULTIPLE\n")
    settle()
    assert graph.get_aspect(urn, models.StructuredPropertyDefinitionClass).typeQualifier == {"allowedTypes": ["urn:li:entityType:datahub.corpuser"]}
    one, all_, urns = tmp_path / "one.yaml", tmp_path / "all.yaml", tmp_path / "urns.txt"
    datahub("properties", "get", "--urn", urn, "--to-file", str(one))
    datahub("properties", "list", "--to-file", str(all_))
    datahub("properties", "list", "--no-details", "--to-file", str(urns))
    assert all("io.checks.steward" in file.read_text() for file in (one, all_, urns))
    datahub("properties", "list", "--to-file", str(all_))  # updates the file
    assert all_.read_text().count("qualified_name: io.checks.steward") == 1, all_.read_text()


@row("forms upsert, with owners, actors, entities and filters; get, --to-file", since_1=True)
def test_forms(graph, datahub, tmp_path):
    emit(graph, dataset("formed"), models.StatusClass(removed=False))
    upsert(datahub, tmp_path, "properties", PROPERTY.format(id="io.checks.reviewed", name="Reviewed"))
    upsert(datahub, tmp_path, "forms", f"""
- id: checks.review
  name: The review
  description: What must be known
  type: VERIFICATION
  prompts:
    - {{id: who, title: Who reviewed it, type: STRUCTURED_PROPERTY, structured_property_id: io.checks.reviewed, required: true}}
    - {{id: columns, title: Which columns, type: FIELDS_STRUCTURED_PROPERTY, structured_property_id: io.checks.reviewed}}
  owners: [checks.grace]
  group_owners: [checks.team]
  actors: {{owners: true, users: [checks.ada], groups: [checks.team]}}
  entities:
    urns: [{dataset('formed')!r}]
    filters:
      types: [dataset]
      platforms: [hive]
      domains: [checks]
      tags: [pii]
""")
    urn = "urn:li:form:checks.review"
    info = graph.get_aspect(urn, models.FormInfoClass)
    assert [p.id for p in info.prompts] == ["who", "columns"] and info.actors.users == ["urn:li:corpuser:checks.ada"]
    assert len(graph.get_ownership(urn).owners) == 2
    form = graph.get_aspect(dataset("formed"), models.FormsClass).incompleteForms[0]
    assert form.urn == urn and [p.id for p in form.incompletePrompts] == ["who", "columns"]
    wanted = graph.get_aspect(urn, models.DynamicFormAssignmentClass).filter
    assert [c.field for c in wanted.or_[0].and_] == ["_entityType", "platform.keyword", "domains.keyword", "tags.keyword"]
    file = tmp_path / "form.yaml"
    told = printed(datahub("forms", "get", "--urn", urn, "--to-file", str(file)))
    assert told["name"] == "The review" and told["prompts"][0]["structured_property_urn"] == "urn:li:structuredProperty:io.checks.reviewed"
    assert "checks.review" in file.read_text()
    assert "does not exist" in datahub("forms", "get", "--urn", "urn:li:form:checks.nothing")


CONTRACT = """
version: 1
entity: {entity}
{properties}
schema: {{type: json-schema, json-schema: {{type: object, properties: {{id: {{type: string}}}}, required: [id]}}}}
freshness: {{type: cron, cron: "0 * * * *", timezone: UTC}}
data_quality:
  - {{type: unique, column: id}}
  - {{type: custom_sql, sql: "SELECT count(*) FROM t", operator: {{type: greater_than, value: 100}}}}
"""


@row("datacontract upsert, delete by file and by URN, --soft and --hard", since_1=True)
def test_datacontract(graph, datahub, tmp_path):
    emit(graph, dataset("agreed"), schema("id"))
    file = tmp_path / "datacontract.yaml"
    file.write_text(CONTRACT.format(entity=dataset("agreed"), properties=""))
    assert "Update succeeded" in datahub("datacontract", "upsert", "-f", str(file))
    settle()
    # The dataset leads to the contract, and both to the assertions.
    (contract,) = [e.urn for e in graph.get_related_entities(dataset("agreed"), ["ContractFor"], graph.RelationshipDirection.INCOMING)]
    properties = graph.get_aspect(contract, models.DataContractPropertiesClass)
    assert len(properties.schema) == len(properties.freshness) == 1 and len(properties.dataQuality) == 2
    assert graph.get_aspect(contract, models.DataContractStatusClass).state == "PENDING"
    asserted = {e.urn for e in graph.get_related_entities(dataset("agreed"), ["Asserts"], graph.RelationshipDirection.INCOMING)}
    assert asserted == {a.assertion for a in properties.schema + properties.freshness + properties.dataQuality}
    datahub("datacontract", "delete", "-f", str(file))
    assert graph.get_aspect(contract, models.StatusClass).removed
    datahub("datacontract", "delete", "--urn", contract, "--hard")
    assert not graph.exists(contract)
    file.write_text(CONTRACT.format(entity=dataset("never_written"), properties=""))
    assert "Update succeeded" not in datahub("datacontract", "upsert", "-f", str(file), ok=False)


@row("datacontract with structured properties", since_1=True)
def test_datacontract_properties(graph, datahub, tmp_path):
    emit(graph, dataset("agreed_more"), schema("id"))
    upsert(datahub, tmp_path, "properties", "- id: io.checks.contract\n  type: string\n  entity_types: [dataContract]\n")
    told = upsert(datahub, tmp_path, "datacontract", CONTRACT.format(entity=dataset("agreed_more"), properties="properties: {io.checks.contract: signed}"))
    assert "Update succeeded" in told, told
    (contract,) = [e.urn for e in graph.get_related_entities(dataset("agreed_more"), ["ContractFor"], graph.RelationshipDirection.INCOMING)]
    assert graph.get_aspect(contract, models.StructuredPropertiesClass).properties[0].values == ["signed"]


@row("dataproduct update, diff, set_description, remove_owner, add_asset, remove_asset, get --to-file")
def test_dataproduct(graph, datahub, tmp_path):
    urn, assets = "urn:li:dataProduct:checks_more", [dataset("offered"), dataset("offered_too")]
    for asset in assets:
        emit(graph, asset, models.StatusClass(removed=False))
    emit(graph, "urn:li:domain:checks", models.DomainPropertiesClass(name="Checks", description=""))
    file = tmp_path / "product.yaml"
    describe = "id: checks_more\ndomain: urn:li:domain:checks\ndisplay_name: {name}\ndescription: What it is\nassets:\n  - {asset}\nowners:\n  - {{id: checks.grace, type: BUSINESS_OWNER}}\n"
    file.write_text(describe.format(name="One", asset=assets[0]))
    datahub("dataproduct", "update", "-f", str(file), "--external-url", "https://example.com/product")
    properties = lambda: graph.get_aspect(urn, models.DataProductPropertiesClass)  # noqa: E731
    assert properties().name == "One" and properties().externalUrl == "https://example.com/product"
    file.write_text(describe.format(name="Two", asset=assets[0]))
    datahub("dataproduct", "upsert", "-f", str(file))
    assert properties().name == "Two"
    datahub("dataproduct", "set_description", "--urn", urn, "--description", "Now that")
    assert properties().description == "Now that"
    assert "Update needed" in datahub("dataproduct", "diff", "-f", str(file))
    datahub("dataproduct", "add_asset", "--urn", urn, "--asset", assets[1])
    assert {a.destinationUrn for a in properties().assets} == set(assets)
    datahub("dataproduct", "remove_asset", "--urn", urn, "--asset", assets[0])
    assert [a.destinationUrn for a in properties().assets] == [assets[1]]
    datahub("dataproduct", "remove_owner", "--urn", urn, "checks.grace")
    assert graph.get_ownership(urn).owners == []
    told = tmp_path / "told.yaml"
    datahub("dataproduct", "get", "--urn", urn, "--to-file", str(told))
    assert "Now that" in told.read_text()
    datahub("dataproduct", "delete", "--urn", urn)
    assert graph.get_aspect(urn, models.StatusClass).removed


@row("assertions upsert of each kind", since_1=True)
def test_assertion_kinds(graph, datahub, tmp_path):
    about = dataset("asserted_more")
    emit(graph, about, schema("id", "amount"))
    kinds = {
        "freshness": "lookback_interval: 6h\n    last_modified_field: updated\n    schedule: {type: interval, interval: 6h}",
        "volume": "metric: row_count\n    condition: {type: between, min: 10, max: 20}\n    schedule: {type: on_table_change}",
        "sql": "statement: SELECT 1\n    condition: {type: less_than_or_equal_to, value: 100}\n    schedule: {type: interval, interval: 6h}",
        "field": "field: amount\n    metric: null_count\n    condition: {type: equal_to, value: 0}\n    schedule: {type: on_table_change}",
    }
    spec = "".join(f"  - entity: {about}\n    type: {kind}\n    {text}\n" for kind, text in kinds.items())
    told = upsert(datahub, tmp_path, "assertions", "version: 1\nassertions:\n" + spec)
    assert told.count("Update succeeded") == len(kinds), told
    settle()
    related = graph.get_related_entities(about, ["Asserts"], graph.RelationshipDirection.INCOMING)
    assert {graph.get_aspect(e.urn, models.AssertionInfoClass).type for e in related} == {kind.upper() for kind in kinds}
