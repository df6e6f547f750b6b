"""People, groups, data products and single aspects from the command line."""

import json

import datahub.emitter.mce_builder as builder
from conftest import emit
from datahub.metadata import schema_classes as models


def test_put_get_exists(graph, datahub, tmp_path):
    urn = builder.make_dataset_urn("hive", "cli.put", "PROD")
    assert "false" in datahub("exists", "--urn", urn).lower()
    value = tmp_path / "value.json"
    value.write_text(json.dumps({"tags": [{"tag": "urn:li:tag:put"}]}))
    assert "Update succeeded" in datahub("put", "--urn", urn, "-a", "globalTags", "-d", str(value))
    assert "true" in datahub("exists", "--urn", urn).lower()
    assert [t.tag for t in graph.get_tags(urn).tags] == ["urn:li:tag:put"]
    whole = json.loads(datahub("get", "--urn", urn))
    assert set(whole) >= {"datasetKey", "globalTags", "browsePaths"}
    one = json.loads(datahub("get", "--urn", urn, "-a", "globalTags"))
    assert list(one) == ["globalTags"]
    profile = tmp_path / "profile.json"
    profile.write_text(json.dumps({"timestampMillis": 5000, "rowCount": 7}))
    datahub("put", "--urn", urn, "-a", "datasetProfile", "-d", str(profile))
    assert json.loads(datahub("get", "--urn", urn, "-a", "datasetProfile"))["datasetProfile"]["rowCount"] == 7


def test_put_platform(graph, datahub):
    datahub("put", "platform", "--name", "cliplatform", "--display_name", "Of the command line", "--logo", "https://example.com/logo.png")
    info = graph.get_aspect("urn:li:dataPlatform:cliplatform", models.DataPlatformInfoClass)
    assert info.displayName == "Of the command line"


def test_user_upsert(graph, datahub, tmp_path):
    file = tmp_path / "user.yaml"
    file.write_text(
        """
- id: cli.grace
  display_name: Grace Example
  first_name: Grace
  last_name: Example
  email: grace@example.com
  title: Engineer
  groups: [cli.team]
  description: Writes compilers
  slack: '@grace'
- id: cli.alan
  display_name: Alan Example
  email: alan@example.com
"""
    )
    told = datahub("user", "upsert", "-f", str(file))
    assert told.count("Update succeeded") == 2, told
    # The client writes what people may edit where that is given, else the rest.
    editable = graph.get_aspect("urn:li:corpuser:cli.grace", models.CorpUserEditableInfoClass)
    assert (editable.displayName, editable.aboutMe, editable.slack) == ("Grace Example", "Writes compilers", "@grace")
    info = graph.get_aspect("urn:li:corpuser:cli.alan", models.CorpUserInfoClass)
    assert (info.displayName, info.email) == ("Alan Example", "alan@example.com")
    assert graph.get_aspect("urn:li:corpuser:cli.alan", models.CorpUserEditableInfoClass) is None
    datahub("user", "upsert", "-f", str(file), "--override-editable")
    assert graph.get_aspect("urn:li:corpuser:cli.alan", models.CorpUserEditableInfoClass).email == "alan@example.com"
    groups = graph.get_aspect("urn:li:corpuser:cli.grace", models.GroupMembershipClass)
    assert groups.groups == ["urn:li:corpGroup:cli.team"]
    members = graph.get_related_entities("urn:li:corpGroup:cli.team", ["IsMemberOfGroup"], graph.RelationshipDirection.INCOMING)
    assert "urn:li:corpuser:cli.grace" in [r.urn for r in members]


def test_group_upsert(graph, datahub, tmp_path):
    file = tmp_path / "group.yaml"
    file.write_text(
        """
id: cli.owners
display_name: The owners
email: owners@example.com
description: They own it
slack: '#owners'
owners: [cli.grace]
members:
  - cli.alan
  - id: cli.new
    display_name: New Example
"""
    )
    for _ in range(2):  # the second time members have a membership already
        told = datahub("group", "upsert", "-f", str(file))
        assert "Update succeeded" in told, told
    urn = "urn:li:corpGroup:cli.owners"
    info = graph.get_aspect(urn, models.CorpGroupInfoClass)
    assert info.displayName == "The owners" and info.email == "owners@example.com"
    assert [o.owner for o in graph.get_ownership(urn).owners] == ["urn:li:corpuser:cli.grace"]
    for member in ("cli.alan", "cli.new"):
        membership = graph.get_aspect(f"urn:li:corpuser:{member}", models.GroupMembershipClass)
        assert membership.groups == [urn]
    assert graph.get_aspect("urn:li:corpuser:cli.new", models.CorpUserInfoClass).displayName == "New Example"


