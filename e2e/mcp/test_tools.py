"""The tools of the official MCP server, one by one."""

import os

import pytest
import shop
from conftest import TOKEN, Refused, check, settle
from datahub.metadata import schema_classes as models
from shop import (
    ADA, CHART, CUSTOMERS, FAQ, FRESH, GOLD, LOAD, MONEY, ORDERS, PAYMENTS, PII, PRODUCER, PURPOSE, RAW, RETENTION, REVENUE, RUNBOOK, SALES, SUM,
    TEAM, column,
)

READING = [
    "get_aspect_history", "get_dataset_queries", "get_entities", "get_lineage", "get_lineage_paths_between", "grep_documents", "list_schema_fields", "search", "search_documents",
]
WRITING = [
    "add_owners", "add_structured_properties", "add_tags", "add_terms", "remove_domains", "remove_owners", "remove_structured_properties", "remove_tags",
    "remove_terms", "save_document", "set_domains", "update_description",
]


# Entities of the other types whose descriptions can be changed, with where each is stored.
DESCRIBED = {
    CHART: ("editableChartProperties", "description"),
    "urn:li:dashboard:(looker,sales)": ("editableDashboardProperties", "description"),
    "urn:li:dataFlow:(airflow,daily,PROD)": ("editableDataFlowProperties", "description"),
    "urn:li:dataJob:(urn:li:dataFlow:(airflow,daily,PROD),load)": ("editableDataJobProperties", "description"),
    "urn:li:container:shop": ("editableContainerProperties", "description"),
    "urn:li:mlModel:(urn:li:dataPlatform:science,churn,PROD)": ("editableMlModelProperties", "description"),
    "urn:li:mlModelGroup:(urn:li:dataPlatform:science,churn,PROD)": ("editableMlModelGroupProperties", "description"),
    "urn:li:mlFeatureTable:(urn:li:dataPlatform:feast,customers)": ("editableMlFeatureTableProperties", "description"),
    "urn:li:mlPrimaryKey:(customers,id)": ("editableMlPrimaryKeyProperties", "description"),
    PII: ("tagProperties", "description"),
    MONEY: ("glossaryTermInfo", "definition"),
    "urn:li:glossaryNode:amounts": ("glossaryNodeInfo", "definition"),
    SALES: ("domainProperties", "description"),
}


def urns(found):
    return [result["entity"]["urn"] for result in found.get("searchResults", [])]


def facet(found, field):
    """The values of a facet with their counts."""
    return {a["value"]: a["count"] for f in found["facets"] if f["field"] == field for a in f["aggregations"]}


@check("lists all tools of an open-source server")
def test_tools(tools):
    assert tools.names() == sorted([*READING, *WRITING, "get_me"])


@check("search: words, filters, facets, order, pages")
def test_search(tools):
    found = tools.search(query="orders", filter="entity_type = dataset")
    assert (found["total"], sorted(urns(found))) == (2, [ORDERS, RAW])
    assert facet(found, "_entityType") == {"DATASET": 2} and facet(found, "tags") == {GOLD: 1} and facet(found, "owners") == {ADA: 1}
    assert found["searchResults"][0]["entity"]["properties"]["name"] in ("orders", "raw_orders")
    assert urns(tools.search(filter=f"tag = {GOLD} AND owner = {ADA}")) == [ORDERS]
    assert sorted(urns(tools.search(filter="platform = snowflake AND NOT tag = urn:li:tag:gold"))) == [RAW, REVENUE]
    assert sorted(urns(tools.search(filter="entity_type IN (chart, glossary_term)"))) == [CHART, MONEY]
    only_facets = tools.search(filter="entity_type = dataset", num_results=0)
    assert "searchResults" not in only_facets
    assert facet(only_facets, "platform") == {"urn:li:dataPlatform:hive": 2, "urn:li:dataPlatform:snowflake": 3}
    assert urns(tools.search(filter="platform = snowflake", sort_by="lastOperationTime"))[:2] == [ORDERS, RAW]
    assert urns(tools.search(filter="platform = snowflake", sort_by="urn", sort_order="asc")) == [ORDERS, RAW, REVENUE]
    assert urns(tools.search(filter="platform = snowflake", sort_by="urn", sort_order="asc", num_results=1, offset=1)) == [RAW]


