package quality

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/jsontree"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/model"
)

// State says whether the data of an entity is fresh and correct. Moments are epoch
// milliseconds, 0 if they are not known.
type State struct {
	URN string `json:"urn"`
	// At is the moment of the answer. AsOf repeats the past moment that the answer is about; 0 is now.
	At   int64 `json:"at"`
	AsOf int64 `json:"asOf,omitempty"`
	// Updated is the last reported change of the data, nil if none was reported.
	Updated *Update `json:"updated,omitempty"`
	// Profile is the last profile, nil if there is none.
	Profile *Profile `json:"profile,omitempty"`
	// Series are the time series that have values, by name.
	Series []Series `json:"series"`
	// Assertions are the assertions about the entity and its columns, the failing ones first.
	Assertions []Assertion `json:"assertions"`
	// Counts has the number of these assertions for each last result.
	Counts Counts `json:"counts"`
	// Incidents are the unresolved incidents, the newest first.
	Incidents []Incident `json:"incidents"`
	// Results are the last results, the newest first, if the state is of an assertion.
	Results []Result `json:"results,omitempty"`
	// Partial: the entity has more assertions or incidents than were read, or not all of a past
	// moment is kept. Reason says which.
	Partial bool   `json:"partial,omitempty"`
	Reason  string `json:"reason,omitempty"`
}

// Update is a change of data.
type Update struct {
	Time int64 `json:"time"`
	// Operation is the kind of the change, such as INSERT, "" if only the time is known.
	Operation string `json:"operation,omitempty"`
	Rows      *int64 `json:"rows,omitempty"`
	Actor     string `json:"actor,omitempty"`
	// Of is the sibling whose metadata reports the change, "" for the entity itself.
	Of string `json:"of,omitempty"`
}

// Profile is the size of data at a moment.
type Profile struct {
	Time    int64  `json:"time"`
	Rows    *int64 `json:"rows,omitempty"`
	Columns *int64 `json:"columns,omitempty"`
	Bytes   *int64 `json:"bytes,omitempty"`
	// Partition is the part of the data that the profile is about, "" for all of the data.
	Partition string `json:"partition,omitempty"`
	Of        string `json:"of,omitempty"`
}

// Series is a time series with the time of its newest value.
type Series struct {
	Aspect string `json:"aspect"`
	Time   int64  `json:"time"`
}

// Incident is an incident that is not resolved.
type Incident struct {
	URN   string `json:"urn"`
	Title string `json:"title"`
	Since int64  `json:"since"`
}

// siblingsLooked bounds the siblings of an entity that are read.
const siblingsLooked = 10

// Of returns the state of an entity or a column, at a moment if at is not 0. It fails with NotFound
// if nothing is stored of the entity. At a moment, the state has the results with a time at or
// before it, and the assertions and incidents that were about the entity then.
func (s *Service) Of(ctx context.Context, u model.URN, at int64) (*State, error) {
	if at < 0 {
		return nil, catalog.Errorf(catalog.Invalid, "a moment is a positive number of milliseconds, not %d", at)
	}
	holder := model.StoredURN(model.HolderOf(u))
	nodes, err := s.store.Entities(ctx, []string{holder.String()})
	if err != nil {
		return nil, catalog.StoreFailure(err)
	}
	if len(nodes) == 0 || !nodes[0].Exists {
		return nil, catalog.NotStored(holder, "Did not find urn: %s")
	}
	r := s.readerAt(at)
	states, err := s.states(ctx, []model.URN{u}, r)
	if err != nil {
		return nil, err
	}
	state := &states[0]
	if r.lacks != "" && !state.Partial {
		state.Partial, state.Reason = true, r.lacks
	}
	if u.EntityType() == model.EntityAssertion {
		state.Results, err = r.resultsOf(ctx, u)
	}
	return state, err
}

// OfMany returns the states of entities and columns, in their order. The number of store calls
// depends on the types of the entities, not on their number. The state of an entity that does
// not exist is empty.
func (s *Service) OfMany(ctx context.Context, urns []model.URN) ([]State, error) {
	return s.states(ctx, urns, s.readerAt(0))
}

