package executor

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"syscall"

	"github.com/headwater-io/headwater/catalog/ingestion"
)

// ownDir is the directory of this process, with one for each of its runs. It is made by the first run, so that an
// executor without runs writes nothing.
type ownDir struct {
	mu   sync.Mutex
	path string
	lock *os.File
}

// forRun makes the directory of a run, and notes the run's lease in it. It also returns the file with the lock.
func (o *ownDir) forRun(in, lease string) (string, *os.File, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.path == "" {
		if err := o.open(in); err != nil {
			return "", nil, err
		}
	}
	dir, err := os.MkdirTemp(o.path, runPrefix)
	if err != nil {
		return "", nil, err
	}
	return dir, o.lock, os.WriteFile(filepath.Join(dir, leaseName), []byte(lease), 0o600)
}

// open makes the directory of this process.
func (o *ownDir) open(in string) error {
	if err := os.MkdirAll(in, 0o700); err != nil {
		return err
	}
	for range openTries {
		path, err := os.MkdirTemp(in, processPrefix)
		if err != nil {
			return err
		}
		// Another executor may have taken the new directory for one that was left, and removed it.
		if lock, err := lockDir(filepath.Join(path, lockName)); err == nil && lock != nil {
			o.path, o.lock = path, lock
			return nil
		}
	}
	return errors.New("other executors remove it again and again")
}

// openTries bounds the attempts to make the directory of this process.
const openTries = 10

// close removes the directory.
func (o *ownDir) close() {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.path == "" {
		return
	}
	_ = os.RemoveAll(o.path)
	o.lock.Close()
	o.path = ""
}

// Each process of an executor has a directory of its own, in which it holds a lock while it, or a process of its
// runs, is alive. So another executor recognises the files of a killed process, and does not touch the files of a
// running one.
const (
	processPrefix = "process-"
	lockName      = "lock"
	runPrefix     = "run-"
	leaseName     = "lease"
)

// lockDir takes the lock of a directory, which is nil if another process has it.
func lockDir(path string) (*os.File, error) {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		file.Close()
		return nil, nil //nolint:nilerr // another process has the lock
	}
	locked, err1 := file.Stat()
	named, err2 := os.Stat(path)
	if err1 != nil || err2 != nil || !os.SameFile(locked, named) {
		file.Close()
		return nil, nil //nolint:nilerr // another process has removed it before the lock
	}
	return file, nil
}

// longestLease bounds how many bytes of a noted lease are read.
const longestLease = 4096

// recoverRemains ends the runs of processes that were killed, and removes the files that these processes have left. A run whose
// end cannot be told ends with its lease.
func (e *Executor) recoverRemains(ctx context.Context) {
	left, err := filepath.Glob(filepath.Join(e.Dir, processPrefix+"*"))
	if err != nil {
		return
	}
	for _, dir := range left {
		lock, err := lockDir(filepath.Join(dir, lockName))
		if err != nil || lock == nil {
			continue // another process makes, removes or uses the directory
		}
		runs, _ := filepath.Glob(filepath.Join(dir, runPrefix+"*", leaseName))
		for _, file := range runs {
			lease, err := os.ReadFile(file)
			if err != nil || len(lease) == 0 || len(lease) > longestLease {
				continue
			}
			err = e.Queue.End(ctx, ingestion.Outcome{Lease: string(lease), Status: ingestion.StatusFailure, Retry: true, Log: "The run failed: its executor was killed.\n"})
			e.Logger.WarnContext(ctx, "an executor was killed while it had a run", "told", err == nil)
		}
		_ = os.RemoveAll(dir)
		lock.Close()
	}
}
