package replica

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/headwater-io/headwater/catalog/transfer"
)

// Record is a part of a page that can be stored for later replicas, such as in a topic of
// Kafka. Record has the whole state of one thing, so that a later record with the same key
// replaces it. A replica that applies only the last record of each key, in their order, gets
// the same catalog as one that applies all records.
type Record struct {
	Key string `json:"-"`
	Origin
	Changes []Change `json:"changes,omitempty"`
	Entity  *Entity  `json:"entity,omitempty"`
	Series  *Series  `json:"series,omitempty"`
}

// Shortened returns the record without the older half of its archived versions, at least one,
// and the number of versions that it left out. The number is 0 if the record has no archived
// version.
func (r Record) Shortened() (Record, int) {
	if r.Entity == nil || r.Entity.State == nil {
		return r, 0
	}
	var archived []transfer.ExportVersion
	for _, v := range r.Entity.State.Versions {
		if !v.Latest {
			archived = append(archived, v)
		}
	}
	if len(archived) == 0 {
		return r, 0
	}
	slices.SortStableFunc(archived, func(a, b transfer.ExportVersion) int { return cmp.Compare(a.CreatedOn, b.CreatedOn) })
	gone := map[versionName]bool{}
	for _, v := range archived[:(len(archived)+1)/2] {
		gone[versionName{v.Aspect, v.Seq}] = true
	}
	entity, state := *r.Entity, *r.Entity.State
	state.Versions = slices.DeleteFunc(slices.Clone(state.Versions), func(v transfer.ExportVersion) bool { return gone[versionName{v.Aspect, v.Seq}] })
	entity.State, r.Entity = &state, &entity
	return r, len(gone)
}

// versionName identifies a version of an entity.
type versionName struct {
	aspect string
	seq    int64
}

// Origin identifies the page that a record is a part of.
type Origin struct {
	// Catalog is the identity of the source, see [Service.Identity]. Term grows whenever another
	// server begins to divide pages, Page with each page of a term.
	Catalog string `json:"catalog"`
	Term    int64  `json:"term"`
	Page    int64  `json:"page"`
}

// keySeparator occurs in no URN and in no name of an aspect.
const keySeparator = "\x00"

// Records divides a page of this server into records. Unlike the page, the records have
// complete time series.
func (s *Service) Records(ctx context.Context, page *Page, origin Origin) ([]Record, error) {
	d := divider{origin: origin, rest: map[string][]Change{}}
	for i := range page.Changes {
		c := &page.Changes[i]
		d.rest[c.URN] = append(d.rest[c.URN], *c)
	}
	for i := range page.Entities {
		d.divide(&page.Entities[i])
	}
	for i := range page.Series {
		if err := s.divideSeries(ctx, &d, &page.Series[i]); err != nil {
			return nil, err
		}
	}
	return d.records, nil
}

// divider collects the records of a page.
type divider struct {
	origin  Origin
	records []Record
	// rest has the changes of each entity that are not in a record yet.
	rest map[string][]Change
}

// add adds a record with a part of an entity, and with the changes for which belongs returns
// true.
func (d *divider) add(e *Entity, part string, belongs func(*Change) bool) {
	var own, others []Change
	for _, c := range d.rest[e.URN] {
		if belongs(&c) {
			own = append(own, c)
		} else {
			others = append(others, c)
		}
	}
	d.rest[e.URN] = others
	d.records = append(d.records, Record{Key: e.URN + part, Origin: d.origin, Changes: own, Entity: e})
}