func (s *Service) states(ctx context.Context, urns []model.URN, r *reader) ([]State, error) {
	w := &work{reader: r, states: make([]State, len(urns)), places: map[string][]place{}}
	for i, u := range urns {
		w.states[i] = State{URN: u.String(), At: s.now().UnixMilli(), AsOf: r.at, Series: []Series{}, Assertions: []Assertion{}, Incidents: []Incident{}}
		w.places[u.String()] = append(w.places[u.String()], place{state: i})
	}
	if err := w.addSiblings(ctx, urns); err != nil {
		return nil, err
	}
	if err := w.readSeries(ctx); err != nil {
		return nil, err
	}
	return w.states, w.readChecks(ctx)
}

// work is the making of states.
type work struct {
	*reader
	states []State
	// places has, by the URN of an entity, the states to which the entity adds values.
	places map[string][]place
}

// place is a state. If sibling is set, the entity that adds to the state is a sibling of the
// state's entity.
type place struct {
	state   int
	sibling bool
}

// named returns the URNs of the entities that are read, in order.
func (w *work) named() []string {
	urns := make([]string, 0, len(w.places))
	for urn := range w.places {
		urns = append(urns, urn)
	}
	slices.Sort(urns)
	return urns
}

// addSiblings adds the siblings of entities, because a test of a dbt model is also a test of
// its table. It also reads the last changes from the aspects of the entities.
func (w *work) addSiblings(ctx context.Context, urns []model.URN) error {
	stored, err := w.aspects(ctx, catalog.Texts(catalog.Distinct(urns)), []string{model.AspectSiblings, model.AspectDatasetProperties})
	if err != nil {
		return err
	}
	for i, u := range urns {
		for _, a := range stored[u.String()] {
			tree, err := catalog.TreeOf(a.Value)
			if err != nil {
				return err
			}
			switch a.Name {
			case model.AspectDatasetProperties:
				if changed := jsontree.Member(tree, "lastModified"); jsontree.Integer(changed["time"]) > 0 {
					w.states[i].Updated = &Update{Time: jsontree.Integer(changed["time"]), Actor: jsontree.Text(changed, "actor")}
				}
			case model.AspectSiblings:
				siblings := jsontree.Texts(tree, "siblings")
				for _, text := range siblings[:min(len(siblings), siblingsLooked)] {
					if sibling, err := w.s.registry.ReadURN(text); err == nil && sibling != u {
						w.places[sibling.String()] = append(w.places[sibling.String()], place{i, true})
					}
				}
			}
		}
	}
	return nil
}

// readSeries reads the newest value of every time series.
func (w *work) readSeries(ctx context.Context) error {
	byType := map[string][]string{}
	for _, urn := range w.named() {
		kind := model.StoredURN(urn).EntityType()
		byType[kind] = append(byType[kind], urn)
	}
	for kind, urns := range byType {
		entity, ok := w.s.registry.Entity(kind)
		if !ok {
			continue
		}
		var series []string
		for _, name := range entity.Aspects {
			if a, ok := w.s.registry.Aspect(name); ok && a.TimeSeries {
				series = append(series, name)
			}
		}
		if len(series) == 0 {
			continue
		}
		found, err := w.latest(ctx, urns, series)
		if err != nil {
			return err
		}
		for urn, values := range found {
			for i := range values {
				if err := w.takeValue(urn, &values[i]); err != nil {
					return err
				}
			}
		}
	}
	for i := range w.states {
		slices.SortFunc(w.states[i].Series, func(a, b Series) int { return compareText(a.Aspect, b.Aspect) })
	}
	return nil
}

