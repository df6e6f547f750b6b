package replica

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/headwater-io/headwater/catalog/records"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/model"
)

// twoTags is a log and a store of two tags, each with one version of an aspect.
type twoTags struct {
	Store
	// first and second are the values.
	first, second string
}

const firstTag, secondTag = "urn:li:tag:a", "urn:li:tag:b"

func (twoTags) AwaitNotes(_ context.Context, _ string, limit int, _ time.Duration) ([]graphstore.Change, string, error) {
	change := graphstore.Change{Kind: graphstore.ChangeUpsert, URN: firstTag, EntityType: model.EntityTag, Aspect: model.AspectTagProperties, Seq: 1}
	changes := []graphstore.Change{change, change}
	changes[1].URN = secondTag
	return changes[:min(limit, len(changes))], "next", nil
}

func (s twoTags) History(_ context.Context, urns []string) (map[string]graphstore.History, error) {
	found := map[string]graphstore.History{}
	for _, urn := range urns {
		value := s.first
		if urn == secondTag {
			value = s.second
		}
		found[urn] = graphstore.History{Versions: []graphstore.Aspect{{URN: urn, Name: model.AspectTagProperties, Seq: 1, Value: []byte(value)}}}
	}
	return found, nil
}

func (twoTags) ScanEntities(_ context.Context, _ string, limit int) ([]string, error) {
	return []string{firstTag, secondTag}[:min(limit, 2)], nil
}

func (twoTags) Entities(context.Context, []string) ([]graphstore.Entity, error) { return nil, nil }
func (twoTags) Holdings(context.Context, []string) (map[string]graphstore.Holdings, error) {
	return nil, nil
}
func (twoTags) Lag(context.Context, string) (int64, error) { return 0, nil }
func (twoTags) NewestTime(context.Context) (int64, error)  { return 1, nil }

// TestLimitOfPages: the stored data of two changes, and of two entities of a snapshot, is on one page if the
// page then has as many bytes as the limit. With one byte more, the page has only the first.
func TestLimitOfPages(t *testing.T) {
	const half = limits.MaxReplicaPageBytes/2 - versionBytes
	for more, want := range map[int]int{0: 2, 1: 1} {
		tags := twoTags{first: strings.Repeat("x", half), second: strings.Repeat("x", half+more)}
		s := New(model.Default(), nil, tags, tags, records.New(nil), nil)
		for name, from := range map[string]string{"changes": "", "a snapshot": (&snapshotPlace{Then: "then"}).String()} {
			page, err := s.Page(t.Context(), from, 2, 0)
			if err != nil || len(page.Entities) != want {
				t.Errorf("%s with %d bytes more than the limit: %d entities are on the page, %v", name, more, len(page.Entities), err)
			}
		}
	}
}
