package openlineage

import "slices"

// Place is where a facet stands in an event.
type Place string

// The places of facets.
const (
	OfRun     Place = "run"
	OfJob     Place = "job"
	OfDataset Place = "dataset"
	OfInput   Place = "input"
	OfOutput  Place = "output"
)

// Facet is a row of the table of facets in docs/openlineage.md.
type Facet struct {
	Key string
	Of  Place
	// Becomes tells which values of aspects follow from the facet.
	Becomes string
	// Example is a value of the facet.
	Example string
}

// Place tells in which answer of /openlineage/facets the facet is: for the URN of which entity, and in which member.
func (f *Facet) Place() string {
	switch f.Of {
	case OfInput:
		return "run, `inputs`"
	case OfOutput:
		return "run, `outputs`"
	case OfDataset:
		if slices.Contains(facetsOfRun, f.Key) {
			return "dataset; run, `inputs` and `outputs`"
		}
		return "dataset"
	}
	return string(f.Of)
}

// Facets lists the facets of the specification.
func Facets() []Facet {
	return []Facet{
		{"parent", OfRun, "`parentInstance` of the run; the flow of the job", `{"run":{"runId":"p"},"job":{"namespace":"n","name":"parent"}}`},
		{"nominalTime", OfRun, "custom properties of the run, and its type BATCH_SCHEDULED", `{"nominalStartTime":"2026-11-27T00:00:00Z"}`},
		{"errorMessage", OfRun, "custom properties of the run", `{"message":"broken","programmingLanguage":"python"}`},
		{"externalQuery", OfRun, "custom properties of the run", `{"externalQueryId":"q1","source":"bigquery"}`},
		{"extractionError", OfRun, "custom properties of the run", `{"totalTasks":2,"failedTasks":1,"errors":[]}`},
		{"processing_engine", OfRun, "custom properties of the run, the job and the flow; the orchestrator of the flow", `{"version":"3.5","name":"spark"}`},
		{"environmentVariables", OfRun, "custom properties of the run; values with secret names are masked", `{"environmentVariables":[{"name":"REGION","value":"eu"}]}`},
		{"executionParameters", OfRun, "custom properties of the run; values with secret names are masked", `{"parameters":[{"key":"k","value":"v"}]}`},
		{"jobDependencies", OfRun, "`inputDatajobs` of the job, `upstreamInstances` of the run", `{"upstream":[{"job":{"namespace":"n","name":"before"},"run":{"runId":"b"}}]}`},
		{"tags", OfRun, "custom properties of the run", `{"tags":[{"key":"team","value":"lake"}]}`},
		{"test", OfRun, "custom properties of the run: the status of each test", `{"tests":[{"name":"not_null","status":"pass"}]}`},
		{"documentation", OfJob, "the description of the job, and of the flow if the job is the flow", `{"description":"Copies orders."}`},
		{"ownership", OfJob, "`ownership` of the job", `{"owners":[{"name":"team:lake","type":"DEVELOPER"}]}`},
		{"tags", OfJob, "`globalTags` of the job", `{"tags":[{"key":"team","value":"lake"}]}`},
		{"jobType", OfJob, "the type and custom properties of the job; the orchestrator of the flow", `{"processingType":"BATCH","integration":"SPARK","jobType":"SQL_JOB"}`},
		{"sql", OfJob, "the custom property `sql` of the job", `{"query":"select 1"}`},
		{"sourceCode", OfJob, "custom properties of the job", `{"language":"python","sourceCode":"pass"}`},
		{"sourceCodeLocation", OfJob, "`externalUrl` and custom properties of the job", `{"type":"git","url":"https://example.com/x"}`},
		{"lineage", OfJob, "inputs, outputs and `fineGrainedLineages` of the job; for an output it counts more than `columnLineage`", `{"entries":[{"namespace":"s3://lake","name":"out","type":"DATASET","inputs":[],"fields":{"id":{"inputs":[{"namespace":"mysql://db:3306","name":"shop.in","type":"DATASET","field":"id"}]}}}]}`},
		{"schema", OfDataset, "`schemaMetadata`, unless another source has written it", `{"fields":[{"name":"id","type":"bigint"}]}`},
		{"columnLineage", OfDataset, "`fineGrainedLineages` of the job that writes the dataset", `{"fields":{"id":{"inputFields":[{"namespace":"n","name":"d","field":"id"}]}}}`},
		{"symlinks", OfDataset, "the URN of the dataset", `{"identifiers":[{"namespace":"hive://h","name":"db.t","type":"TABLE"}]}`},
		{"documentation", OfDataset, "the description in `datasetProperties`, unless another source has written these", `{"description":"Orders."}`},
		{"ownership", OfDataset, "`ownership`", `{"owners":[{"name":"user:ada"}]}`},
		{"tags", OfDataset, "`globalTags`; with a field, the tags of the column", `{"tags":[{"key":"gold","value":"true"}]}`},
		{"datasetType", OfDataset, "`subTypes`", `{"datasetType":"VIEW"}`},
		{"storage", OfDataset, "custom properties", `{"storageLayer":"iceberg","fileFormat":"parquet"}`},
		{"catalog", OfDataset, "custom properties; the platform of tables in a warehouse", `{"framework":"iceberg","type":"rest","name":"c"}`},
		{"dataSource", OfDataset, "the custom property `dataSource`: its name", `{"name":"db","uri":"postgres://db"}`},
		{"hierarchy", OfDataset, "custom properties: the name of each level", `{"hierarchy":[{"type":"DATABASE","name":"db"}]}`},
		{"lineage", OfDataset, "`upstreamLineage`, unless another source has written it", `{"inputs":[{"namespace":"mysql://db:3306","name":"shop.in","type":"DATASET"}]}`},
		{"lifecycleStateChange", OfDataset, "the type of the `operation` of the run that wrote the dataset", `{"lifecycleStateChange":"CREATE"}`},
		{"version", OfDataset, "a custom property of the run and of its `operation`", `{"datasetVersion":"7"}`},
		{"dataQualityMetrics", OfDataset, "`datasetProfile`", `{"rowCount":1,"columnMetrics":{"id":{"nullCount":0}}}`},
		{"dataQualityAssertions", OfDataset, "assertions, and their results in the run", `{"assertions":[{"assertion":"not_null","success":true,"column":"id"}]}`},
		{"dataQualityMetrics", OfInput, "`datasetProfile`", `{"rowCount":1,"columnMetrics":{}}`},
		{"dataQualityAssertions", OfInput, "assertions, and their results in the run", `{"assertions":[{"assertion":"not_null","success":false,"column":"id"}]}`},
		{"inputStatistics", OfInput, "custom properties of the run", `{"rowCount":3}`},
		{"subset", OfInput, "custom properties of the run", `{"inputCondition":{"type":"partition","partitions":[{"dimensions":{"day":"2026-11-27"}}]}}`},
		{"icebergScanReport", OfInput, "custom properties of the run", `{"snapshotId":1}`},
		{"outputStatistics", OfOutput, "`operation` of the dataset; custom properties of the run", `{"rowCount":3,"size":10}`},
		{"subset", OfOutput, "the partition of the `operation`, if it is one; custom properties of the run", `{"outputCondition":{"type":"partition","partitions":[{"dimensions":{"day":"2026-11-27"}}]}}`},
		{"icebergCommitReport", OfOutput, "custom properties of the run", `{"snapshotId":2}`},
	}
}
