"""Sends the events of one run with the official client, as the environment configures it."""

import uuid
from datetime import datetime, timezone

from openlineage.client import OpenLineageClient
from openlineage.client.event_v2 import InputDataset, Job, OutputDataset, Run, RunEvent, RunState
from openlineage.client.facet_v2 import (
    column_lineage_dataset,
    documentation_job,
    output_statistics_output_dataset,
    schema_dataset,
)

RUN = "01938b3e-52a0-7bb0-9c0e-2f3f0c6b8f99"
PRODUCER = "https://example.com/emit"

orders = InputDataset(
    "postgres://db.example.com:5432",
    "shop.public.orders",
    facets={"schema": schema_dataset.SchemaDatasetFacet(fields=[schema_dataset.SchemaDatasetFacetFields("amount", "numeric", "in euro")])},
)
revenue = OutputDataset(
    "snowflake://org-account",
    "LAKE.PUBLIC.REVENUE",
    facets={
        "schema": schema_dataset.SchemaDatasetFacet(fields=[schema_dataset.SchemaDatasetFacetFields("total", "NUMBER")]),
        "columnLineage": column_lineage_dataset.ColumnLineageDatasetFacet(
            fields={
                "total": column_lineage_dataset.Fields(
                    inputFields=[
                        column_lineage_dataset.InputField(
                            "postgres://db.example.com:5432",
                            "shop.public.orders",
                            "amount",
                            transformations=[column_lineage_dataset.Transformation("DIRECT", "AGGREGATION")],
                        )
                    ]
                )
            }
        ),
    },
    outputFacets={"outputStatistics": output_statistics_output_dataset.OutputStatisticsOutputDatasetFacet(rowCount=12)},
)
job = Job("nightly", "sum_revenue", facets={"documentation": documentation_job.DocumentationJobFacet(description="Sums the revenue.")})
run = Run(str(uuid.UUID(RUN)))

client = OpenLineageClient()
for state, second, inputs, outputs in ((RunState.START, 0, [], []), (RunState.COMPLETE, 5, [orders], [revenue])):
    at = datetime(2026, 11, 27, 10, 0, second, tzinfo=timezone.utc).isoformat()
    client.emit(RunEvent(eventTime=at, run=run, job=job, producer=PRODUCER, eventType=state, inputs=inputs, outputs=outputs))
client.close()
print("sent")