// takeValue adds the newest value of a time series to the states to which the entity adds
// values.
func (w *work) takeValue(urn string, v *graphstore.TimeSeriesValue) error {
	tree, err := catalog.TreeOf(v.Value)
	if err != nil {
		return err
	}
	for _, p := range w.places[urn] {
		state, of := &w.states[p.state], ""
		if p.sibling {
			of = urn
		} else {
			state.Series = append(state.Series, Series{Aspect: v.Aspect, Time: v.Timestamp})
		}
		switch v.Aspect {
		case model.AspectOperation:
			update := updateOf(tree, v.Timestamp)
			if update.Of = of; state.Updated == nil || update.Time >= state.Updated.Time {
				state.Updated = update
			}
		case model.AspectDatasetProfile:
			profile := profileOf(tree, v.Timestamp)
			if profile.Of = of; state.Profile == nil || !p.sibling && state.Profile.Of != "" || p.sibling == (state.Profile.Of != "") && profile.Time > state.Profile.Time {
				state.Profile = profile
			}
		}
	}
	return nil
}

func updateOf(operation catalog.Tree, at int64) *Update {
	u := &Update{Time: jsontree.Integer(operation["lastUpdatedTimestamp"]), Operation: jsontree.Text(operation, "operationType"), Rows: count(operation, "numAffectedRows"), Actor: jsontree.Text(operation, "actor")}
	if custom := jsontree.Text(operation, "customOperationType"); custom != "" && u.Operation == "CUSTOM" {
		u.Operation = custom
	}
	if u.Time == 0 {
		u.Time = at
	}
	return u
}

func profileOf(tree catalog.Tree, at int64) *Profile {
	p := &Profile{Time: at, Rows: count(tree, "rowCount"), Columns: count(tree, "columnCount"), Bytes: count(tree, "sizeInBytes")}
	if spec := jsontree.Member(tree, "partitionSpec"); spec["type"] == "PARTITION" || spec["type"] == "QUERY" {
		p.Partition = jsontree.Text(spec, "partition")
	}
	return p
}

// count returns a number of a value, nil if the value does not have the number.
func count(tree catalog.Tree, name string) *int64 {
	if _, ok := tree[name].(json.Number); !ok {
		return nil
	}
	n := jsontree.Integer(tree[name])
	return &n
}

// readChecks reads the assertions and incidents.
func (w *work) readChecks(ctx context.Context) error {
	pages, err := w.s.store.Edges(ctx, graphstore.EdgeQuery{
		URNs: w.named(), Direction: graphstore.Incoming, Types: []string{model.RelationshipAsserts, model.RelationshipIncidentOn},
		AsOf: w.at, Page: graphstore.Page{Count: limits.MaxQualityChecks},
	})
	if err != nil {
		return catalog.StoreFailure(err)
	}
	about := map[string][]place{} // by the URN of an assertion or incident
	for urn, page := range pages {
		for _, p := range w.places[urn] {
			if page.Total > int64(len(page.Edges)) {
				state := &w.states[p.state]
				state.Partial, state.Reason = true, "the entity has more assertions and incidents than are looked at"
			}
			for i := range page.Edges {
				source := page.Edges[i].Source
				if !slices.ContainsFunc(about[source], func(o place) bool { return o.state == p.state }) {
					about[source] = append(about[source], p)
				}
			}
		}
	}
	for i := range w.states {
		if u := model.StoredURN(w.states[i].URN); u.EntityType() == model.EntityAssertion {
			about[u.String()] = append(about[u.String()], place{state: i})
		}
	}
	assertions, incidents, err := w.checks(ctx, about)
	if err != nil {
		return err
	}
	for urn, places := range about {
		for _, p := range places {
			state := &w.states[p.state]
			if a, ok := assertions[urn]; ok {
				state.Assertions = append(state.Assertions, a)
				state.Counts.add(a.Result)
			}
			if one, ok := incidents[urn]; ok {
				state.Incidents = append(state.Incidents, one)
			}
		}
	}
	for i := range w.states {
		slices.SortFunc(w.states[i].Assertions, compareAssertions)
		slices.SortFunc(w.states[i].Incidents, compareIncidents)
	}
	return nil
}
