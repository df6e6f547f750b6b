package copying

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/model"
)

// States reads the state that the last copy has left in the target.
type States interface {
	// Last returns the newest checkpoint of an entity that has this name of a pipeline, nil if there is none.
	Last(ctx context.Context, urn, pipeline string) (json.RawMessage, error)
}

// Follow says how deletions in the source are followed: entities that the source had at the last copy of the same pipeline,
// and does not have any more, are deleted in the target, too. The state of a copy has the entities that it has seen.
type Follow struct {
	Pipeline string
	States   States
	// AtMost is how many percent of the entities of the last copy may be deleted; 100 allows all.
	AtMost float64
	// Now is the time of the copy.
	Now time.Time
}

// unfollowed are entity types whose deletions the target does not follow: both servers have such entities of their own.
var unfollowed = []string{
	model.EntityDataPlatform, model.EntityCorpuser, model.EntityCorpGroup, "role", "dataType", "entityType", model.EntityOwnershipType, model.EntityGlobalSettings, model.EntityInviteToken, "telemetry",
}

func follows(kind string) bool {
	return !strings.HasPrefix(kind, "dataHub") && !slices.Contains(unfollowed, kind)
}

// following collects the entities that a copy sees: a hash of each, because there may be many.
type following struct {
	lock sync.Mutex
	seen []uint64
}

func hashOf(urn string) uint64 {
	sum := sha256.Sum256([]byte(normal(urn)))
	return binary.BigEndian.Uint64(sum[:8])
}

// see notes entities of a type that the source has.
func (f *following) see(kind string, urns []string) {
	if !follows(kind) {
		return
	}
	f.lock.Lock()
	defer f.lock.Unlock()
	for _, urn := range urns {
		f.seen = append(f.seen, hashOf(urn))
	}
}

// sorted returns the hashes in order, each once.
func (f *following) sorted() []uint64 {
	f.lock.Lock()
	defer f.lock.Unlock()
	slices.Sort(f.seen)
	f.seen = slices.Compact(f.seen)
	return f.seen
}

// stateJob is the entity that has the states of a pipeline.
func (f *Follow) stateJob() string {
	return "urn:li:dataJob:(urn:li:dataFlow:(datahub," + f.Pipeline + ",prod),catalog_entities)"
}

// followDeletions deletes the entities that the source had at the last copy and does not have any more, and notes the
// entities that the source has now. all are the entity types of both servers.
func (c *copier) followDeletions(ctx context.Context, all []kind) error {
	f := c.Follow
	last, err := f.last(ctx)
	if err != nil {
		return fmt.Errorf("what the last copy has seen: %w", err)
	}
	now := c.following.sorted()
	var gone []uint64
	for _, hash := range last {
		if _, is := slices.BinarySearch(now, hash); !is {
			gone = append(gone, hash)
		}
	}
	if percent := 100 * float64(len(gone)) / float64(max(1, len(last))); percent > f.AtMost && f.AtMost < 100 {
		c.report.differ(Difference{Type: "all", Message: fmt.Sprintf("deletions are not followed: the source does not have %d of the %d entities any more that it had at the last copy, which is more than %.4g %%", len(gone), len(last), f.AtMost)})
		now, gone = union(now, last), nil // a later copy makes these deletions
	}
	if len(gone) > 0 {
		remaining, err := c.deleteGone(ctx, all, gone)
		if err != nil {
			return err
		}
		now = union(now, remaining)
	}
	if c.DryRun {
		return nil
	}
	return c.keepState(ctx, now)
}

func union(a, b []uint64) []uint64 {
	both := slices.Concat(a, b)
	slices.Sort(both)
	return slices.Compact(both)
}

// deleteGone deletes the entities of the target whose hashes are gone from the source, after the source has said again
// that it does not have them. It returns the hashes of the entities that the source still has.
func (c *copier) deleteGone(ctx context.Context, all []kind, gone []uint64) (remaining []uint64, err error) {
	for i := range all {
		k := &all[i]
		if !k.inTarget || !follows(k.name) {
			continue
		}
		var candidates []string
		for list := (&lister{source: c.target, kind: k}); !list.ended; {
			if err := list.page(ctx); err != nil {
				if refusal(err) != nil {
					break // the target does not list this type
				}
				return nil, fmt.Errorf("listing entities of type %s of the server: %w", k.name, err)
			}
			for _, urn := range list.waiting {
				if _, is := slices.BinarySearch(gone, hashOf(urn)); is {
					candidates = append(candidates, urn)
				}
			}
			list.waiting = nil
		}
		for list := (&lister{waiting: candidates, ended: true}); len(list.waiting) > 0; {
			part, err := list.next(ctx)
			if err != nil {
				return nil, err
			}
			some, err := c.deleteSome(ctx, k, part)
			if err != nil {
				return nil, err
			}
			remaining = append(remaining, some...)
		}
	}
	return remaining, nil
}

