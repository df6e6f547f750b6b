package feed

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"testing"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/changeevents"
	"github.com/headwater-io/headwater/catalog/lineage"
	"github.com/headwater-io/headwater/catalog/records"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/model"
)

const (
	changedTable = "urn:li:dataset:(urn:li:dataPlatform:hive,t,PROD)"
	reader       = "urn:li:corpuser:reader"
)

// many returns n texts, each with its number.
func many(n int, format string) []string {
	texts := make([]string, n)
	for i := range texts {
		texts[i] = fmt.Sprintf(format, i)
	}
	return texts
}

func whatever(*changeevents.Event) bool { return true }

// newsOfLostColumns returns news that n columns of a table were removed.
func newsOfLostColumns(n int) *news {
	events := make([]changeevents.Event, n)
	for i := range events {
		events[i] = changeevents.Event{
			Category: changeevents.CategorySchema, Operation: changeevents.OperationRemove, Description: "a column was removed",
			Parameters: map[string]any{"fieldUrn": fmt.Sprintf("urn:li:schemaField:(%s,c%d)", changedTable, i)},
		}
	}
	return &news{change: &catalog.Change{URN: changedTable, Time: 2}, events: events, about: changedTable}
}

func audienceOf(n *news) *audience { return &audience{news: n, told: map[string]*telling{}} }

// TestLimitsOfItems: an item lists as many actors, entities, events and owners as the limits, and
// counts the others.
func TestLimitsOfItems(t *testing.T) {
	itself := Affected{URN: changedTable, Effect: lineage.EffectCertain}
	for name, c := range map[string]struct {
		most int
		// tell returns how many things are listed, and how many are counted, if n exist.
		tell func(n int) (listed, counted int)
		// silent says that no member of the answer counts the entities beyond the limit.
		silent bool
	}{
		"actors": {limits.MaxFeedActors, func(n int) (int, int) {
			a := audienceOf(newsOfLostColumns(1))
			a.tell(many(n, "urn:li:corpuser:u%d"), itself, whatever)
			return len(a.items()), 0
		}, true},
		"entities": {limits.MaxFeedEntities, func(n int) (int, int) {
			a := audienceOf(newsOfLostColumns(1))
			for _, urn := range many(n, "urn:li:chart:(looker,c%d)") {
				a.tell([]string{reader}, Affected{URN: urn, Effect: lineage.EffectCertain}, whatever)
			}
			item := a.items()[0]
			return len(item.Affected), item.Certain
		}, false},
		"events": {limits.MaxFeedEvents, func(n int) (int, int) {
			a := audienceOf(newsOfLostColumns(n))
			a.tell([]string{reader}, itself, whatever)
			item := a.items()[0]
			return len(item.Events), item.EventsTotal
		}, false},
		"owners who are owners no more": {limits.MaxFeedOwners, func(n int) (int, int) {
			lost := &news{events: make([]changeevents.Event, n)}
			for i := range lost.events {
				lost.events[i] = changeevents.Event{Category: changeevents.CategoryOwner, Operation: changeevents.OperationRemove, Modifier: strconv.Itoa(i)}
			}
			return len(lost.lostOwners()), 0
		}, true},
		"owners of what changed": {limits.MaxFeedOwners, func(n int) (int, int) {
			p := &page{s: &Service{store: &crowded{ends: many(n, "urn:li:corpuser:u%d")}}, news: []*news{newsOfLostColumns(1)}}
			if err := p.readOwners(t.Context()); err != nil {
				t.Fatal(err)
			}
			return len(p.owners[changedTable]), 0
		}, true},
		"owners of what is downstream": {limits.MaxFeedOwners, func(n int) (int, int) {
			row := lineage.ImpactRow{ImpactedEntity: lineage.ImpactedEntity{Owners: many(n, "urn:li:corpuser:u%d")}}
			return len(downstreamOf(t, newsOfLostColumns(1), row).order), 0
		}, true},
		"columns of what is downstream": {limits.MaxFeedColumns, func(n int) (int, int) {
			row := lineage.ImpactRow{ImpactedEntity: lineage.ImpactedEntity{Owners: []string{reader}, Columns: many(n, "c%d")}}
			return len(downstreamOf(t, newsOfLostColumns(1), row).items()[0].Affected[0].Columns), 0
		}, true},
		"groups": {limits.MaxFeedGroups, func(n int) (int, int) {
			s := &Service{store: &crowded{ends: many(n, "urn:li:corpGroup:g%d")}}
			groups, err := s.groupsOf(t.Context(), model.StoredURN(reader))
			if err != nil {
				t.Fatal(err)
			}
			return len(groups), 0
		}, true},
	} {
		for n, want := range map[int]int{c.most: c.most, c.most + 1: c.most} {
			listed, counted := c.tell(n)
			if listed != want || !c.silent && counted != n {
				t.Errorf("%s: of %d, %d are listed and %d counted", name, n, listed, counted)
			}
		}
	}
}

