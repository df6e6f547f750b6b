package audit

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/headwater-io/headwater/catalog/records"
)

const (
	// tick is the interval at which Run looks for refusals whose minute is over, and tries again to store
	// entries.
	tick = time.Second
	// trimEvery is how often old entries are deleted.
	trimEvery = 10 * time.Minute
	// runPatience is how long Run waits for the store each time.
	runPatience = 5 * time.Second
	// trimPage is how many records Trim reads at once.
	trimPage = 50
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

// Trim deletes the entries that are too old and, once 1 % more entries are stored than are kept, the oldest
// beyond the kept number. A record is deleted as a whole, so up to 99 entries more are deleted than
// necessary.
func (s *Service) Trim(ctx context.Context) error {
	if err := s.trimAge(ctx, s.Now().Add(-s.Age).UnixMilli()); err != nil {
		return err
	}
	s.mu.Lock()
	due := s.untrimmed >= max(1, s.Entries/100)
	s.mu.Unlock()
	if !due {
		return nil
	}
	var kept int64
	err := s.records.Prune(ctx, "", func(name string, _ json.RawMessage) bool {
		kept += entriesIn(name)
		return kept <= s.Entries
	})
	if err != nil {
		return err
	}
	s.mu.Lock()
	s.untrimmed = 0
	s.mu.Unlock()
	return nil
}

// trimAge deletes the records all of whose entries are older than a time.
func (s *Service) trimAge(ctx context.Context, oldest int64) error {
	for {
		page, err := s.records.Page(ctx, "", nameOf(oldest, "~"), trimPage)
		if err != nil {
			return err
		}
		for i := range page {
			if err := s.records.Delete(ctx, page[i].Name, page[i].Revision); err != nil && !errors.Is(err, records.ErrChanged) {
				return err
			}
		}
		if len(page) < trimPage {
			return nil
		}
	}
}

// entriesIn returns how many entries the record of a name has.
func entriesIn(name string) int64 {
	n, err := strconv.ParseInt(name[strings.LastIndexByte(name, '-')+1:], 10, 64)
	if err != nil {
		return 0
	}
	return n
}
