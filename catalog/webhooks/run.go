package webhooks

import (
	"context"
	"errors"
	"time"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/delivery"
)

// running is a webhook for which this server has a worker.
type running struct {
	revision string
	stop     context.CancelFunc
	ended    chan struct{}
}

func (r *running) isOver() bool {
	select {
	case <-r.ended:
		return true
	default:
		return false
	}
}

// Run delivers to all webhooks until the context ends. Run notices changes that other servers
// make to webhooks within seconds.
func (s *Service) Run(ctx context.Context) {
	all := map[string]*running{}
	defer func() {
		for _, r := range all {
			r.stop()
		}
		for _, r := range all {
			<-r.ended
		}
	}()
	for ctx.Err() == nil {
		if known, err := s.definitions(ctx); err == nil {
			s.reconcile(ctx, all, known)
		} else if ctx.Err() == nil {
			s.Logger.WarnContext(ctx, "webhooks cannot be read; trying again", "error", err)
		}
		timer := time.NewTimer(s.Poll)
		select {
		case <-s.wake:
		case <-timer.C:
		case <-ctx.Done():
		}
		timer.Stop()
	}
}

// reconcile starts and stops workers, so that each enabled webhook has a worker for its present
// definition.
func (s *Service) reconcile(ctx context.Context, all map[string]*running, known []stored) {
	wanted := map[string]*stored{}
	for i := range known {
		if known[i].Enabled {
			wanted[known[i].ID] = &known[i]
		}
	}
	for id, r := range all {
		if w := wanted[id]; w == nil || w.revision != r.revision {
			r.stop()
		}
	}
	for id, r := range all {
		w := wanted[id]
		if w == nil || w.revision != r.revision {
			<-r.ended
		}
		if r.isOver() {
			delete(all, id)
		}
	}
	for id, w := range wanted {
		if all[id] == nil {
			all[id] = s.start(ctx, w)
		}
	}
}

// start runs a worker in the background.
func (s *Service) start(ctx context.Context, w *stored) *running {
	ctx, stop := context.WithCancel(ctx)
	r := &running{revision: w.revision, stop: stop, ended: make(chan struct{})}
	s.running.Go("webhook "+w.ID, func() {
		defer close(r.ended)
		defer stop()
		if err := s.follow(ctx, &w.definition); err != nil && ctx.Err() == nil {
			s.Logger.ErrorContext(ctx, "a webhook does not run", "webhook", w.ID, "error", err)
		}
	})
	return r
}

func (s *Service) follow(ctx context.Context, d *definition) error {
	selection, err := s.Streams.Select(d.Filter)
	if err != nil {
		return err // the model has changed since the webhook was made
	}
	w := &worker{Service: s, definition: d, selection: selection}
	err = s.Followers.Run(ctx, delivery.Worker{Name: d.follower(), Start: d.From, Deliver: w.deliver})
	if !errors.Is(err, delivery.ErrRemoved) {
		return err
	}
	return s.begin(ctx, d.ID)
}

// begin lets a webhook whose follower was removed continue from the end of the log. begin
// rewrites the definition, so that a new worker starts.
func (s *Service) begin(ctx context.Context, id string) error {
	end, err := s.Log.EndOfChanges(ctx)
	if err != nil {
		return err
	}
	_, err = s.hooks.Update(ctx, id, func(d *definition) error {
		if d.ID == "" {
			return errDeleted
		}
		d.From = end
		return nil
	})
	if errors.Is(err, errDeleted) {
		return nil
	}
	return catalog.StoreFailure(err)
}
