package executor

import (
	"context"
	"sync"
	"time"

	"github.com/headwater-io/headwater/catalog/ingestion"
	"github.com/headwater-io/headwater/executor/runlog"
	"github.com/headwater-io/headwater/internal/limits"
)

// lease is the right to a run, with the log that is told when it is renewed.
type lease struct {
	e      *Executor
	run    *ingestion.Run
	cancel context.CancelCauseFunc

	mu  sync.Mutex
	log *runlog.Log
	// until is when another executor may have the run, by the clock of this process.
	until time.Time
}

func newLease(e *Executor, run *ingestion.Run, cancel context.CancelCauseFunc) *lease {
	// The clocks of the two machines may differ, so the lease is counted from its answer.
	return &lease{e: e, run: run, cancel: cancel, log: runlog.New(limits.IngestionLog-logNotes, nil), until: time.Now().Add(ingestion.LeaseTerm)}
}

// logNotes is the room, in bytes, that a log leaves for the executor's notes about it.
const logNotes = 1 << 10

// maskWith begins a new log, in which secrets are masked.
func (l *lease) maskWith(secrets map[string]string, token string) {
	all := map[string]string{}
	for name, value := range secrets {
		all[name] = value
	}
	if token != "" {
		all["TOKEN"] = token
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.log = runlog.New(limits.IngestionLog-logNotes, runlog.NewMask(all))
}

func (l *lease) logOf() *runlog.Log {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.log
}

func (l *lease) extend() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.until = time.Now().Add(ingestion.LeaseTerm)
}

func (l *lease) left() time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	return time.Until(l.until)
}

// renewUntil renews the lease until the context ends. It ends the run when the server says so, and when the server
// cannot be reached until the lease is over.
func (l *lease) renewUntil(ctx context.Context) {
	var told int64
	pause := l.e.Renew
	for {
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return
		}
		pause = l.e.Renew
		tail, written := l.logOf().Tail(limits.IngestionProgress)
		progress := ingestion.Progress{Lease: l.run.Lease}
		if written != told {
			progress.Log = tail
		}
		call, cancel := context.WithTimeout(ctx, max(l.left(), time.Second))
		renewed, err := l.e.Queue.Renew(call, progress)
		cancel()
		switch {
		case ctx.Err() != nil:
			return
		case err == nil:
			told = written
			l.extend()
			if renewed.Cancel {
				l.cancel(errCancelled)
			}
		case l.e.Gone(err):
			l.cancel(errLost)
			return
		default:
			l.e.Logger.WarnContext(ctx, "the lease of a run could not be renewed", "run", l.run.URN, "error", err)
			if l.left() <= 0 {
				l.cancel(errLost)
				return
			}
			pause = min(l.e.Renew, max(l.left()/4, 50*time.Millisecond))
		}
	}
}

// farewell is how long an executor that was stopped tries to tell the end of a run.
const farewell = 10 * time.Second

// end tells the server how the run ended. It tries again until the server has taken it, or has given the run
// away, or could not be reached for as long as a lease is. A stopped executor gives up earlier.
func (l *lease) end(stopping context.Context, o ingestion.Outcome) error {
	l.extend()
	ctx, began := context.WithoutCancel(stopping), time.Now()
	for pause := l.e.Pause; ; pause = min(2*pause, longestPause) {
		call, cancel := context.WithTimeout(ctx, farewell)
		err := l.e.Queue.End(call, o)
		cancel()
		if err == nil || l.e.Gone(err) || l.left() <= 0 || stopping.Err() != nil && time.Since(began) > farewell {
			return err
		}
		l.e.Logger.WarnContext(ctx, "the end of a run is told again", "run", l.run.URN, "error", err, "again_in", pause)
		time.Sleep(min(pause, max(l.left(), 0)))
	}
}
