// Package failed keeps the newest proposals that could not be written and whose senders could
// not be told: they came from Kafka, or from callers who did not wait.
package failed

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/permission"
	"github.com/headwater-io/headwater/catalog/records"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/internal/safely"
)

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
	// records are named <time>-<place in its batch>-<random>. The time is subtracted from
	// maxTime, so that the newest record is first.
	records  records.Records[Proposal]
	now      func() time.Time
	unpruned atomic.Int64
}

// New makes a Service. The first call of Keep also prunes the proposals of earlier processes.
func New(door *records.Door, now func() time.Time) *Service {
	s := &Service{records: records.Of[Proposal](door, records.Failed), now: now}
	s.unpruned.Store(pruneAfter)
	return s
}

// Store stores proposals, and deletes the oldest if there are more than limits.FailedProposals.
// Store sets the times of the proposals, and cuts texts to the length that is shown. Store skips
// a proposal that is already stored, because the place in Kafka is read again after a crash.
func (s *Service) Store(ctx context.Context, proposals []Proposal) error {
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
		name := fmt.Sprintf("%015d-%06d-%s", maxTime-now, len(proposals)-i, rand.Text()[:8])
		group.Go(safely.Func(func() error {
			_, err := s.records.Put(within, name, p, "")
			return err
		}))
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
	seen := 0
	return s.records.Prune(ctx, "", func(string, json.RawMessage) bool {
		seen++
		return seen <= limits.FailedProposals
	})
}

// List returns up to limit proposals, the newest first, after a place that an earlier answer
// returned as next. The place "" is the beginning, and also the next of the last page.
func (s *Service) List(ctx context.Context, after string, limit int) (proposals []Proposal, next string, err error) {
	if err := permission.RequireWhole(ctx, "read the proposals that failed"); err != nil {
		return nil, "", err
	}
	if strings.Trim(after, "0123456789-ABCDEFGHIJKLMNOPQRSTUVWXYZ") != "" {
		return nil, "", catalog.Errorf(catalog.Invalid, "after is not the next of an earlier answer")
	}
	if limit < 1 || limit > limits.MaxFailedPage {
		return nil, "", catalog.Errorf(catalog.Invalid, "limit must be between 1 and %d", limits.MaxFailedPage)
	}
	found, err := s.records.Page(ctx, "", after, limit+1)
	if err != nil {
		return nil, "", err
	}
	if len(found) > limit {
		found = found[:limit]
		next = found[limit-1].Name
	}
	proposals = make([]Proposal, len(found))
	for i := range found {
		proposals[i] = found[i].Value
	}
	return proposals, next, nil
}