@check("get_entities: a dataset, with what is said about it")
def test_dataset(tools):
    got = tools.get_entities(urns=ORDERS)
    fields = got.pop("schemaMetadata")["fields"]
    assert got == {
        "urn": ORDERS,
        "name": "shop.orders",
        "platform": {"urn": "urn:li:dataPlatform:snowflake", "name": "snowflake"},
        "properties": {"name": "orders", "description": "Orders of the shop"},
        "ownership": {"owners": [{"owner": {"urn": ADA, "properties": {"active": True, "displayName": "Ada", "email": "ada@example.com"}}, "type": "TECHNICAL_OWNER"}]},
        "tags": {"tags": [{"tag": {"urn": GOLD, "properties": {"name": "Gold"}}}]},
        "health": [{"type": "ASSERTIONS", "status": "PASS", "message": "All assertions are passing"}],
        "relatedDocuments": {"start": 0, "count": 10, "total": 1, "documents": [{"urn": RUNBOOK, "type": "DOCUMENT", "info": {"title": "Orders runbook"}}]},
    }
    assert [f["fieldPath"] for f in fields] == ["id", "amount", "customer_email"]
    assert fields[0] == {"fieldPath": "id", "nativeDataType": "number", "description": "The id", "nullable": False, "isPartOfKey": True}


@check("get_entities: several of different types, one that is unknown")
def test_entities(tools):
    chart, load, ada, fresh, domain, unknown = tools.get_entities(urns=[CHART, LOAD, ADA, FRESH, SALES, "urn:li:tag:unknown"])
    assert chart["type"] == "CHART" and chart["properties"]["name"] == "Revenue by day" and chart["platform"]["name"] == "looker"
    assert load["properties"]["statement"] == {"value": "insert into orders select * from raw_orders", "language": "SQL"}
    assert [s["dataset"]["urn"] for s in load["subjects"]] == [RAW, ORDERS]
    assert ada == {"urn": ADA, "properties": {"active": True, "displayName": "Ada", "email": "ada@example.com"}}
    assert fresh["info"] == {"type": "FRESHNESS", "description": "Orders arrive each day", "source": {"type": "NATIVE"}}
    assert (fresh["runEvents"]["succeeded"], fresh["runEvents"]["failed"]) == (1, 0)
    assert domain["properties"] == {"name": "Sales", "description": "What we sell"}
    assert [e["urn"] for e in tools.get_entities(urns=[*DESCRIBED]) if "error" not in e] == [*DESCRIBED]
    assert unknown == {"error": "Entity urn:li:tag:unknown not found", "urn": "urn:li:tag:unknown"}


@check("list_schema_fields, by keywords and pages")
def test_fields(tools):
    assert tools.list_schema_fields(urn=ORDERS, keywords=["email"], limit=2) == {
        "urn": ORDERS,
        "fields": [
            {"fieldPath": "customer_email", "nativeDataType": "text", "description": "The customer_email", "nullable": False},
            {"fieldPath": "amount", "nativeDataType": "number", "description": "The amount", "nullable": False},
        ],
        "totalFields": 3, "returned": 2, "remainingCount": 1, "matchingCount": 1, "offset": 0,
    }
    assert [f["fieldPath"] for f in tools.list_schema_fields(urn=ORDERS, offset=2)["fields"]] == ["customer_email"]


