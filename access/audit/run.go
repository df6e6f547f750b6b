package audit

import (
	"context"
	"math"
	"time"
)

const (
	// tick is the interval at which Run looks for refusals whose minute is over, and tries again to store
	// entries.
	tick = time.Second
	// runPatience is how long Run waits for the store each time.
	runPatience = 5 * time.Second
)

// Run stores the entries of ordinary writes and deletes old entries until the context ends. Then it stores
// the entries that still wait.
func (s *Service) Run(ctx context.Context) {
	ticks := time.NewTicker(tick)
	defer ticks.Stop()
	for {
		select {
		case <-s.begun:
			gathered := time.NewTimer(gather)
			select {
			case <-gathered.C:
			case <-s.full:
			case <-ctx.Done():
			}
			gathered.Stop()
		case <-ticks.C:
		case <-ctx.Done():
			s.settle(s.Now(), true)
			s.work(ctx)
			return
		}
		s.settle(s.Now(), false)
		s.work(ctx)
		if now := s.Now(); ctx.Err() == nil && now.Sub(s.trimmed) >= trimEvery {
			s.trimmed = now
			if err := s.Trim(ctx); err != nil && ctx.Err() == nil {
				s.Logger.WarnContext(ctx, "old entries of the audit trail are not deleted yet", "error", err)
			}
		}
	}
}

// work stores all entries that wait, also when the context has ended.
func (s *Service) work(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), runPatience)
	defer cancel()
	if err := s.flush(ctx, math.MaxInt64); err != nil {
		s.Logger.WarnContext(ctx, "entries of the audit trail are not stored yet", "error", err)
	}
}
