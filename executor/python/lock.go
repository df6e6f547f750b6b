package python

import (
	"context"
	"errors"
	"os"
	"syscall"
	"time"
)

// held is a lock on a file, which ends with the process at the latest.
type held struct{ file *os.File }

// Close ends the lock.
func (h *held) Close() { h.file.Close() }

// retry is the pause between two attempts to get a lock.
const retry = 100 * time.Millisecond

func lockShared(ctx context.Context, path string) (*held, error) {
	return lock(ctx, path, syscall.LOCK_SH)
}

// lock waits for a lock.
func lock(ctx context.Context, path string, how int) (*held, error) {
	for {
		h, err := tryLock(path, how)
		if h != nil || err != nil {
			return h, err
		}
		select {
		case <-time.After(retry):
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

// tryLock returns nil if somebody else has the lock.
func tryLock(path string, how int) (*held, error) {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	err = syscall.Flock(int(file.Fd()), how|syscall.LOCK_NB)
	if err == nil {
		return &held{file}, nil
	}
	file.Close()
	if errors.Is(err, syscall.EWOULDBLOCK) || errors.Is(err, syscall.EINTR) {
		return nil, nil
	}
	return nil, err
}