@check("get_lineage: upstream, downstream, hops, filters")
def test_lineage(tools):
    def walked(**asked):
        found = tools.get_lineage(**asked)["upstreams" if asked.get("upstream", True) else "downstreams"]
        return {r["entity"]["urn"]: r["degree"] for r in found.get("searchResults", [])}

    assert walked(urn=REVENUE) == {ORDERS: 1}
    assert walked(urn=REVENUE, max_hops=3) == {ORDERS: 1, RAW: 2}
    assert walked(urn=RAW, upstream=False, max_hops=3) == {ORDERS: 1, REVENUE: 2, CHART: 3}
    assert walked(urn=RAW, upstream=False, max_hops=3, filter="entity_type = chart") == {CHART: 3}
    assert walked(urn=RAW, upstream=False, max_hops=3, query="revenue") == {REVENUE: 2, CHART: 3}
    page = tools.get_lineage(urn=RAW, upstream=False, max_hops=3, offset=2)["downstreams"]
    assert (page["total"], page["returned"], page["hasMore"]) == (3, 1, False)


@check("get_lineage of a column")
def test_column_lineage(tools):
    found = tools.get_lineage(urn=RAW, column="amount", upstream=False, max_hops=3)
    assert {r["entity"]["urn"]: (r["degree"], r["lineageColumns"]) for r in found["downstreams"]["searchResults"]} == {ORDERS: (1, ["amount"]), REVENUE: (2, ["total"])}
    found = tools.get_lineage(urn=REVENUE, column="total", max_hops=1)
    assert [(r["entity"]["urn"], r["lineageColumns"]) for r in found["upstreams"]["searchResults"]] == [(ORDERS, ["amount"])]


@check("get_lineage_paths_between: datasets, columns, with the queries on the way")
def test_paths(tools):
    def path(**asked):
        found = tools.get_lineage_paths_between(**asked)
        assert found["pathCount"] == 1
        return [step["urn"] for step in found["paths"][0]["path"]]

    assert path(source_urn=RAW, target_urn=CHART) == [RAW, LOAD, ORDERS, SUM, REVENUE, CHART]
    assert path(source_urn=REVENUE, target_urn=RAW, direction="upstream") == [REVENUE, SUM, ORDERS, LOAD, RAW]
    assert path(source_urn=RAW, source_column="amount", target_urn=REVENUE, target_column="total") == [
        column("raw_orders", "amount"), LOAD, column("orders", "amount"), SUM, column("revenue", "total")]
    with pytest.raises(Refused, match="No lineage path found between"):
        tools.get_lineage_paths_between(source_urn=CUSTOMERS, target_urn=RAW)


@check("get_dataset_queries: of a dataset, of a column, by source")
def test_queries(tools):
    def found(**asked):
        return [(q["urn"], q["properties"]["source"], q["subjects"]) for q in tools.get_dataset_queries(**asked).get("queries", [])]

    load, total = (LOAD, "SYSTEM", [RAW, ORDERS]), (SUM, "MANUAL", [ORDERS])
    assert sorted(found(urn=ORDERS)) == [load, total]
    assert found(urn=ORDERS, source="SYSTEM") == [load]
    assert found(urn=ORDERS, column="amount") == [total]
    assert found(urn=REVENUE) == []


@check("get_aspect_history: current and past versions, pages")
def test_history(tools, graph):
    for tags in ([PII], [PII, GOLD], []):
        shop.write(graph, PAYMENTS, models.GlobalTagsClass(tags=[models.TagAssociationClass(t) for t in tags]))

    def history(**asked):
        (result,) = tools.get_aspect_history(urns=PAYMENTS, aspect_names="globalTags", **asked)["results"]
        return result["current"]["value"], [(h["version"], [t["tag"] for t in h["value"]["tags"]]) for h in result["history"]], result["page"]["nextFromVersion"]

    assert history() == ({}, [(2, [PII, GOLD]), (1, [PII])], None)
    assert history(limit=1) == ({}, [(2, [PII, GOLD])], 1)
    assert history(limit=1, from_version=1) == ({}, [(1, [PII])], None)
    (result,) = tools.get_aspect_history(urns=[PAYMENTS], aspect_names=["domains"])["results"]
    assert result["current"] is None and result["page"]["anchorSource"] == "aspectAbsent"


