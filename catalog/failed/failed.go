// Package failed keeps the newest proposals that could not be written and whose senders could
// not be told: they came from Kafka, or from callers who did not wait.
package failed

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/limits"
)

// prefix begins the names of records: failed/<time>-<random>. The time is subtracted from
// maxTime, so that the newest record is first.
const prefix = "failed/"

// pruneAfter is the number of new proposals after which the oldest are deleted. writers bounds
// the records that are written at once.
const (
	pruneAfter = 100
	writers    = 16
)

// Proposal is a proposal that was not written.
type Proposal struct {
	// Topic, Partition and Offset are the place of the proposal in Kafka. Topic is empty for a
	// proposal that did not come from Kafka.
	Topic     string `json:"topic"`
	Partition int32  `json:"partition"`
	Offset    int64  `json:"offset"`
	// Trace is the trace of the request of a caller who did not wait, "" for none.
	Trace string `json:"trace,omitempty"`
	// URN and Aspect are spelled as they were sent; they are "" if they could not be read.
	URN    string `json:"urn,omitempty"`
	Aspect string `json:"aspect,omitempty"`
	// Error is the reason of the refusal.
	Error string `json:"error"`
	// Time is when the proposal was refused, epoch milliseconds.
	Time int64 `json:"time"`
}

// Service stores failed proposals. Service is safe for concurrent use.
type Service struct {
	records  graphstore.Records
	now      func() time.Time
	unpruned atomic.Int64
}

// New makes a Service. The first call of Keep also prunes the proposals of earlier processes.
func New(records graphstore.Records, now func() time.Time) *Service {
	s := &Service{records: records, now: now}
	s.unpruned.Store(pruneAfter)
	return s
}

// Keep stores proposals, and deletes the oldest if there are more than limits.FailedProposals.
// Keep sets the times of the proposals, and cuts texts to the length that is shown. Keep skips
// a proposal that is already stored, because the place in Kafka is read again after a crash.
func (s *Service) Keep(ctx context.Context, proposals []Proposal) error {
	proposals = proposals[max(0, len(proposals)-limits.FailedProposals):]
	if len(proposals) == 0 {
		return nil
	}
	listed, _, err := s.List(ctx, "", limits.FailedProposals)
	if err != nil {
		return err
	}
	known := make(map[Proposal]bool, len(listed))
	for _, p := range listed {
		p.Time = 0
		known[p] = true
	}
	group, within := errgroup.WithContext(ctx)
	group.SetLimit(writers)
	now := s.now().UnixMilli()
	for i := range proposals {
		p := proposals[i]
		p.Time, p.URN, p.Aspect, p.Error = 0, catalog.Beginning(p.URN), catalog.Beginning(p.Aspect), catalog.Shown(p.Error)
		if known[p] {
			continue
		}
		p.Time = now
		// Of one batch, the last proposal is the newest.
		name := fmt.Sprintf("%s%015d-%06d-%s", prefix, maxTime-now, len(proposals)-i, rand.Text()[:8])
		group.Go(func() error {
			value, err := json.Marshal(p)
			if err == nil {
				_, err = s.records.PutRecord(within, name, value, "")
			}
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return catalog.StoreFailure(err)
	}
	if s.unpruned.Add(int64(len(proposals))) < pruneAfter {
		return nil
	}
	s.unpruned.Store(0)
	return s.prune(ctx)
}

// maxTime is later than any time, in epoch milliseconds.
const maxTime = 999_999_999_999_999

// prune deletes all but the newest limits.FailedProposals records.
func (s *Service) prune(ctx context.Context) error {
	after := ""
	for seen := 0; ; {
		page, err := s.records.ListRecords(ctx, prefix, after, limits.FailedProposals)
		if err != nil {
			return catalog.StoreFailure(err)
		}
		for _, record := range page {
			if seen++; seen <= limits.FailedProposals {
				continue
			}
			if err := s.records.DeleteRecord(ctx, record.Name, record.Revision); err != nil && !errors.Is(err, graphstore.ErrRecordChanged) {
				return catalog.StoreFailure(err)
			}
		}
		if len(page) < limits.FailedProposals {
			return nil
		}
		after = page[len(page)-1].Name
	}
}

// List returns up to limit proposals, the newest first, after a place that an earlier answer
// returned as next. The place "" is the beginning, and also the next of the last page.
func (s *Service) List(ctx context.Context, after string, limit int) (proposals []Proposal, next string, err error) {
	if strings.Trim(after, "0123456789-ABCDEFGHIJKLMNOPQRSTUVWXYZ") != "" {
		return nil, "", catalog.Errorf(catalog.Invalid, "after is not the next of an earlier answer")
	}
	if limit < 1 || limit > limits.MaxFailedPage {
		return nil, "", catalog.Errorf(catalog.Invalid, "limit must be between 1 and %d", limits.MaxFailedPage)
	}
	if after != "" {
		after = prefix + after
	}
	records, err := s.records.ListRecords(ctx, prefix, after, limit+1)
	if err != nil {
		return nil, "", catalog.StoreFailure(err)
	}
	if len(records) > limit {
		records = records[:limit]
		next = strings.TrimPrefix(records[limit-1].Name, prefix)
	}
	proposals = make([]Proposal, len(records))
	for i, record := range records {
		if err := json.Unmarshal(record.Value, &proposals[i]); err != nil {
			return nil, "", fmt.Errorf("record %s: %w", record.Name, err)
		}
	}
	return proposals, next, nil
}
