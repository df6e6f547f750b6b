package tasks

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
)

// TestGroup: the end of a group waits for its tasks, and names tasks that do not end in time. After it, no
// task begins.
func TestGroup(t *testing.T) {
	g := New("the store", nil)
	if err := g.Wait(t.Context()); err != nil {
		t.Errorf("a group without tasks: %v", err)
	}
	release := make(chan struct{})
	var ended atomic.Int32
	for _, name := range []string{"a turn", "a turn", "planning"} {
		if !g.Go(name, func() { <-release; ended.Add(1) }) {
			t.Fatal("a task did not begin")
		}
	}
	over, cancel := context.WithCancel(t.Context())
	cancel()
	if err := g.Wait(over); !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), "the store: a turn, planning still running") {
		t.Errorf("waiting in vain: %v", err)
	}
	if !g.Go("late", func() {}) {
		t.Error("a group that was waited for has ended")
	}
	close(release)
	if err := g.End(t.Context()); err != nil || ended.Load() != 3 {
		t.Errorf("%d tasks have ended: %v", ended.Load(), err)
	}
	if g.Go("after the end", func() { t.Error("a task ran after the end") }) {
		t.Error("a task began after the end")
	}
	if err := g.End(t.Context()); err != nil {
		t.Error(err)
	}
}

// TestPanic: a panic ends only its task, and is logged with the names of the owner and the
// task.
func TestPanic(t *testing.T) {
	var log bytes.Buffer
	g := New("the store", slog.New(slog.NewTextHandler(&log, nil)))
	g.Go("planning", func() { panic("no plan") })
	if err := g.End(t.Context()); err != nil {
		t.Error(err)
	}
	for _, want := range []string{`owner="the store"`, "task=planning", "no plan", "tasks_test.go"} {
		if !strings.Contains(log.String(), want) {
			t.Errorf("the log does not say %s:\n%s", want, log.String())
		}
	}
}