// downstreamOf returns the actors who are told of news if a row is downstream.
func downstreamOf(t *testing.T, n *news, row lineage.ImpactRow) *audience {
	t.Helper()
	a := audienceOf(n)
	p := &page{s: &Service{impacts: &downstreamRows{of: []lineage.ImpactRow{row}}}}
	if err := p.downstream(t.Context(), a); err != nil {
		t.Fatal(err)
	}
	return a
}

// TestLimitOfLostColumns: the walk starts from the lost columns if they are no more than the limit.
// If one more column is lost, the walk starts from the table, and everything downstream is affected
// only possibly.
func TestLimitOfLostColumns(t *testing.T) {
	row := lineage.ImpactRow{ImpactedEntity: lineage.ImpactedEntity{Owners: []string{reader}, Effect: lineage.EffectCertain}}
	for lost, possible := range map[int]int{limits.MaxFeedColumns: 0, limits.MaxFeedColumns + 1: 1} {
		n := newsOfLostColumns(lost)
		request, _ := impactOf(n)
		if columns := request.Walk.URN.EntityType() == model.EntitySchemaField && len(request.Walk.Also) == lost-1; columns != (possible == 0) {
			t.Errorf("%d lost columns: the walk begins at %s and %d others", lost, request.Walk.URN, len(request.Walk.Also))
		}
		if item := downstreamOf(t, n, row).items()[0]; item.Possible != possible || item.Certain != 1-possible {
			t.Errorf("%d lost columns: %d are affected certainly, %d possibly", lost, item.Certain, item.Possible)
		}
	}
}

// TestLimitOfOutputs: as many outputs of a deleted entity as the limit are noted.
func TestLimitOfOutputs(t *testing.T) {
	const job = "urn:li:dataJob:(urn:li:dataFlow:(airflow,f,PROD),j)"
	for _, n := range []int{limits.MaxFeedColumns, limits.MaxFeedColumns + 1} {
		outputs, err := json.Marshal(many(n, "urn:li:dataset:(urn:li:dataPlatform:hive,t%d,PROD)"))
		if err != nil {
			t.Fatal(err)
		}
		at := deletion{job, 1}
		p := &page{s: &Service{registry: model.Default()}, deleted: map[deletion]bool{at: true}, outputs: map[deletion][]string{}}
		p.noteOutputs(&catalog.Change{
			URN: job, Time: 1, Kind: catalog.ChangeDelete, Aspect: model.AspectDataJobInputOutput,
			Previous: fmt.Appendf(nil, `{"inputDatasets":[],"outputDatasets":%s}`, outputs),
		})
		if got := len(p.outputs[at]); got != limits.MaxFeedColumns {
			t.Errorf("of %d outputs, %d are noted", n, got)
		}
	}
}

