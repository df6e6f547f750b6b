package limits

import "time"

// Limits of the runs of ingestion sources that an executor takes.
const (
	// DefaultRunsAtOnce is how many runs an executor has at once.
	DefaultRunsAtOnce = 2
	// DefaultRunTime is how long a run may take.
	DefaultRunTime = 24 * time.Hour
	// DefaultRunMemory is how many bytes the processes of a run may have in memory together.
	DefaultRunMemory = 4 << 30
	// DefaultEnvironmentBytes is how many bytes the Python environments of an executor may take on disk.
	DefaultEnvironmentBytes = 10 << 30
	// RunFiles is how many files each process of a run may have open, RunFileBytes how large a file may get that it
	// writes.
	RunFiles     = 4096
	RunFileBytes = 4 << 30
)

// executor lists the limits of runs.
func executor() []Limit {
	return []Limit{
		{Name: "runs at once", Value: DefaultRunsAtOnce, Unit: "runs", Setting: "executor-runs", Meaning: "The runs that an executor has at once. Others wait."},
		{Name: "time of a run", Value: int64(DefaultRunTime / time.Second), Unit: "seconds", Setting: "executor-time", Meaning: "How long a run may take. A run that takes longer is stopped and ends with the status TIMEOUT."},
		{Name: "memory of a run", Value: DefaultRunMemory, Unit: "bytes", Setting: "executor-memory", Meaning: "What the processes of a run have in memory together. A run that uses more is killed and fails."},
		{Name: "Python environments", Value: DefaultEnvironmentBytes, Unit: "bytes", Setting: "executor-disk", Meaning: "What the Python environments of an executor take on disk. Beyond it, those that were not used for longest are removed, unless a run uses them."},
		{Name: "files of a run", Value: RunFiles, Unit: "files", Meaning: "The files that each process of a run may have open. The process gets an error for more."},
		{Name: "file of a run", Value: RunFileBytes, Unit: "bytes", Meaning: "How large a file may get that a run writes. A process that writes more is ended by a signal."},
	}
}
