package audit

import (
	"context"
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/headwater-io/headwater/catalog/records"
)

const (
	// trimEvery is how often old entries are deleted.
	trimEvery = 10 * time.Minute
	// trimPage is how many records Trim reads at once.
	trimPage = 50
)

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
