"""What the tools read: the metadata of a small shop."""

from datahub.emitter.mcp import MetadataChangeProposalWrapper
from datahub.ingestion.graph.client import DatahubClientConfig, DataHubGraph
from datahub.metadata import schema_classes as models

STAMP = models.AuditStampClass(time=1_700_000_000_000, actor="urn:li:corpuser:ada")


def dataset(name, platform="snowflake"):
    return f"urn:li:dataset:(urn:li:dataPlatform:{platform},shop.{name},PROD)"


def column(name, path):
    return f"urn:li:schemaField:({dataset(name)},{path})"


RAW, ORDERS, REVENUE = dataset("raw_orders"), dataset("orders"), dataset("revenue")
CUSTOMERS, PAYMENTS = dataset("customers", "hive"), dataset("payments", "hive")  # which the tools change
CHART = "urn:li:chart:(looker,revenue_by_day)"
LOAD, SUM = "urn:li:query:load", "urn:li:query:sum"
ADA, TEAM = "urn:li:corpuser:ada", "urn:li:corpGroup:analysts"
PII, GOLD = "urn:li:tag:pii", "urn:li:tag:gold"
MONEY = "urn:li:glossaryTerm:money"
SALES = "urn:li:domain:sales"
PRODUCER = "urn:li:ownershipType:producer"
RETENTION, PURPOSE = "urn:li:structuredProperty:shop.retention", "urn:li:structuredProperty:shop.purpose"
RUNBOOK, FAQ, DRAFT = "urn:li:document:runbook", "urn:li:document:faq", "urn:li:document:draft"
FRESH = "urn:li:assertion:fresh"


def schema(**columns):
    return models.SchemaMetadataClass(
        schemaName="s", platform="urn:li:dataPlatform:snowflake", version=0, hash="", platformSchema=models.OtherSchemaClass(rawSchema=""),
        fields=[
            models.SchemaFieldClass(
                fieldPath=path, nativeDataType=native, description=f"The {path}", isPartOfKey=path == "id",
                type=models.SchemaFieldDataTypeClass(type=models.NumberTypeClass() if native == "number" else models.StringTypeClass()),
            )
            for path, native in columns.items()
        ],
    )


def derived(up, down, query, **columns):
    """The lineage of a dataset from another one, with its columns."""
    return models.UpstreamLineageClass(
        upstreams=[models.UpstreamClass(dataset=dataset(up), type="TRANSFORMED", query=query)],
        fineGrainedLineages=[
            models.FineGrainedLineageClass(
                upstreamType="FIELD_SET", downstreamType="FIELD", upstreams=[column(up, source)], downstreams=[column(down, path)], query=query)
            for path, source in columns.items()
        ],
    )


def query(statement, source, *subjects):
    return [
        models.QueryPropertiesClass(
            statement=models.QueryStatementClass(value=statement, language="SQL"), source=source, created=STAMP, lastModified=STAMP),
        models.QuerySubjectsClass(subjects=[models.QuerySubjectClass(entity=s) for s in subjects]),
    ]


def document(title, text, state="PUBLISHED", kind="Runbook", about=()):
    return [
        models.DocumentInfoClass(
            title=title, status=models.DocumentStatusClass(state=state), contents=models.DocumentContentsClass(text=text), created=STAMP, lastModified=STAMP,
            relatedAssets=[models.RelatedAssetClass(asset=urn) for urn in about]),
        models.SubTypesClass(typeNames=[kind]),
    ]


def property_of(name, kind, *allowed):
    return models.StructuredPropertyDefinitionClass(
        qualifiedName=f"shop.{name}", displayName=name.capitalize(), valueType=f"urn:li:dataType:datahub.{kind}",
        entityTypes=["urn:li:entityType:datahub.dataset"], allowedValues=[models.PropertyValueClass(value=v) for v in allowed] or None)