// deleteSome deletes entities of one type that the source does not have. It returns the hashes of the others.
func (c *copier) deleteSome(ctx context.Context, k *kind, urns []string) (remaining []uint64, err error) {
	leave := func(urn, message string) {
		remaining = append(remaining, hashOf(urn))
		c.report.differ(Difference{Type: k.name, URN: urn, Message: message})
	}
	found, failed, err := c.source.read(ctx, urns)
	if err != nil {
		if refusal(err) == nil {
			return nil, err
		}
		for _, urn := range urns {
			leave(urn, "the source does not list it any more, and does not say whether it is deleted: "+err.Error())
		}
		return remaining, nil
	}
	for _, urn := range urns {
		aspects := found[normal(urn)].aspects
		_, key := aspects[k.key]
		switch reason, refused := failed[normal(urn)]; {
		case refused:
			leave(urn, "the source does not list it any more, and does not say whether it is deleted: "+reason)
		case len(aspects) > 1 || len(aspects) == 1 && !key: // of a deleted entity, the server answers only the key
			leave(urn, "the source does not list it any more, and still has it")
		case c.DryRun:
			c.report.differ(Difference{Type: k.name, URN: urn, Message: "the source has deleted it, and the server still has it"})
		default:
			err := c.target.action(ctx, "/entities?action=delete", map[string]any{"urn": urn}, &struct{}{})
			if err != nil && refusal(err) == nil && !isDenied(err) {
				return nil, fmt.Errorf("deleting %s: %w", urn, err)
			}
			if err != nil {
				leave(urn, "the source has deleted it, and the server refused to: "+err.Error())
				continue
			}
			c.report.deletedOne(k.name)
		}
	}
	return remaining, nil
}

// last returns the entities that the last copy has seen, in order.
func (f *Follow) last(ctx context.Context) ([]uint64, error) {
	value, err := f.States.Last(ctx, f.stateJob(), f.Pipeline)
	if err != nil || value == nil {
		return nil, err
	}
	var checkpoint struct {
		State struct {
			Payload string `json:"payload"`
		} `json:"state"`
	}
	var seen struct {
		Entities []byte `json:"entities"` // in base64
	}
	if err := json.Unmarshal(value, &checkpoint); err != nil {
		return nil, err
	}
	if err := json.Unmarshal([]byte(checkpoint.State.Payload), &seen); err != nil {
		return nil, err
	}
	var hashes []uint64
	for one := range slices.Chunk(seen.Entities, 8) {
		if len(one) < 8 {
			return nil, fmt.Errorf("%w: the state is cut", errOdd)
		}
		hashes = append(hashes, binary.BigEndian.Uint64(one))
	}
	if !slices.IsSorted(hashes) {
		return nil, fmt.Errorf("%w: the state is not in order", errOdd)
	}
	return hashes, nil
}

// keepState writes the entities that this copy has seen.
func (c *copier) keepState(ctx context.Context, seen []uint64) error {
	f := c.Follow
	text := make([]byte, 0, 8*len(seen))
	for _, hash := range seen {
		text = binary.BigEndian.AppendUint64(text, hash)
	}
	payload := `{"entities":"` + base64.StdEncoding.EncodeToString(text) + `"}`
	if len(payload) > limits.MaxStateBytes {
		c.report.differ(Difference{Type: "all", Message: fmt.Sprintf("deletions are not followed: the list of what the source has is larger than %d bytes", limits.MaxStateBytes)})
		return nil
	}
	value, err := json.Marshal(map[string]any{
		"timestampMillis": f.Now.UnixMilli(), "pipelineName": f.Pipeline, "platformInstanceId": "", "config": "", "runId": f.Pipeline,
		"state": map[string]any{"formatVersion": "1.0", "serde": "utf-8", "payload": payload},
	})
	if err != nil {
		return err
	}
	// The job that has the states is not one that people look for.
	refused, err := c.write(ctx, &kind{name: model.EntityDataJob}, []content{
		{urn: f.stateJob(), aspect: model.AspectStatus, value: json.RawMessage(`{"removed":true}`)},
		{urn: f.stateJob(), aspect: model.AspectDatahubIngestionCheckpoint, value: value},
	})
	for _, reason := range refused {
		c.report.differ(Difference{Type: "all", Message: "what this copy has seen could not be written, so that the next copy follows no deletions: " + reason})
	}
	return err
}
