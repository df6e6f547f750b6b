// Package ingestion contains ingestion sources and their runs: recipes with a schedule,
// which runs are due, which executor may run which of them, how they end, and what they wrote.
//
// A source is an entity dataHubIngestionSource, a run an entity dataHubExecutionRequest. Both have the
// aspects of the reference, so that its page, its clients and its own executor understand them. Facts
// that only executors need, such as leases, are kept in records.
package ingestion

import "time"

// The tasks of runs, as the reference names them.
const (
	TaskIngest         = "RUN_INGEST"
	TaskTestConnection = "TEST_CONNECTION"
)

// The states of runs, as the reference names them in dataHubExecutionRequestResult. A run that no executor
// has begun has no result.
const (
	StatusRunning        = "RUNNING"
	StatusSuccess        = "SUCCESS"
	StatusFailure        = "FAILURE"
	StatusCancelled      = "CANCELLED"
	StatusAborted        = "ABORTED"
	StatusDuplicate      = "DUPLICATE"
	StatusTimeout        = "TIMEOUT"
	StatusUpForRetry     = "UP_FOR_RETRY"
	StatusRollingBack    = "ROLLING_BACK"
	StatusRolledBack     = "ROLLED_BACK"
	StatusRollbackFailed = "ROLLBACK_FAILED"
)

// DefaultExecutor is the ID of the executors that take the runs of sources that name no other.
const DefaultExecutor = "default"

// Claim asks for a run.
type Claim struct {
	// Worker names one process of an executor, for people who look at a run.
	Worker string `json:"worker"`
	// Executors are the IDs whose runs the worker takes; none means [DefaultExecutor].
	Executors []string `json:"executors,omitempty"`
}

// Run is the work that an executor has, for as long as its lease lasts.
type Run struct {
	// URN is the URN of the execution request, and the run ID of all that the run writes: the recipe has it as run_id.
	URN string `json:"urn"`
	// Lease is shown by whoever renews or ends the run.
	Lease string `json:"lease"`
	// Until is the end of the lease. Another worker may take the run afterwards.
	Until time.Time `json:"until"`
	// Task is [TaskIngest] or [TaskTestConnection].
	Task string `json:"task"`
	// Source is the URN of the ingestion source, "" for a run without one.
	Source string `json:"source,omitempty"`
	// Name is the name of the source, for people.
	Name string `json:"name,omitempty"`
	// Type is the kind of source, such as snowflake.
	Type string `json:"type,omitempty"`
	// Recipe is JSON, in which ${NAME} stands for the value of a secret.
	Recipe string `json:"recipe"`
	// Version is the version of the client that runs the recipe, "" for the executor's default.
	Version string `json:"version,omitempty"`
	// Debug asks for a log with details.
	Debug bool `json:"debug,omitempty"`
	// ExtraArgs are the further arguments of the source, such as extra_pip_requirements.
	ExtraArgs map[string]string `json:"extraArgs,omitempty"`
	// Attempt counts from 1.
	Attempt int `json:"attempt"`
}

// Progress is an executor's report of a run that goes on.
type Progress struct {
	Lease string `json:"lease"`
	// Log is the end of the log so far, "" if it has not changed since the last report.
	Log string `json:"log,omitempty"`
}

// Renewed answers a [Progress].
type Renewed struct {
	Until time.Time `json:"until"`
	// Cancel tells that the executor is to stop the run.
	Cancel bool `json:"cancel,omitempty"`
}

// Outcome is how a run ended.
type Outcome struct {
	Lease string `json:"lease"`
	// Status is one of [StatusSuccess], [StatusFailure], [StatusCancelled], [StatusTimeout].
	Status string `json:"status"`
	// Log is the log of the run, without the values of secrets.
	Log string `json:"log"`
	// Report is the structured report, JSON, "" if there is none.
	Report string `json:"report,omitempty"`
	// ReportType is the kind of Report, such as RUN_INGEST or TEST_CONNECTION; "" means the task of the run.
	ReportType string `json:"reportType,omitempty"`
	// Retry tells that another attempt may help, as after a lost connection.
	Retry bool `json:"retry,omitempty"`
}

// Leased is the body of a request about a run that needs nothing but its lease.
type Leased struct {
	Lease string `json:"lease"`
}

// Secret is a secret that the recipe of a run names, in clear text.
type Secret struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// Secrets are the secrets that the recipe of a run names. Secrets that the catalog does not have are left out.
type Secrets struct {
	Secrets []Secret `json:"secrets"`
}
