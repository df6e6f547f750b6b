package ingestion

import (
	"context"
	"time"

	"github.com/headwater-io/headwater/model"
)

// After returns the first moment of a schedule after another one.
func (s *Schedule) After(t time.Time) (time.Time, error) {
	m, err := s.parse()
	if err != nil {
		return time.Time{}, err
	}
	return m.after(t), nil
}

// Record records a run of a source that waits, as a server does that is killed before it writes the request.
func (s *Service) Record(ctx context.Context, source model.URN) (string, error) {
	u, err := newRequest(source.Namespace())
	if err != nil {
		return "", err
	}
	_, err = s.enqueue(ctx, &run{URN: u.String(), Source: source.String(), Task: TaskIngest, Executor: DefaultExecutor, Cause: causeAsked, Asked: s.Now().UnixMilli()})
	return u.String(), err
}

// Records counts the records of runs, of plans and of due sources.
func (s *Service) Counts(ctx context.Context) (runs, plans, due int) {
	for range s.runs.All(ctx, "", "") {
		runs++
	}
	for range s.schedules.All(ctx, "", "") {
		plans++
	}
	for range s.due.All(ctx, "", "") {
		due++
	}
	return runs, plans, due
}

// Forget deletes the record of a run.
func (s *Service) Forget(ctx context.Context, source string) error {
	return s.runs.Forget(ctx, ofSource(source))
}

// LeaseOf returns the lease of the run of a source.
func (s *Service) LeaseOf(ctx context.Context, source string) string {
	found, _, _ := s.runs.Get(ctx, ofSource(source))
	return found.Value.Lease
}

// Plan records when a source runs next.
func (s *Service) Plan(ctx context.Context, source string, schedule *Schedule) error {
	return s.plan(ctx, source, schedule)
}

// Waiters returns how many executors wait.
func (s *Service) Waiters() int64 { return s.waiting.Load() }