@check("get_me")
def test_me(tools):
    me = tools.get_me()["data"]["corpUser"]
    if TOKEN:
        assert me["exists"] and me["urn"] == "urn:li:corpuser:" + os.environ["HEADWATER_ADMIN"] and me["info"]["email"] == os.environ["HEADWATER_ADMIN"]
        return
    assert me == {
        "type": "CORP_USER", "urn": "urn:li:corpuser:__datahub_system", "username": "__datahub_system", "exists": False,
        "info": None, "editableProperties": None, "groups": {"relationships": []},
    }


@check("search_documents: words, filters, facets")
def test_documents(tools):
    found = tools.search_documents(query="orders")
    assert sorted(urns(found)) == [FAQ, RUNBOOK] and facet(found, "typeNames") == {"Runbook": 1, "FAQ": 1}  # but not what is unpublished
    runbook = next(r["entity"] for r in found["searchResults"] if r["entity"]["urn"] == RUNBOOK)
    stamp = {"time": shop.STAMP.time, "actor": {"urn": ADA}}
    assert runbook == {
        "urn": RUNBOOK, "subType": "Runbook", "platform": {"urn": "urn:li:dataPlatform:datahub", "name": "datahub"},
        "info": {"title": "Orders runbook", "created": stamp, "lastModified": stamp},
    }
    assert urns(tools.search_documents(query="restart load")) == [RUNBOOK]
    assert urns(tools.search_documents(query="orders", filter="subtype = FAQ")) == [FAQ]
    # This server does not search by meaning: the tool then uses the words.
    both = tools.search_documents(query="late", semantic_query="what to do if orders are late")
    assert [(r["entity"]["urn"], r["searchType"]) for r in both["searchResults"]] == [(FAQ, "keyword")]


@check("grep_documents")
def test_grep(tools):
    assert tools.grep_documents(urns=[RUNBOOK, FAQ], pattern="(?i)the load", context_chars=8) == {
        "results": [
            {"urn": RUNBOOK, "title": "Orders runbook", "matches": [{"excerpt": "Restart the load.\nThen c...", "position": 8}], "total_matches": 1},
            {"urn": FAQ, "title": "Orders FAQ", "matches": [{"excerpt": "...s late? The load waits.", "position": 21}], "total_matches": 1},
        ],
        "total_matches": 2, "documents_with_matches": 2,
    }


@check("get_dataset_assertions, which it lists for cloud servers only, called by its name")
def test_assertions(tools):
    found = tools.get_dataset_assertions(urn=ORDERS)["data"]
    assert found["assertions"] == [{
        "urn": FRESH, "type": "FRESHNESS", "description": "Orders arrive each day", "platform": "N/A", "sourceType": "NATIVE",
        "definition": {"entityUrn": ORDERS, "type": "DATASET_CHANGE", "schedule": {"type": "CRON", "cron": {"cron": "0 8 * * *", "timezone": "UTC"}}},
        "latestResultType": "SUCCESS", "runSummary": {"total": 1, "succeeded": 1, "failed": 0},
        "runHistory": [{"timestampMillis": shop.STAMP.time, "resultType": "SUCCESS"}],
    }]
    assert tools.get_dataset_assertions(urn=ORDERS, assertion_type="SQL")["data"]["total"] == 0
    assert tools.get_dataset_assertions(urn=RAW)["data"]["total"] == 0


def done(result):
    assert result["success"], result


def edited(graph, urn):
    """What people stated about the columns of a dataset."""
    return {f.fieldPath: f for f in graph.get_aspect(urn, models.EditableSchemaMetadataClass).editableSchemaFieldInfo}