// TestLimitsOfDownstream: the nearest entities are told with a path, and as many are told as a walk
// reaches; an item says so if there are more.
func TestLimitsOfDownstream(t *testing.T) {
	for _, c := range []struct{ rows, told, withPath int }{
		{limits.MaxFeedPaths, limits.MaxFeedPaths, limits.MaxFeedPaths},
		{limits.MaxFeedPaths + 1, limits.MaxFeedPaths + 1, limits.MaxFeedPaths},
		{limits.MaxFeedReach, limits.MaxFeedReach, limits.MaxFeedPaths},
		{limits.MaxFeedReach + 1, limits.MaxFeedReach, limits.MaxFeedPaths},
	} {
		rows := make([]lineage.ImpactRow, c.rows)
		for i := range rows {
			rows[i] = lineage.ImpactRow{ImpactedEntity: lineage.ImpactedEntity{Owners: []string{reader}}}
			rows[i].URN = "urn:li:chart:(looker,c" + strconv.Itoa(i) + ")"
		}
		impacts := &downstreamRows{of: rows}
		p, a := &page{s: &Service{impacts: impacts}}, audienceOf(newsOfLostColumns(1))
		if err := p.downstream(t.Context(), a); err != nil {
			t.Fatal(err)
		}
		item := a.items()[0]
		if item.Certain != c.told || impacts.withPath != c.withPath || item.Partial != (c.told < c.rows) {
			t.Errorf("%d downstream: %d are told, %d with a path, partial %v", c.rows, item.Certain, impacts.withPath, item.Partial)
		}
	}
}

// downstreamRows are the rows downstream of every entity.
type downstreamRows struct {
	of []lineage.ImpactRow
	// withPath counts the rows that were answered with a path.
	withPath int
}

func (d *downstreamRows) ImpactPage(_ context.Context, r lineage.ImpactRequest, start, count int, with lineage.ImpactParts) (*lineage.ImpactReport, error) {
	reached := d.of[:min(len(d.of), r.Walk.Reach)]
	report := &lineage.ImpactReport{Impact: &lineage.Impact{Total: len(reached)}, Rows: slices.Clone(reached[start:min(start+count, len(reached))])}
	if len(reached) < len(d.of) {
		report.Impact.Partial, report.Impact.Reason = true, "more is downstream"
	}
	if with.Paths {
		d.withPath += len(report.Rows)
	}
	return report, nil
}

// TestLimitOfUnsentItems: a feed keeps as many items that are not sent as the limit, and the oldest
// one beyond them is deleted.
func TestLimitOfUnsentItems(t *testing.T) {
	for n, deleted := range map[int][]string{limits.MaxFeedUnsent: nil, limits.MaxFeedUnsent + 1: {nameOfItem(limits.MaxFeedUnsent)}} {
		stored := &longFeed{items: n}
		s := &Service{store: notCovered{}, items: records.Of[storedItem](records.New(stored), records.Feed)}
		s.KeepUnsent(func(context.Context, string) ([]string, error) { return []string{"before all"}, nil })
		if err := s.trim(t.Context(), reader); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(stored.deleted, deleted) {
			t.Errorf("of %d items, %v are deleted", n, stored.deleted)
		}
	}
}

// crowded is a store in which every entity has edges to the same ends.
type crowded struct {
	Store
	ends []string
}

func (c *crowded) Edges(_ context.Context, q graphstore.EdgeQuery) (map[string]graphstore.EdgePage, error) {
	found := map[string]graphstore.EdgePage{}
	for _, urn := range q.URNs {
		page := graphstore.EdgePage{Total: int64(len(c.ends))}
		for _, end := range c.ends[:min(len(c.ends), q.Count)] {
			page.Edges = append(page.Edges, graphstore.Edge{Source: urn, Destination: end})
		}
		found[urn] = page
	}
	return found, nil
}

// longFeed are the records of one feed.
type longFeed struct {
	graphstore.Records
	items   int
	deleted []string
}

const namesOfItems = string(records.Feed) + "%06d"

func nameOfItem(n int) string { return fmt.Sprintf(namesOfItems, n) }

func (f *longFeed) ListRecords(_ context.Context, _, after string, limit int) ([]graphstore.Record, error) {
	from := 0
	if _, err := fmt.Sscanf(after, namesOfItems, &from); err == nil {
		from++
	}
	var page []graphstore.Record
	for i := from; i < f.items && len(page) < limit; i++ {
		page = append(page, graphstore.Record{Name: nameOfItem(i), Value: []byte(`{"cursor":"c"}`)})
	}
	return page, nil
}

func (f *longFeed) DeleteRecord(_ context.Context, name, _ string) error {
	f.deleted = append(f.deleted, name)
	return nil
}

// notCovered is a store in which no cursor covers another one.
type notCovered struct{ Store }

func (notCovered) Covers(string, string) (bool, error) { return false, nil }
