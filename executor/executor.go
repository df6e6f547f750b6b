// Package executor takes runs of ingestion sources from a server, runs them as children of this process, and
// tells the server how they go on and end. A run is leased: if its executor is gone, another one may have it.
package executor

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/headwater-io/headwater/catalog/ingestion"
	"github.com/headwater-io/headwater/executor/recipe"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/internal/safely"
	"github.com/headwater-io/headwater/internal/tasks"
)

// Queue is where an executor takes runs from. An error for which Gone is true means that the executor does not
// have the run any more.
type Queue interface {
	Claim(ctx context.Context, claim ingestion.Claim, wait time.Duration) (*ingestion.Run, error)
	Renew(ctx context.Context, p ingestion.Progress) (*ingestion.Renewed, error)
	End(ctx context.Context, o ingestion.Outcome) error
	Secrets(ctx context.Context, lease string) ([]ingestion.Secret, error)
}

// Options configure an Executor. Queue, Gone, Dir, Runners and Server are required.
type Options struct {
	Queue Queue
	// Gone reports whether an error of the queue says that the executor does not have the run any more.
	Gone func(error) bool
	// Claim names this executor, and the runs that it takes.
	Claim ingestion.Claim
	// Dir is the directory of the directories of runs that go on. The first run makes Dir.
	Dir string
	// Runners run recipes. Of the runners that can run a recipe, the first one does.
	Runners []Runner
	// Server is the address to which runs write by default, as their processes reach it. Token is their access token
	// for it, "" for none.
	Server, Token string
	// AllowCode lets recipes name code in place of registered types, and lets sources ask for packages and variables of
	// the environment.
	AllowCode bool
	// Parallel is how many runs there are at once, Time how long each may take. 0 means the defaults.
	Parallel int
	Time     time.Duration
	// Wait is how long a claim waits for a run, Renew the pause between two reports of a run, and Pause the first
	// pause after a failed call. 0 means the defaults.
	Wait, Renew, Pause time.Duration
	Logger             *slog.Logger
}

// Runner runs recipes.
type Runner interface {
	// Takes reports whether the runner can run a recipe. The reason says why not, if it could have.
	Takes(w *Work) (takes bool, reason string)
	// Run runs the recipe until it ends or the context does. The error says why the run failed, for the person who
	// looks at it.
	Run(ctx context.Context, w *Work) (Report, error)
}

// Report is the report that a run leaves beside its log.
type Report struct {
	// Structured is the structured report, JSON, or "".
	Structured string
	// Retry says that a failure may pass.
	Retry bool
}

// Executor takes runs and runs them.
type Executor struct {
	Options
	slots chan struct{}
	work  *tasks.Group
	own   ownDir
}

// New makes an executor.
func New(o Options) *Executor {
	if o.Parallel <= 0 {
		o.Parallel = limits.DefaultRunsAtOnce
	}
	if o.Time <= 0 {
		o.Time = limits.DefaultRunTime
	}
	if o.Wait <= 0 {
		o.Wait = limits.IngestionWait
	}
	if o.Renew <= 0 {
		o.Renew = ingestion.RenewalPause
	}
	if o.Pause <= 0 {
		o.Pause = firstPause
	}
	if o.Logger == nil {
		o.Logger = slog.Default()
	}
	return &Executor{Options: o, slots: make(chan struct{}, o.Parallel), work: tasks.New("executor", o.Logger)}
}

// The pauses after calls that failed.
const (
	firstPause   = time.Second
	longestPause = 30 * time.Second
)

// Run takes runs until the context ends. Then it stops the runs that go on, tells the server, and returns.
func (e *Executor) Run(ctx context.Context) error {
	defer e.own.close()
	var running sync.WaitGroup
	defer running.Wait() // before the directory of this process is removed
	pause := e.Pause
	for {
		select {
		case e.slots <- struct{}{}:
		case <-ctx.Done():
			return nil
		}
		e.recoverRemains(ctx)
		asked := time.Now()
		run, err := e.Queue.Claim(ctx, e.Claim, e.Wait)
		if run == nil {
			<-e.slots
		}
		switch {
		case run != nil:
			pause = e.Pause
			running.Add(1)
			e.work.Go("run", func() {
				defer running.Done()
				defer func() { <-e.slots }()
				e.take(ctx, run)
			})
			continue
		case ctx.Err() != nil:
			return nil
		case err == nil:
			pause = e.Pause
			if time.Since(asked) >= e.Pause {
				continue // the server has waited
			}
		default:
			e.Logger.WarnContext(ctx, "no run could be asked for", "error", err, "again_in", pause)
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return nil
		}
		if err != nil {
			pause = min(2*pause, longestPause)
		}
	}
}

