package executor

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"github.com/headwater-io/headwater/catalog/ingestion"
	"github.com/headwater-io/headwater/client"
	"github.com/headwater-io/headwater/client/runs"
	"github.com/headwater-io/headwater/connectors/run"
	"github.com/headwater-io/headwater/executor/process"
	"github.com/headwater-io/headwater/executor/python"
	"github.com/headwater-io/headwater/internal/limits"
)

// Settings are the settings of an executor as people give them. 0 and "" mean the defaults.
type Settings struct {
	// Server is the address of the server, Token the access token of the executor, and RunToken that with which runs
	// write, which is Token by default.
	Server, Token, RunToken string
	// Dir is the directory of environments and of the files of runs.
	Dir string
	// IDs are the executor IDs whose runs are taken.
	IDs []string
	// Parallel, Time, Memory and Disk are the bounds of runs.
	Parallel     int
	Time         time.Duration
	Memory, Disk int64
	// Environments, Wheels, Python and Constraints say how recipes find DataHub's client: in prepared environments, or
	// in environments that are built from wheels, with an interpreter, within constraints.
	Environments, Wheels, Python, Constraints string
	// SQLCache is the directory of the compiled parser of SQL, "" for one in Dir.
	SQLCache string
	// AllowCode lets sources bring code.
	AllowCode bool
	Logger    *slog.Logger
}

// Check returns an error that describes the first fault of the settings.
func (s *Settings) Check() error {
	var errs []error
	if s.Parallel < 0 || s.Time < 0 || s.Memory < 0 || s.Disk < 0 {
		errs = append(errs, errors.New("the number of runs, their time, memory and disk must not be negative"))
	}
	if s.Memory > 0 && s.Memory < leastMemory {
		errs = append(errs, fmt.Errorf("the memory of a run must be at least %d bytes", leastMemory))
	}
	if s.Environments != "" && (s.Wheels != "" || s.Constraints != "") {
		errs = append(errs, errors.New("wheels and constraints have no effect on prepared environments; give one or the other"))
	}
	return errors.Join(errs...)
}

// leastMemory is the smallest bound of memory. No Python client starts with less.
const leastMemory = 64 << 20

// Supervise is the name of the command with which this program supervises a run.
const Supervise = "__supervise"

// Open makes an executor from settings. It starts nothing.
func Open(s Settings) (*Executor, error) {
	if err := s.Check(); err != nil {
		return nil, err
	}
	self, err := process.Self()
	if err != nil {
		return nil, err
	}
	dir, err := filepath.Abs(s.Dir)
	if err != nil {
		return nil, err
	}
	for _, path := range []*string{&s.Environments, &s.Wheels, &s.Constraints, &s.SQLCache} {
		if *path != "" {
			if *path, err = filepath.Abs(*path); err != nil {
				return nil, err
			}
		}
	}
	if s.RunToken == "" {
		s.RunToken = s.Token
	}
	supervisor := []string{self, Supervise}
	runners := []Runner{&Native{
		Unknown: unknownWithoutPython, Program: self, Cache: cmp.Or(s.SQLCache, filepath.Join(dir, "sql")), Environ: os.Environ(), Supervisor: supervisor, Memory: s.Memory,
	}, &Client{
		Environments: python.New(python.Options{
			Dir: filepath.Join(dir, "python"), Prepared: s.Environments, Wheels: s.Wheels, Python: s.Python, Constraints: s.Constraints, Disk: s.Disk, Environ: os.Environ(), Supervisor: supervisor,
		}),
		Environ: os.Environ(), Supervisor: supervisor, Memory: s.Memory,
	}}
	return New(Options{
		Queue: runs.New(client.New(s.Server, s.Token, limits.IngestionWait+slack)), Gone: runs.IsGone,
		Claim: ingestion.Claim{Worker: worker(), Executors: s.IDs}, Dir: filepath.Join(dir, "runs"), Runners: runners,
		Server: s.Server, Token: s.RunToken, AllowCode: s.AllowCode, Parallel: s.Parallel, Time: s.Time, Logger: s.Logger,
	}), nil
}

// unknownWithoutPython is [Native.Unknown] for the connectors of this program.
func unknownWithoutPython(kind string, config map[string]any) (unknown []string, reads bool) {
	connector, err := run.Connector(kind, nil)
	if err != nil {
		return nil, false
	}
	return connector.Unknown(config), true
}

// slack is how much longer than a wait a request may take.
const slack = 30 * time.Second

// worker names this process for people.
func worker() string {
	host, err := os.Hostname()
	if err != nil || len(host) > 200 {
		host = "unknown host"
	}
	return fmt.Sprintf("%s, process %d", host, os.Getpid())
}
