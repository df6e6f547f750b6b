package ingestion

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/records"
	"github.com/headwater-io/headwater/model"
)

// planned is when a source runs next.
type planned struct {
	Schedule
	// Moment is the time by the schedule, and Due the time from which the run may begin, in epoch milliseconds.
	Moment int64 `json:"moment"`
	Due    int64 `json:"due"`
}

// dueName is the name of the record that makes a source due.
func (p *planned) dueName(source string) string { return fmt.Sprintf("%013d/%s", p.Due, source) }

// readDueName is the opposite of dueName.
func readDueName(name string) (due int64, source string, err error) {
	text, source, _ := strings.Cut(name, "/")
	due, err = strconv.ParseInt(text, 10, 64)
	return due, source, err
}

// next returns the plan of a source after a moment of its schedule, false if the schedule has no further
// moment. Moments that have passed count as one, which is due at once.
func (s *Service) next(source string, schedule *Schedule, after time.Time) (planned, bool, error) {
	m, err := schedule.parse()
	if err != nil {
		return planned{}, false, err
	}
	moment := m.after(after)
	if moment.IsZero() {
		return planned{}, false, nil
	}
	return planned{Schedule: schedule.plain(), Moment: moment.UnixMilli(), Due: moment.Add(s.jitter(source)).UnixMilli()}, true, nil
}

// plan records when a source runs next. It changes nothing if the schedule is the recorded one. A schedule
// that cannot be read, as another writer may have stored it, is treated like none.
func (s *Service) plan(ctx context.Context, source string, schedule *Schedule) error {
	for {
		stored, exists, err := s.schedules.Get(ctx, source)
		if err != nil || exists && schedule != nil && stored.Value.Schedule == schedule.plain() {
			return err
		}
		var to planned
		set := false
		if schedule != nil {
			if to, set, err = s.next(source, schedule, s.Now()); err != nil {
				s.Logger.WarnContext(ctx, "the schedule of an ingestion source is ignored", "source", source, "error", err)
				set = false
			}
		}
		if !exists && !set {
			return nil
		}
		if err := s.replan(ctx, source, &stored, exists, to, set); !errors.Is(err, records.ErrChanged) {
			return err
		}
	}
}

// replan replaces the plan of a source. The new record that makes it due comes first and the old one goes
// last, so that a server that is killed in between leaves one too many, which [Service.fire] then deletes, and
// never none.
func (s *Service) replan(ctx context.Context, source string, stored *records.Record[planned], exists bool, to planned, set bool) (err error) {
	if set {
		if _, err := s.due.Put(ctx, to.dueName(source), source, ""); err != nil && !errors.Is(err, records.ErrChanged) {
			return err
		}
		_, err = s.schedules.Put(ctx, source, to, stored.Revision)
	} else {
		err = s.schedules.Delete(ctx, source, stored.Revision)
	}
	if err != nil {
		return err
	}
	if old := stored.Value.dueName(source); exists && (!set || old != to.dueName(source)) {
		if err := s.due.Forget(ctx, old); err != nil {
			return err
		}
	}
	s.changed.Signal()
	return nil
}

// gotAtOnce bounds the records that are read one by one.
const gotAtOnce = 100

// NextRuns returns when the schedules of sources let them run next, epoch milliseconds. Sources without a
// schedule are left out. A moment that has passed waits for an executor.
func (s *Service) NextRuns(ctx context.Context, sources []string) (map[string]int64, error) {
	plans, err := byNames(ctx, s.schedules, sources)
	if err != nil {
		return nil, err
	}
	found := make(map[string]int64, len(plans))
	for source, plan := range plans {
		found[source] = plan.Due
	}
	return found, nil
}

// byNames returns records by their names. For more than gotAtOnce names, it reads all records that exist.
// Names without a record are left out.
func byNames[T any](ctx context.Context, from records.Records[T], names []string) (map[string]T, error) {
	found := map[string]T{}
	if len(names) > gotAtOnce {
		for stored, err := range from.All(ctx, "", "") {
			if err != nil {
				return nil, err
			}
			found[stored.Name] = stored.Value
		}
		return found, nil
	}
	for _, name := range names {
		stored, exists, err := from.Get(ctx, name)
		if err != nil {
			return nil, err
		}
		if exists {
			found[name] = stored.Value
		}
	}
	return found, nil
}

// firedAtOnce bounds the due sources that one claim looks at.
const firedAtOnce = 50

// fireDue asks for runs of the sources that are due.
func (s *Service) fireDue(ctx context.Context) error {
	page, err := s.due.Page(ctx, "", "", firedAtOnce)
	if err != nil {
		return err
	}
	for i := range page {
		due, source, err := readDueName(page[i].Name)
		if err != nil {
			return catalog.Errorf(catalog.Internal, "record %s: %w", page[i].Name, err)
		}
		if due > s.Now().UnixMilli() {
			return nil
		}
		if err := s.fire(ctx, page[i].Name, source, due); err != nil {
			if errors.Is(err, records.ErrFull) {
				return nil // the sources stay due until there is room
			}
			return err
		}
	}
	return nil
}

// fire asks for a run of a source that is due, and plans the next one. Every step may be repeated after a
// kill: the URN of the run follows from its moment, and a run that has ended is not asked for again.
func (s *Service) fire(ctx context.Context, name, source string, due int64) error {
	stored, exists, err := s.schedules.Get(ctx, source)
	if err != nil {
		return err
	}
	if !exists || stored.Value.Due != due {
		return s.due.Forget(ctx, name)
	}
	of, err := infoOf(ctx, s.Store, source)
	if err != nil {
		return err
	}
	if of == nil || of.Schedule == nil || of.Schedule.plain() != stored.Value.Schedule {
		var schedule *Schedule
		if of != nil {
			schedule = of.Schedule
		}
		return s.plan(ctx, source, schedule)
	}
	if err := s.askScheduled(ctx, source, of, stored.Value.Moment); err != nil {
		return err
	}
	after := max(stored.Value.Moment, s.Now().Add(-s.jitter(source)).UnixMilli())
	to, set, err := s.next(source, of.Schedule, time.UnixMilli(after))
	if err == nil {
		err = s.replan(ctx, source, &stored, true, to, set)
	}
	if errors.Is(err, records.ErrChanged) {
		return nil // another server has planned the source
	}
	return err
}

// runSpace makes the IDs of scheduled runs from their sources and moments.
var runSpace = uuid.MustParse("6f0f4c2c-9d5b-4b0c-9a63-5d0d5b8e7d11")

// askScheduled asks for the run of a source at a moment of its schedule. A source that has a run already is
// passed over.
func (s *Service) askScheduled(ctx context.Context, source string, of *info, moment int64) error {
	if _, err := readRecipe(of.Config.Recipe); err != nil {
		s.Logger.WarnContext(ctx, "a scheduled run cannot begin", "source", source, "error", err)
		return nil
	}
	u := model.StoredURN(source)
	id := uuid.NewSHA1(runSpace, []byte(source+"\n"+strconv.FormatInt(moment, 10)))
	request, err := model.BuildURN(u.Namespace(), model.EntityDataHubExecutionRequest, id.String())
	if err != nil {
		return catalog.Errorf(catalog.Internal, "the URN of a run: %w", err)
	}
	r := &run{URN: request.String(), Source: source, Task: TaskIngest, Executor: executorOr(of.Config.ExecutorID), Cause: causeScheduled, Asked: s.Now().UnixMilli()}
	busy, err := s.enqueue(ctx, r)
	if err != nil || busy != "" {
		return err
	}
	return s.stateInput(ctx, r, of)
}