func (d *divider) divide(e *Entity) {
	if e.Whole {
		d.add(&Entity{URN: e.URN, Whole: true, State: e.State, Properties: e.Properties}, "", func(c *Change) bool { return c.TimeSeriesKey == "" })
	}
	for _, aspect := range e.Aspects {
		part := Entity{URN: e.URN, Aspects: []string{aspect}, State: e.aspect(aspect), Properties: e.Properties}
		d.add(&part, keySeparator+aspect, func(c *Change) bool { return c.Aspect == aspect && c.TimeSeriesKey == "" })
	}
	for i := range e.Values {
		v := &e.Values[i]
		part := Entity{URN: e.URN, Values: e.Values[i : i+1], Properties: e.Properties}
		d.add(&part, keySeparator+v.Aspect+keySeparator+v.Key, func(c *Change) bool { return c.Aspect == v.Aspect && c.TimeSeriesKey == v.Key })
	}
	if len(e.Observed) > 0 {
		part := Entity{URN: e.URN, Observed: e.Observed, Properties: e.Properties}
		d.add(&part, keySeparator+keySeparator+"observed", func(c *Change) bool { return c.TimeSeriesKey == "" })
	}
	if len(d.rest[e.URN]) > 0 { // a later page has the state after these changes
		d.add(&Entity{URN: e.URN, Properties: e.Properties}, keySeparator+keySeparator+"told", func(*Change) bool { return true })
	}
}

// aspect returns the part of the state that belongs to one aspect.
func (e *Entity) aspect(name string) *transfer.ExportEntity {
	part := &transfer.ExportEntity{URN: e.URN}
	if e.State == nil {
		return part
	}
	for i := range e.State.Versions {
		if e.State.Versions[i].Aspect == name {
			part.Versions = append(part.Versions, e.State.Versions[i])
		}
	}
	for i := range e.State.Edges {
		if e.State.Edges[i].Aspect == name {
			part.Edges = append(part.Edges, e.State.Edges[i])
		}
	}
	return part
}

// divideSeries adds a record for each part of a time series.
func (s *Service) divideSeries(ctx context.Context, d *divider, part *Series) error {
	p := seriesPart{Series: part}
	for n := 0; ; n++ {
		d.records = append(d.records, Record{
			Key: part.URN + keySeparator + part.Aspect + keySeparator + keySeparator + strconv.Itoa(n), Origin: d.origin,
			Series: &Series{URN: part.URN, Aspect: part.Aspect, Values: p.Values, Last: p.Last, Part: true, After: p.after, Carried: p.carried},
		})
		if p.Last {
			return nil
		}
		if err := p.advance(ctx, s); err != nil {
			return err
		}
	}
}

// Collect puts records, in their order, into a page, and returns the number of records in it.
// Collect stops before a later state of an entity that the page already has.
func Collect(records []Record) (page *Page, n int) {
	page = &Page{Format: Format}
	at, of := map[string]int{}, map[string]Origin{}
	seen := map[string]bool{}
	for ; n < len(records); n++ {
		r := &records[n]
		urn, _, _ := strings.Cut(r.Key, keySeparator)
		if origin, known := of[urn]; known && origin != r.Origin {
			break
		}
		of[urn] = r.Origin
		if seen[r.Key] { // the record was sent twice
			continue
		}
		seen[r.Key] = true
		page.Changes = append(page.Changes, r.Changes...)
		if r.Series != nil {
			page.Series = append(page.Series, *r.Series)
		}
		if r.Entity == nil {
			continue
		}
		if i, known := at[urn]; known {
			page.Entities[i].join(r.Entity)
			continue
		}
		at[urn] = len(page.Entities)
		page.Entities = append(page.Entities, *r.Entity)
	}
	return page, n
}

// join adds another part of the same state of an entity.
func (e *Entity) join(o *Entity) {
	e.Whole = e.Whole || o.Whole
	e.Aspects = slices.Concat(e.Aspects, o.Aspects)
	e.Observed = slices.Concat(e.Observed, o.Observed)
	e.Values = slices.Concat(e.Values, o.Values)
	e.Properties = o.Properties
	if e.State == nil || o.State == nil {
		e.State = cmp.Or(e.State, o.State)
		return
	}
	e.State = &transfer.ExportEntity{
		URN: e.URN, Versions: slices.Concat(e.State.Versions, o.State.Versions), Edges: slices.Concat(e.State.Edges, o.State.Edges),
	}
}
