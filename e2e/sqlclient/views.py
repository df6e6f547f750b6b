"""States tables and views of PostgreSQL as the client's sources do: the client's own parser reads the views' SQL.

Usage: views.py SERVER < cases, a JSON object {"tables": {"schema.table": [columns]}, "views": {"schema.view": {"sql", "columns"}}}
"""

import json
import sys

from datahub.emitter.mcp import MetadataChangeProposalWrapper
from datahub.emitter.rest_emitter import DatahubRestEmitter
from datahub.metadata.schema_classes import (
    NumberTypeClass,
    OtherSchemaClass,
    SchemaFieldClass,
    SchemaFieldDataTypeClass,
    SchemaMetadataClass,
    ViewPropertiesClass,
)
from datahub.sql_parsing.sql_parsing_aggregator import SqlParsingAggregator


def urn(name):
    return f"urn:li:dataset:(urn:li:dataPlatform:postgres,shop.{name},PROD)"


def schema(name, columns):
    return SchemaMetadataClass(
        schemaName=name,
        platform="urn:li:dataPlatform:postgres",
        version=0,
        hash="",
        platformSchema=OtherSchemaClass(rawSchema=""),
        fields=[
            SchemaFieldClass(fieldPath=c, nativeDataType="int", type=SchemaFieldDataTypeClass(type=NumberTypeClass()))
            for c in columns
        ],
    )


emitter = DatahubRestEmitter(sys.argv[1])
given = json.load(sys.stdin)
aggregator = SqlParsingAggregator(platform="postgres", generate_lineage=True, generate_queries=False)
for name, columns in given["tables"].items():
    aspect = schema(name, columns)
    aggregator.register_schema(urn(name), aspect)
    emitter.emit(MetadataChangeProposalWrapper(entityUrn=urn(name), aspect=aspect))
for name, view in given["views"].items():
    aspect = schema(name, view["columns"])
    aggregator.register_schema(urn(name), aspect)
    emitter.emit(MetadataChangeProposalWrapper(entityUrn=urn(name), aspect=aspect))
    properties = ViewPropertiesClass(materialized=False, viewLogic=view["sql"], viewLanguage="SQL")
    emitter.emit(MetadataChangeProposalWrapper(entityUrn=urn(name), aspect=properties))
    aggregator.add_view_definition(urn(name), view["sql"], default_db="shop", default_schema=name.split(".")[0])
for mcp in aggregator.gen_metadata():
    emitter.emit(mcp)
    if mcp.aspectName == "upstreamLineage":
        print(json.dumps({"urn": mcp.entityUrn, "value": mcp.aspect.to_obj()}))