@check("add_tags, remove_tags, of datasets and columns")
def test_tags(tools, graph):
    done(tools.add_tags(tag_urns=[PII, GOLD], entity_urns=[CUSTOMERS, CUSTOMERS], column_paths=[None, "email"]))
    assert [t.tag for t in graph.get_tags(CUSTOMERS).tags] == [PII, GOLD]
    assert [t.tag for t in edited(graph, CUSTOMERS)["email"].globalTags.tags] == [PII, GOLD]
    assert urns(tools.search(filter=f"tag = {PII} AND platform = hive")) == [CUSTOMERS]
    done(tools.remove_tags(tag_urns=[GOLD], entity_urns=[CUSTOMERS, CUSTOMERS], column_paths=[None, "email"]))
    assert [t.tag for t in graph.get_tags(CUSTOMERS).tags] == [PII]
    assert [t.tag for t in edited(graph, CUSTOMERS)["email"].globalTags.tags] == [PII]
    with pytest.raises(Refused, match="urn:li:tag:unknown does not exist"):
        tools.add_tags(tag_urns=["urn:li:tag:unknown"], entity_urns=[CUSTOMERS])
    with pytest.raises(Refused, match="Field unknown does not exist in its schema"):
        tools.add_tags(tag_urns=[GOLD], entity_urns=[CUSTOMERS], column_paths=["unknown"])
    assert [t.tag for t in graph.get_tags(CUSTOMERS).tags] == [PII]


@check("add_terms, remove_terms, of datasets and columns")
def test_terms(tools, graph):
    done(tools.add_terms(term_urns=[MONEY], entity_urns=[PAYMENTS, PAYMENTS], column_paths=[None, "amount"]))
    assert [t.urn for t in graph.get_glossary_terms(PAYMENTS).terms] == [MONEY]
    assert [t.urn for t in edited(graph, PAYMENTS)["amount"].glossaryTerms.terms] == [MONEY]
    done(tools.remove_terms(term_urns=[MONEY], entity_urns=[PAYMENTS], column_paths=["amount"]))
    assert [t.urn for t in graph.get_glossary_terms(PAYMENTS).terms] == [MONEY]
    assert edited(graph, PAYMENTS)["amount"].glossaryTerms.terms == []
    with pytest.raises(Refused, match="urn:li:glossaryTerm:unknown does not exist"):
        tools.add_terms(term_urns=["urn:li:glossaryTerm:unknown"], entity_urns=[PAYMENTS])


@check("add_owners, remove_owners, with built-in types and one by its name")
def test_owners(tools, graph):
    def owners():
        return [(o.owner, o.typeUrn.removeprefix("urn:li:ownershipType:")) for o in graph.get_ownership(CUSTOMERS).owners]

    done(tools.add_owners(owner_urns=[ADA, TEAM], entity_urns=[CUSTOMERS, PAYMENTS], ownership_type="DATA_STEWARD"))
    done(tools.add_owners(owner_urns=[ADA], entity_urns=[CUSTOMERS], ownership_type="technical owner"))
    done(tools.add_owners(owner_urns=[ADA], entity_urns=[CUSTOMERS], ownership_type="Producer"))
    steward = "__system__data_steward"
    assert owners() == [(ADA, steward), (TEAM, steward), (ADA, "__system__technical_owner"), (ADA, "producer")]
    done(tools.remove_owners(owner_urns=[ADA], entity_urns=[CUSTOMERS], ownership_type=PRODUCER))
    assert owners() == [(ADA, steward), (TEAM, steward), (ADA, "__system__technical_owner")]
    done(tools.remove_owners(owner_urns=[ADA], entity_urns=[CUSTOMERS]))
    assert owners() == [(TEAM, steward)]
    with pytest.raises(Refused, match="was not found"):
        tools.add_owners(owner_urns=[ADA], entity_urns=[CUSTOMERS], ownership_type="Unknown")


