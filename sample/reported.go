package sample

import "github.com/headwater-io/headwater/model"

// lookerSource is the ingestion source that Ada configured to read Looker.
const lookerSource = "urn:li:dataHubIngestionSource:larkspur-looker"

// lookerRun emits the report of a client about its run that reads Looker. Like clients, it
// writes the report without a run.
func (b *builder) lookerRun(status, report string) {
	b.put(lookerSource, model.AspectDataHubIngestionSourceInfo, object{
		"name": "Looker", "type": "looker", "platform": platform("looker"),
		"config": object{"recipe": "{}", "version": "1.7.0", "executorId": "__datahub_cli_"},
	})
	began := b.event.moment()
	request := "urn:li:dataHubExecutionRequest:larkspur-looker-" + b.event.at[:len(firstDay)]
	b.put(request, model.AspectDataHubExecutionRequestInput, object{
		"task": "CLI Ingestion", "args": object{"recipe": "{}"}, "executorId": "__datahub_cli_", "requestedAt": began,
		"source": object{"type": "CLI_INGESTION_SOURCE", "ingestionSource": lookerSource},
	})
	b.put(request, model.AspectDataHubExecutionRequestResult, object{
		"status": status, "startTimeMs": began, "durationMs": 42_000, "report": report,
	})
}