// The reasons for which the context of a run ends.
var (
	errCancelled = errors.New("the run was cancelled")
	errStopped   = errors.New("the executor was stopped")
	errTimeout   = errors.New("the run took too long")
	errLost      = errors.New("the executor has lost the run, because it could not reach the server in time")
)

// take runs a run and ends it.
func (e *Executor) take(stopping context.Context, run *ingestion.Run) {
	logger := e.Logger.With("run", run.URN, "source", run.Name)
	logger.Info("a run begins", "attempt", run.Attempt)
	// The end of the executor is told to the server, so the calls about the run outlive it.
	calls := context.WithoutCancel(stopping)
	ctx, cancel := context.WithCancelCause(calls)
	defer cancel(nil)
	defer context.AfterFunc(stopping, func() { cancel(errStopped) })()
	timer := time.AfterFunc(e.Time, func() { cancel(errTimeout) })
	defer timer.Stop()
	l := newLease(e, run, cancel)
	renewing, renewed := context.WithCancel(calls)
	done := make(chan struct{})
	e.work.Go("lease", func() {
		defer close(done)
		l.renewUntil(renewing)
	})
	outcome := e.perform(ctx, run, l)
	lost := errors.Is(context.Cause(ctx), errLost)
	if !lost {
		err := l.end(stopping, outcome)
		lost = err != nil
		if err != nil {
			logger.Error("the end of a run could not be told to the server", "error", err)
		}
	}
	renewed()
	<-done
	logger.Info("a run has ended", "status", outcome.Status, "lost", lost)
}

// perform runs a run and returns how it ended.
func (e *Executor) perform(ctx context.Context, run *ingestion.Run, l *lease) (o ingestion.Outcome) {
	var report Report
	err := safely.Do(func() (err error) {
		report, err = e.attempt(ctx, run, l)
		return err
	})
	o = ingestion.Outcome{Lease: run.Lease, Status: ingestion.StatusSuccess, Retry: report.Retry}
	log := l.logOf()
	cause := context.Cause(ctx)
	switch {
	case err == nil:
		log.Print("The run succeeded.")
	case errors.Is(cause, errCancelled):
		o.Status, o.Retry = ingestion.StatusCancelled, false
		log.Print("The run was cancelled.")
	case errors.Is(cause, errTimeout):
		o.Status, o.Retry = ingestion.StatusTimeout, false
		log.Print("The run took longer than %s and was stopped.", e.Time)
	case cause != nil:
		o.Status, o.Retry = ingestion.StatusFailure, true
		log.Print("The run failed: %v.", cause)
	default:
		o.Status = ingestion.StatusFailure
		log.Print("The run failed: %v", err)
	}
	o.Log = log.Text()
	if report.Structured != "" {
		o.Report, o.ReportType = log.Mask(report.Structured), run.Task
	}
	return o
}

// attempt prepares the work of a run and gives it to a runner.
func (e *Executor) attempt(ctx context.Context, run *ingestion.Run, l *lease) (Report, error) {
	dir, held, err := e.own.forRun(e.Dir, run.Lease)
	if err != nil {
		return Report{Retry: true}, fmt.Errorf("the directory of the run: %w", err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	read, err := recipe.Read(run.Recipe, recipe.Options{Server: e.Server, AllowCode: e.AllowCode})
	if err != nil {
		return Report{}, err
	}
	secrets, err := e.secrets(ctx, run, read)
	if err != nil {
		return Report{Retry: true}, err
	}
	l.maskWith(secrets, e.Token)
	if missing := missingOf(read, secrets); missing != "" {
		return Report{}, errors.New(missing)
	}
	w := &Work{Run: run, Recipe: read, Secrets: secrets, Dir: filepath.Join(dir, workName), Held: held, Log: l.logOf(), Server: e.Server, Token: e.Token, AllowCode: e.AllowCode}
	if err := os.Mkdir(w.Dir, 0o700); err != nil {
		return Report{Retry: true}, err
	}
	runner, err := e.choose(w)
	if err != nil {
		return Report{}, err
	}
	return runner.Run(ctx, w)
}

// workName is the working directory of a run within its directory, where the run cannot hit on the lease by chance.
const workName = "work"

// choose returns the runner of a run.
func (e *Executor) choose(w *Work) (Runner, error) {
	reasons := ""
	for _, runner := range e.Runners {
		takes, reason := runner.Takes(w)
		if takes {
			return runner, nil
		}
		if reason != "" {
			reasons += "; " + reason
		}
	}
	return nil, fmt.Errorf("nothing here runs sources of the type %s%s", w.Recipe.Type, reasons)
}
