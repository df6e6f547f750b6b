package follower

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/headwater-io/headwater/indexer"
	"github.com/headwater-io/headwater/internal/clip"
	"github.com/headwater-io/headwater/internal/limits"
)

// RefusedDocument is the search document of an entity that the engine of the index refuses. The
// index keeps the former document of the entity.
type RefusedDocument struct {
	URN string `json:"urn"`
	// Reason is the message of the engine.
	Reason string `json:"reason"`
	// Since is the time of the first refusal, epoch milliseconds.
	Since int64 `json:"since"`
}

// Refusals lists the refused documents, the oldest refusal first. The index stores the list
// with its position, so the list survives a restart.
type Refusals struct {
	Documents []RefusedDocument `json:"documents,omitempty"`
	// More counts further refusals since the index was built, which are not listed.
	More int64 `json:"more,omitempty"`
}

// Count returns the number of refused documents.
func (r Refusals) Count() int64 { return int64(len(r.Documents)) + r.More }

func (r Refusals) urns() []string {
	urns := make([]string, len(r.Documents))
	for i := range r.Documents {
		urns[i] = r.Documents[i].URN
	}
	return urns
}

// maxReason bounds the length of a stored reason, in bytes.
const maxReason = 300

// after returns the list after a batch was written of which some documents were refused, and
// whether the list has changed.
func (r Refusals) after(batch *indexer.Batch, refused []indexer.Refusal, now time.Time) (Refusals, bool) {
	if len(refused) == 0 && len(r.Documents) == 0 {
		return r, false
	}
	reasons := make(map[string]string, len(refused))
	for _, refusal := range refused {
		reasons[refusal.URN] = clip.Text(refusal.Reason, maxReason)
	}
	written := map[string]bool{}
	for i := range batch.Put {
		written[batch.Put[i].URN] = true
	}
	for _, urn := range batch.Delete {
		written[urn] = true
	}
	next, changed := Refusals{More: r.More}, false
	for _, d := range r.Documents {
		reason, stillRefused := reasons[d.URN]
		if written[d.URN] && !stillRefused {
			changed = true
			continue
		}
		if stillRefused {
			changed = changed || d.Reason != reason
			d.Reason = reason
			delete(reasons, d.URN)
		}
		next.Documents = append(next.Documents, d)
	}
	for urn, reason := range reasons {
		changed = true
		if len(next.Documents) >= limits.MaxRefusedListed {
			next.More++
			continue
		}
		next.Documents = append(next.Documents, RefusedDocument{urn, reason, now.UnixMilli()})
	}
	slices.SortStableFunc(next.Documents, func(a, b RefusedDocument) int {
		return cmp.Or(cmp.Compare(a.Since, b.Since), strings.Compare(a.URN, b.URN))
	})
	return next, changed
}

// write applies a batch and stores the position with it, unless the position has no index.
// Refused documents are added to the list in the position.
func (f *Follower) write(ctx context.Context, into indexer.Writer, batch indexer.Batch, at *position) error {
	if at.index != "" {
		batch.Cursor = at.String()
	}
	err := into.Write(ctx, batch)
	var refused *indexer.RefusedError
	if err != nil && !errors.As(err, &refused) {
		return err
	}
	var refusals []indexer.Refusal
	if refused != nil {
		refusals = refused.Refusals
		f.logger.WarnContext(ctx, "documents were set aside", "number", len(refusals), "first", refusals[0].URN, "reason", refusals[0].Reason)
	}
	var changed bool
	if at.refused, changed = at.refused.after(&batch, refusals, f.now()); changed && at.index != "" {
		err = into.Write(ctx, indexer.Batch{Cursor: at.String()})
	} else {
		err = nil
	}
	if err == nil {
		f.updateStatus(func(s *Status) {
			s.Documents += int64(len(batch.Put) + len(batch.Delete) - len(refusals))
			s.RefusedEver += int64(len(refusals))
		})
	}
	return err
}

// encode returns the list as text for the index, "" if the list is empty.
func (r Refusals) encode() string {
	if r.Count() == 0 {
		return ""
	}
	text, err := json.Marshal(r)
	if err != nil { // texts and numbers always encode
		return ""
	}
	return " " + string(text)
}