METADATA = {
    ADA: [models.CorpUserInfoClass(active=True, displayName="Ada", email="ada@example.com")],
    TEAM: [models.CorpGroupInfoClass(displayName="Analysts", admins=[], members=[], groups=[])],
    PII: [models.TagPropertiesClass(name="PII")],
    GOLD: [models.TagPropertiesClass(name="Gold")],
    MONEY: [models.GlossaryTermInfoClass(name="Money", definition="An amount", termSource="INTERNAL")],
    "urn:li:glossaryNode:amounts": [models.GlossaryNodeInfoClass(definition="Amounts")],
    SALES: [models.DomainPropertiesClass(name="Sales", description="What we sell")],
    PRODUCER: [models.OwnershipTypeInfoClass(name="Producer", created=STAMP, lastModified=STAMP)],
    RETENTION: [property_of("retention", "number", 30.0, 90.0)],
    PURPOSE: [property_of("purpose", "string")],
    RAW: [models.DatasetPropertiesClass(name="raw_orders", description="Orders as they arrive"), schema(id="number", amount="text"), models.OperationClass(timestampMillis=1_000, lastUpdatedTimestamp=1_000, operationType="INSERT")],
    ORDERS: [
        models.DatasetPropertiesClass(name="orders", description="Orders of the shop"),
        schema(id="number", amount="number", customer_email="text"),
        derived("raw_orders", "orders", LOAD, id="id", amount="amount"),
        models.GlobalTagsClass(tags=[models.TagAssociationClass(GOLD)]),
        models.OwnershipClass(owners=[models.OwnerClass(owner=ADA, type="TECHNICAL_OWNER")]),
        models.OperationClass(timestampMillis=2_000, lastUpdatedTimestamp=2_000, operationType="INSERT"),
    ],
    REVENUE: [
        models.DatasetPropertiesClass(name="revenue", description="What came in on each day"),
        schema(day="text", total="number"),
        derived("orders", "revenue", SUM, total="amount"),
    ],
    CUSTOMERS: [models.DatasetPropertiesClass(name="customers"), schema(id="number", email="text")],
    PAYMENTS: [models.DatasetPropertiesClass(name="payments"), schema(id="number", amount="number")],
    CHART: [models.ChartInfoClass(title="Revenue by day", description="A chart", lastModified=models.ChangeAuditStampsClass(), inputs=[REVENUE])],
    "urn:li:dashboard:(looker,sales)": [models.DashboardInfoClass(title="Sales", description="", lastModified=models.ChangeAuditStampsClass())],
    "urn:li:dataFlow:(airflow,daily,PROD)": [models.DataFlowInfoClass(name="daily")],
    "urn:li:dataJob:(urn:li:dataFlow:(airflow,daily,PROD),load)": [models.DataJobInfoClass(name="load", type="COMMAND")],
    "urn:li:container:shop": [models.ContainerPropertiesClass(name="shop")],
    "urn:li:mlModel:(urn:li:dataPlatform:science,churn,PROD)": [models.MLModelPropertiesClass()],
    "urn:li:mlModelGroup:(urn:li:dataPlatform:science,churn,PROD)": [models.MLModelGroupPropertiesClass()],
    "urn:li:mlFeatureTable:(urn:li:dataPlatform:feast,customers)": [models.MLFeatureTablePropertiesClass()],
    "urn:li:mlPrimaryKey:(customers,id)": [models.MLPrimaryKeyPropertiesClass(sources=[])],
    LOAD: query("insert into orders select * from raw_orders", "SYSTEM", RAW, ORDERS),
    SUM: query("select day, sum(amount) from orders group by day", "MANUAL", ORDERS, column("orders", "amount")),
    RUNBOOK: document("Orders runbook", "Restart the load.\nThen check the orders of today.", about=[ORDERS]),
    FAQ: document("Orders FAQ", "Why are orders late? The load waits.", kind="FAQ"),
    DRAFT: document("Orders draft", "Not ready", state="UNPUBLISHED", about=[ORDERS]),
    FRESH: [
        models.AssertionInfoClass(
            type="FRESHNESS", entityUrn=ORDERS, description="Orders arrive each day", source=models.AssertionSourceClass(type="NATIVE"),
            freshnessAssertion=models.FreshnessAssertionInfoClass(
                type="DATASET_CHANGE", entity=ORDERS,
                schedule=models.FreshnessAssertionScheduleClass(type="CRON", cron=models.FreshnessCronScheduleClass(cron="0 8 * * *", timezone="UTC")))),
        models.AssertionRunEventClass(
            timestampMillis=1_700_000_000_000, runId="1", assertionUrn=FRESH, asserteeUrn=ORDERS, status="COMPLETE", result=models.AssertionResultClass(type="SUCCESS")),
    ],
}


def fill(server, token=None):
    """Writes everything, and returns the client that did."""
    graph = DataHubGraph(DatahubClientConfig(server=server, token=token))
    for urn, aspects in METADATA.items():
        write(graph, urn, *aspects)
    return graph


def write(graph, urn, *aspects):
    for aspect in aspects:
        graph.emit_mcp(MetadataChangeProposalWrapper(entityUrn=urn, aspect=aspect))