@check("add_structured_properties, remove_structured_properties")
def test_properties(tools, graph):
    def values(urn):
        return {p.propertyUrn: p.values for p in graph.get_aspect(urn, models.StructuredPropertiesClass).properties}

    done(tools.add_structured_properties(property_values={RETENTION: ["90"], PURPOSE: ["reports"]}, entity_urns=[CUSTOMERS, PAYMENTS]))
    assert values(CUSTOMERS) == values(PAYMENTS) == {RETENTION: [90.0], PURPOSE: ["reports"]}
    shown = tools.get_entities(urns=CUSTOMERS)["structuredProperties"]["properties"]
    assert [(p["structuredProperty"]["definition"]["displayName"], p["values"]) for p in shown] == [
        ("Retention", [{"numberValue": 90}]), ("Purpose", [{"stringValue": "reports"}])]
    with pytest.raises(Refused, match="double=31} should be one of"):
        tools.add_structured_properties(property_values={RETENTION: ["31"]}, entity_urns=[CUSTOMERS])
    done(tools.remove_structured_properties(property_urns=[RETENTION], entity_urns=[CUSTOMERS]))
    assert values(CUSTOMERS) == {PURPOSE: ["reports"]} and RETENTION in values(PAYMENTS)


@check("set_domains, remove_domains")
def test_domains(tools, graph):
    done(tools.set_domains(domain_urn=SALES, entity_urns=[CUSTOMERS, PAYMENTS]))
    assert sorted(urns(tools.search(filter=f"domain = {SALES}"))) == [CUSTOMERS, PAYMENTS]
    done(tools.remove_domains(entity_urns=[CUSTOMERS]))
    assert graph.get_domain(CUSTOMERS).domains == [] and graph.get_domain(PAYMENTS).domains == [SALES]
    with pytest.raises(Refused, match="urn:li:domain:unknown does not exist"):
        tools.set_domains(domain_urn="urn:li:domain:unknown", entity_urns=[CUSTOMERS])


@check("update_description: replace, append, remove, of datasets and columns")
def test_description(tools, graph):
    def description():
        return graph.get_aspect(CUSTOMERS, models.EditableDatasetPropertiesClass).description

    done(tools.update_description(entity_urn=CUSTOMERS, description="Who buys"))
    done(tools.update_description(entity_urn=CUSTOMERS, operation="append", description=" here"))
    assert description() == "Who buys here"
    done(tools.update_description(entity_urn=CUSTOMERS, operation="remove"))
    assert description() == ""
    done(tools.update_description(entity_urn=CUSTOMERS, description="For invoices", column_path="email"))
    assert edited(graph, CUSTOMERS)["email"].description == "For invoices"
    # The tool appends to the description that came with the schema.
    done(tools.update_description(entity_urn=CUSTOMERS, operation="append", description=" (work)", column_path="email"))
    assert edited(graph, CUSTOMERS)["email"].description == "The email (work)"


@check("update_description of the other types that it names")
def test_descriptions(tools, graph):
    for urn, (aspect, member) in DESCRIBED.items():
        done(tools.update_description(entity_urn=urn, description="About"))
        done(tools.update_description(entity_urn=urn, operation="append", description=" this"))
        assert graph.get_entity_raw(urn, [aspect])["aspects"][aspect]["value"][member] == "About this", urn


@check("save_document: a new one, and a change of it")
def test_save(tools):
    saved = tools.save_document(document_type="Insight", title="Customers wait", content="Payments are slow.", topics=["slow"], related_assets=[PAYMENTS])
    done(saved)
    settle()
    assert urns(tools.search_documents(query="slow")) == [saved["urn"]]
    assert tools.get_entities(urns=PAYMENTS)["relatedDocuments"]["documents"] == [{"urn": saved["urn"], "type": "DOCUMENT", "info": {"title": "Customers wait"}}]
    done(tools.save_document(document_type="Insight", title="Customers waited", content="Payments were slow.", urn=saved["urn"], related_assets=[PAYMENTS]))
    assert tools.grep_documents(urns=[saved["urn"]], pattern="were")["results"][0]["title"] == "Customers waited"
    refused = tools.save_document(document_type="FAQ", title="Mine", content="x", urn=FAQ)
    assert not refused["success"] and "not in the shared documents folder" in refused["message"]