def test_dataproduct(graph, datahub, tmp_path):
    asset, later = (builder.make_dataset_urn("hive", f"cli.{name}", "PROD") for name in ("asset", "later"))
    for urn in (asset, later):
        emit(graph, urn, models.StatusClass(removed=False))
    emit(graph, "urn:li:domain:cli", models.DomainPropertiesClass(name="Command line", description=""))
    file = tmp_path / "product.yaml"
    text = f"""
id: cli_product
domain: urn:li:domain:cli
display_name: The product
description: What it is
assets:
  - {asset}
owners:
  - id: cli.grace
    type: BUSINESS_OWNER
tags: ['urn:li:tag:product']
terms: ['urn:li:glossaryTerm:product']
properties:
  tier: gold
"""
    file.write_text(text)
    urn = "urn:li:dataProduct:cli_product"
    told = datahub("dataproduct", "upsert", "-f", str(file))
    assert "Update succeeded" in told, told
    properties = graph.get_aspect(urn, models.DataProductPropertiesClass)
    assert properties.name == "The product" and properties.customProperties["tier"] == "gold"
    assert [a.destinationUrn for a in properties.assets] == [asset]
    assert graph.get_aspect(urn, models.DomainsClass).domains == ["urn:li:domain:cli"]
    assert [(o.owner, o.type) for o in graph.get_ownership(urn).owners] == [("urn:li:corpuser:cli.grace", "BUSINESS_OWNER")]
    # The second time it patches.
    file.write_text(text.replace("What it is", "What it became").replace(f"  - {asset}\n", f"  - {asset}\n  - {later}\n"))
    told = datahub("dataproduct", "upsert", "-f", str(file))
    assert "Update succeeded" in told, told
    properties = graph.get_aspect(urn, models.DataProductPropertiesClass)
    assert properties.description == "What it became"
    assert {a.destinationUrn for a in properties.assets} == {asset, later}
    contained = graph.get_related_entities(urn, ["DataProductContains"], graph.RelationshipDirection.OUTGOING)
    assert {r.urn for r in contained} == {asset, later}
    datahub("dataproduct", "add_owner", "--urn", urn, "--owner", "cli.alan", "--owner-type", "TECHNICAL_OWNER")
    assert len(graph.get_ownership(urn).owners) == 2
    datahub("dataproduct", "remove_asset", "--urn", urn, "--asset", later)
    assert [a.destinationUrn for a in graph.get_aspect(urn, models.DataProductPropertiesClass).assets] == [asset]
    shown = datahub("dataproduct", "get", "--urn", urn)
    assert "What it became" in shown, shown
    datahub("dataproduct", "delete", "--urn", urn, "--hard")
    assert not graph.exists(urn)


def test_check_metadata_file(datahub, tmp_path):
    record = {
        "entityType": "dataset", "entityUrn": builder.make_dataset_urn("hive", "cli.checked", "PROD"), "changeType": "UPSERT",
        "aspectName": "datasetProperties", "aspect": {"json": {"description": "x", "customProperties": {}, "tags": []}},
    }
    file = tmp_path / "good.json"
    file.write_text(json.dumps([record]))
    assert "1 MCEs found - all valid" in datahub("check", "metadata-file", str(file))
    # What is good can be written, and is what is read back.
    datahub("ingest", "mcps", str(file))
    read = json.loads(datahub("get", "--urn", record["entityUrn"], "-a", "datasetProperties"))
    assert read["datasetProperties"]["description"] == "x"
    file.write_text("[{]")
    assert "all valid" not in datahub("check", "metadata-file", str(file), check=False)
