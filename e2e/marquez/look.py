"""Reads a catalog with the client of Marquez, and prints what it finds as JSON."""

import json
import os

from marquez_client import MarquezClient
from marquez_client.errors import APIError

RUN = "01938b3e-52a0-7bb0-9c0e-2f3f0c6b8f99"
OUTPUT = ("snowflake://org-account", "lake.public.revenue")

client = MarquezClient(url=os.environ["MARQUEZ_URL"], api_key=os.environ.get("MARQUEZ_TOKEN"))

name = [d["name"] for d in client.list_datasets(OUTPUT[0])["datasets"]][0]
dataset = client.get_dataset(OUTPUT[0], name)
job = client.get_job("nightly", "sum_revenue")
columns = client.get_column_lineage_by_dataset(OUTPUT[0], name)
try:
    client.get_job("nightly", "none")
    unknown = "answered"
except APIError:
    unknown = "APIError"

print(
    json.dumps(
        {
            "namespaces": [n["name"] for n in client.list_namespaces()["namespaces"]],
            "namespace": client.get_namespace("nightly")["name"],
            "dataset": [dataset["namespace"], [f["name"] for f in dataset["fields"]]],
            "jobs": [j["name"] for j in client.list_jobs("nightly", limit=10, offset=0)["jobs"]],
            "job": [job["description"], [d["namespace"] for d in job["inputs"]], job["latestRun"]["state"]],
            "runs": [[r["id"], r["state"], r["durationMs"]] for r in client.list_job_runs("nightly", "sum_revenue")["runs"]],
            "run": client.get_job_run(RUN)["startedAt"],
            "columns": [n["id"].split(":")[-1] for n in columns["graph"]],
            "tags": client.list_tags()["tags"],
            "unknown": unknown,
        }
    )
)
