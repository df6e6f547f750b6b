"""Prints a catalog that speaks DataHub's interface as proposals, one on each line.

Reads DATAHUB_GMS_URL and DATAHUB_GMS_TOKEN, as the datahub command does. It prints the latest
value of each aspect, with its run, of every entity that a search finds, soft-deleted ones
included, and the time series below: up to LIMIT values of each, and a line on standard error
where there may be more.
"""

import json
import sys

from datahub.ingestion.graph.client import get_default_graph
from datahub.ingestion.graph.filters import RemovedStatusFilter
from datahub.emitter.mcp import MetadataChangeProposalWrapper
from datahub.metadata import schema_classes as models

SERIES = {
    "dataset": [models.DatasetProfileClass, models.DatasetUsageStatisticsClass, models.OperationClass],
    "chart": [models.ChartUsageStatisticsClass],
    "dashboard": [models.DashboardUsageStatisticsClass],
    "assertion": [models.AssertionRunEventClass],
    "dataProcessInstance": [models.DataProcessInstanceRunEventClass],
}

LIMIT = 10_000

graph = get_default_graph()
for urn in graph.get_urns_by_filter(status=RemovedStatusFilter.ALL):
    proposals = list(graph.get_entity_as_mcps(urn))
    for series in SERIES.get(urn.split(":")[2], []):
        values = graph.get_timeseries_values(urn, series, filter={}, limit=LIMIT)
        if len(values) == LIMIT:
            print(f"{urn}: only {LIMIT} values of {series.ASPECT_NAME} are copied", file=sys.stderr)
        proposals += [MetadataChangeProposalWrapper(entityUrn=urn, aspect=value) for value in values]
    for proposal in proposals:
        print(json.dumps(proposal.to_obj(simplified_structure=True)))
