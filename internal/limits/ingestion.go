package limits

import "time"

// Limits of ingestion sources and their runs.
const (
	// IngestionRecipe is how long a recipe may be, in bytes.
	IngestionRecipe = 1 << 20
	// IngestionText is how long the name, the type, the executor ID, the version and the time zone of a
	// source and its cron expression may each be, in bytes.
	IngestionText = 500
	// IngestionExtraArgs is how many further arguments a source may have, and IngestionExtraArg how long
	// the name and the value of one may be together, in bytes.
	IngestionExtraArgs = 100
	IngestionExtraArg  = 32 << 10
	// IngestionRuns is how many runs may wait or go on at once.
	IngestionRuns = 1_000
	// IngestionWaiters is how many executors may wait for a run at one server at once, and IngestionWait
	// how long each may wait.
	IngestionWaiters = 100
	IngestionWait    = 30 * time.Second
	// IngestionExecutors is how many executor IDs one claim may name.
	IngestionExecutors = 20
	// IngestionProgress is how much of the end of a log is kept while its run goes on, IngestionLog how
	// much of the beginning and the end of a log is kept when the run has ended, and IngestionReport how
	// long a structured report may be, in bytes.
	IngestionProgress = 64 << 10
	IngestionLog      = 1 << 20
	IngestionReport   = 1 << 20
	// IngestionHistory is how many of the newest good runs of a source are known by its record.
	IngestionHistory = 50
	// IngestionRetries is how often a run may be tried again.
	IngestionRetries = 10
)

// ingestion lists the limits of ingestion sources and their runs.
func ingestion() []Limit {
	return []Limit{
		{Name: "ingestion recipe", Value: IngestionRecipe, Unit: "bytes", Meaning: "The recipe of an ingestion source. A longer one is refused with 400, and headwater ingest source does not read it."},
		{Name: "ingestion text", Value: IngestionText, Unit: "bytes", Meaning: "The name of an ingestion source, its type, executor ID, version, cron expression and time zone, and the name of a worker, each. A longer one is refused with 400."},
		{Name: "ingestion arguments", Value: IngestionExtraArgs, Unit: "arguments", Meaning: "The further arguments of an ingestion source. More are refused with 400, and so is an argument of more than 32 KiB."},
		{Name: "ingestion runs", Value: IngestionRuns, Unit: "runs", Meaning: "The runs that wait or go on at once. A further one that a caller asks for is refused with 503; a scheduled one waits until there is room."},
		{Name: "ingestion waiters", Value: IngestionWaiters, Unit: "requests", Meaning: "The executors that wait for a run at one server at once. A further one is refused with 503."},
		{Name: "ingestion wait", Value: int64(IngestionWait / time.Second), Unit: "seconds", Meaning: "The time for which an executor may wait for a run. A longer one is refused with 400."},
		{Name: "ingestion executors", Value: IngestionExecutors, Unit: "IDs", Meaning: "The executor IDs that one claim may name. More are refused with 400."},
		{Name: "ingestion progress", Value: IngestionProgress, Unit: "bytes", Meaning: "The end of the log that is kept while a run goes on. What is before it is cut."},
		{Name: "ingestion log", Value: IngestionLog, Unit: "bytes", Meaning: "The log that is kept of a run. Of a longer one, the middle is cut."},
		{Name: "ingestion report", Value: IngestionReport, Unit: "bytes", Meaning: "The structured report of a run. A longer one is left out, and the log says so."},
		{Name: "ingestion history", Value: IngestionHistory, Unit: "runs", Meaning: "The newest good runs of a source that its record knows, and so the runs after which an edge of lineage may be shown as fading, or ends."},
		{Name: "ingestion retries", Value: IngestionRetries, Unit: "retries", Meaning: "How often a run may be tried again. A source with a larger number in its argument retries is refused with 400."},
	}
}
