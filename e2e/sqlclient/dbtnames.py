"""Reads dbt projects by the client's dbt source, and says which columns it gives each dataset of dbt.

Usage: dbtnames.py < cases, a JSON object {name: configuration of the source}
"""

import json
import logging
import sys

from datahub.ingestion.api.common import PipelineContext
from datahub.ingestion.source.dbt.dbt_core import DBTCoreSource
from datahub.metadata.schema_classes import SchemaMetadataClass

logging.disable(logging.CRITICAL)
answers = {}
for name, config in json.load(sys.stdin).items():
    source = DBTCoreSource.create(config, PipelineContext(run_id="names"))
    answer = answers[name] = {}
    for unit in source.get_workunits_internal():
        if hasattr(unit.metadata, "proposedSnapshot"):
            urn, aspects = unit.metadata.proposedSnapshot.urn, unit.metadata.proposedSnapshot.aspects
        else:
            urn, aspects = unit.metadata.entityUrn, [unit.metadata.aspect]
        for aspect in aspects if "dataPlatform:dbt," in urn else []:
            if isinstance(aspect, SchemaMetadataClass):
                answer[urn] = [f.fieldPath for f in aspect.fields]
print(json.dumps(answers))
