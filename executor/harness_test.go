package executor_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/headwater-io/headwater/catalog/ingestion"
	"github.com/headwater-io/headwater/executor"
	"github.com/headwater-io/headwater/executor/python"
	"github.com/headwater-io/headwater/internal/testing/testclock"
)

var (
	errGone = errors.New("gone")
	errAway = errors.New("the server is away")
)

// queue is a server's queue in memory.
type queue struct {
	mu      sync.Mutex
	waiting []*ingestion.Run
	secrets []ingestion.Secret
	ended   map[string]ingestion.Outcome
	claims  []ingestion.Claim
	// progress are the logs that executors sent while runs went on.
	progress []string
	// cancel, gone and away change the answers of the queue.
	cancel, gone, away bool
	// asked counts the claims.
	asked int
}

func newQueue(runs ...*ingestion.Run) *queue {
	return &queue{waiting: runs, ended: map[string]ingestion.Outcome{}}
}

func (q *queue) Claim(ctx context.Context, claim ingestion.Claim, wait time.Duration) (*ingestion.Run, error) {
	end := time.After(min(wait, 50*time.Millisecond))
	for {
		q.mu.Lock()
		q.asked++
		away := q.away
		var run *ingestion.Run
		if !away && len(q.waiting) > 0 {
			run, q.waiting = q.waiting[0], q.waiting[1:]
			q.claims = append(q.claims, claim)
		}
		q.mu.Unlock()
		if away {
			return nil, errAway
		}
		if run != nil {
			return run, nil
		}
		select {
		case <-time.After(time.Millisecond):
		case <-end:
			return nil, nil
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

func (q *queue) Renew(_ context.Context, p ingestion.Progress) (*ingestion.Renewed, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.away {
		return nil, errAway
	}
	if q.gone {
		return nil, errGone
	}
	if p.Log != "" {
		q.progress = append(q.progress, p.Log)
	}
	return &ingestion.Renewed{Cancel: q.cancel}, nil
}

func (q *queue) End(_ context.Context, o ingestion.Outcome) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.away {
		return errAway
	}
	if q.gone {
		return errGone
	}
	if _, twice := q.ended[o.Lease]; twice {
		return fmt.Errorf("%s ended twice", o.Lease)
	}
	q.ended[o.Lease] = o
	return nil
}

func (q *queue) Secrets(_ context.Context, lease string) ([]ingestion.Secret, error) {
	if lease == "" {
		return nil, errGone
	}
	return q.secrets, nil
}

func (q *queue) set(change func()) {
	q.mu.Lock()
	defer q.mu.Unlock()
	change()
}

func (q *queue) outcome(lease string) (o ingestion.Outcome, ended bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	o, ended = q.ended[lease]
	return o, ended
}

func (q *queue) told() string {
	q.mu.Lock()
	defer q.mu.Unlock()
	return strings.Join(q.progress, "\n")
}

// aRun returns a run of a recipe, with its lease as its name.
func aRun(lease, recipe string) *ingestion.Run {
	return &ingestion.Run{URN: "urn:li:dataHubExecutionRequest:" + lease, Lease: lease, Task: ingestion.TaskIngest, Recipe: recipe, Attempt: 1, Until: time.Now().Add(time.Minute)}
}

const plainRecipe = `{"source":{"type":"file","config":{"path":"x"}},"pipeline_name":"p"}`

// running is an executor that runs.
type running struct {
	*queue
	dir  string
	stop func()
	done chan error
}

// start starts an executor whose client is a script of sh, which finds its arguments in $@ and the path of its
// report in $REPORT.
func start(t *testing.T, q *queue, script string, change func(*executor.Options, *executor.Client)) *running {
	t.Helper()
	prepared := t.TempDir()
	if err := os.MkdirAll(filepath.Join(prepared, "bin"), 0o700); err != nil {
		t.Fatal(err)
	}
	const head = `#!/bin/sh
before=
for one; do
  [ "$before" = --report-to ] && REPORT=$one
  [ "$before" = -c ] && RECIPE=$one
  before=$one
done
`
	if err := os.WriteFile(filepath.Join(prepared, "bin", "datahub"), []byte(head+script+"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	supervisor := []string{os.Args[0], "supervise"}
	client := &executor.Client{
		Environments: python.New(python.Options{Prepared: prepared}), Environ: append(os.Environ(), "OWN_SECRET=of the executor"), Supervisor: supervisor, Grace: 300 * time.Millisecond,
	}
	r := &running{queue: q, dir: t.TempDir(), done: make(chan error, 1)}
	o := executor.Options{
		Queue: q, Gone: func(err error) bool { return errors.Is(err, errGone) }, Claim: ingestion.Claim{Worker: "tester"}, Dir: r.dir, Server: "http://127.0.0.1:8080", Token: "token-of-the-executor",
		Logger: slog.New(slog.DiscardHandler), Renew: 20 * time.Millisecond, Pause: 5 * time.Millisecond, Runners: []executor.Runner{client},
	}
	if change != nil {
		change(&o, client)
	}
	ctx, cancel := context.WithCancel(t.Context())
	r.stop = cancel
	go func() { r.done <- executor.New(o).Run(ctx) }()
	t.Cleanup(func() { r.end(t) })
	return r
}

// end stops the executor, which leaves nothing.
func (r *running) end(t *testing.T) {
	t.Helper()
	r.stop()
	select {
	case err := <-r.done:
		if err != nil {
			t.Error(err)
		}
		r.done <- nil
	case <-time.After(20 * time.Second):
		t.Fatal("the executor does not stop")
	}
	if left, _ := filepath.Glob(filepath.Join(r.dir, "*", "run-*")); len(left) > 0 {
		t.Errorf("%q is left", left)
	}
}

// await returns the outcome of a run.
func (r *running) await(t *testing.T, lease string) ingestion.Outcome {
	t.Helper()
	var o ingestion.Outcome
	testclock.Await(t, "the end of the run "+lease, func() (ended bool) {
		o, ended = r.outcome(lease)
		return ended
	})
	return o
}
