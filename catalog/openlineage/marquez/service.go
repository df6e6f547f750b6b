// Package marquez reads the catalog in the shape of Marquez: namespaces with datasets and jobs, runs, and graphs
// whose nodes have the names of OpenLineage. It only reads. It lists entities of the catalog that the
// caller may see; the facts from events are added to them.
package marquez

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/lineage"
	"github.com/headwater-io/headwater/catalog/openlineage"
	"github.com/headwater-io/headwater/catalog/openlineage/naming"
	"github.com/headwater-io/headwater/catalog/permission"
	"github.com/headwater-io/headwater/catalog/read"
	"github.com/headwater-io/headwater/catalog/search"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/model"
)

// Store is the part of the store that is read, as the caller of a request sees it.
type Store interface {
	Entities(ctx context.Context, urns []string) ([]graphstore.Entity, error)
	LatestAspects(ctx context.Context, urns, names []string) (map[string][]graphstore.Aspect, error)
	ListEntities(ctx context.Context, entityType string, page graphstore.Page) (urns []string, total int64, err error)
	WithPrefix(ctx context.Context, prefix string, limit int) ([]string, error)
	Edges(ctx context.Context, query graphstore.EdgeQuery) (map[string]graphstore.EdgePage, error)
}

// States are the facts from events. They hide nothing.
type States interface {
	// NamesOf returns how events name entities, by URN.
	NamesOf(ctx context.Context, urns []string) (map[string]openlineage.Name, error)
	// DatasetURN and JobURN return the URN of a name, the zero URN if it has none.
	DatasetURN(ctx context.Context, d naming.Dataset) (model.URN, error)
	JobURN(ctx context.Context, j naming.JobName) (model.URN, error)
	// SentAbout returns the facets of an entity, or NotFound.
	SentAbout(ctx context.Context, u model.URN) (*openlineage.Sent, error)
	// Settings are the settings of names.
	Settings() *naming.Settings
}

// Options configure a Service. All are required.
type Options struct {
	// Store hides entities that the caller may not see.
	Store Store
	// Reader reads time series, Lineage the graphs of columns, Search searches. All hide as the Store does.
	Reader  *read.Reader
	Lineage *lineage.Service
	Search  *search.Service
	States  States
}

// Service answers reads. It is safe for concurrent use.
type Service struct {
	store   Store
	reader  *read.Reader
	lineage *lineage.Service
	search  *search.Service
	states  States
	names   *naming.Settings
}

// New makes a Service.
func New(o Options) *Service {
	return &Service{store: o.Store, reader: o.Reader, lineage: o.Lineage, search: o.Search, states: o.States, names: o.States.Settings()}
}

// Page selects a part of a list.
type Page struct{ Limit, Offset int }

// check requires that a page is within the limits of lists.
func (p Page) check() error {
	if p.Limit < 1 || p.Limit > limits.MarquezPage {
		return catalog.Errorf(catalog.Invalid, "limit must be from 1 to %d", limits.MarquezPage)
	}
	if p.Offset < 0 || p.Offset > limits.MaxPageStart {
		return catalog.Errorf(catalog.Invalid, "offset must be from 0 to %d", limits.MaxPageStart)
	}
	return nil
}

// pageOf returns a part of a list.
func pageOf[T any](all []T, p Page) []T {
	from := min(p.Offset, len(all))
	return all[from:min(from+p.Limit, len(all))]
}

// ID names a dataset or a job.
type ID = openlineage.Name

// atOnce is how many entities are read at once.
const atOnce = 500

// existing returns the given entities that the caller may see and that are not removed.
func (s *Service) existing(ctx context.Context, urns []string) (map[string]bool, error) {
	found := map[string]bool{}
	for part := range slices.Chunk(urns, atOnce) {
		nodes, err := s.store.Entities(ctx, part)
		if err != nil {
			return nil, catalog.StoreFailure(err)
		}
		for i := range nodes {
			if nodes[i].Exists && !nodes[i].Removed {
				found[nodes[i].URN] = true
			}
		}
	}
	return found, nil
}

// require fails with the error missing unless the caller may see an entity that is not removed.
func (s *Service) require(ctx context.Context, u model.URN, missing error) error {
	if u.IsZero() {
		return missing
	}
	known, err := s.existing(ctx, []string{u.String()})
	if err == nil && !known[u.String()] {
		err = missing
	}
	return err
}

// named returns the names of entities by URN: as events name them, or else computed. Entities without a name are
// absent.
func (s *Service) named(ctx context.Context, urns []string) (map[string]ID, error) {
	found, err := s.states.NamesOf(ctx, urns)
	if err != nil {
		return nil, err
	}
	for _, urn := range urns {
		if _, told := found[urn]; told {
			continue
		}
		u := model.StoredURN(urn)
		switch u.EntityType() {
		case model.EntityDataset:
			if d, ok := s.names.DatasetOf(u); ok {
				found[urn] = ID(d)
			}
		case model.EntityDataJob:
			if j, ok := s.names.JobOf(u); ok {
				found[urn] = ID(j)
			}
		}
	}
	return found, nil
}

// aspects are the values of an entity by name, with the times of the first and of the last write.
type aspects struct {
	values         map[string]json.RawMessage
	created, ended int64
}

// aspectsOf reads aspects of entities. Its times tell when the catalog was told of the entity.
func (s *Service) aspectsOf(ctx context.Context, urns []string, names ...string) (map[string]aspects, error) {
	found := map[string]aspects{}
	for part := range slices.Chunk(urns, atOnce) {
		stored, err := s.store.LatestAspects(ctx, part, names)
		if err != nil {
			return nil, catalog.StoreFailure(err)
		}
		for urn, list := range stored {
			of := aspects{values: map[string]json.RawMessage{}}
			for i := range list {
				of.values[list[i].Name] = list[i].Value
				if of.created == 0 || list[i].CreatedOn < of.created {
					of.created = list[i].CreatedOn
				}
				of.ended = max(of.ended, list[i].CreatedOn)
			}
			found[urn] = of
		}
	}
	return found, nil
}

// valueIn reads a value; it is the zero value if there is none, or one of another shape.
func valueIn[T any](of aspects, name string) T {
	var value T
	if text := of.values[name]; text != nil {
		_ = json.Unmarshal(text, &value) // stored values have been checked against the model
	}
	return value
}

// moment writes milliseconds since 1970 as Marquez does, nil for 0.
func moment(millis int64) *string {
	if millis == 0 {
		return nil
	}
	text := time.UnixMilli(millis).UTC().Format("2006-01-02T15:04:05.000Z")
	return &text
}

// textOrNil is nil for an empty text.
func textOrNil(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

// facets are the facets that events have told of an entity, none for a caller who may not read every entity: facets
// name other entities.
func (s *Service) facets(ctx context.Context, urn string) (map[string]json.RawMessage, error) {
	found := map[string]json.RawMessage{}
	if !permission.SeesWhole(ctx) {
		return found, nil
	}
	sent, err := s.states.SentAbout(ctx, model.StoredURN(urn))
	if catalog.CodeOf(err) == catalog.NotFound {
		return found, nil
	}
	if err != nil {
		return nil, err
	}
	for name, of := range sent.Facets {
		found[name] = of.Facet
	}
	return found, nil
}

// tagName is the name of a tag.
func tagName(urn string) string { return model.StoredURN(urn).Key() }

// edgesOf reads the edges of entities, page by page, up to the wanted number of edges for each entity.
func (s *Service) edgesOf(ctx context.Context, urns []string, direction graphstore.Direction, page graphstore.Page, types ...string) (map[string]graphstore.EdgePage, error) {
	found := map[string]graphstore.EdgePage{}
	for part := range slices.Chunk(urns, atOnce) {
		pages, err := s.store.Edges(ctx, graphstore.EdgeQuery{URNs: part, Direction: direction, Types: types, Page: page})
		if err != nil {
			return nil, catalog.StoreFailure(err)
		}
		for urn, of := range pages {
			found[urn] = of
		}
	}
	return found, nil
}

func isDataset(urn string) bool { return strings.HasPrefix(urn, datasetBeginning) }

// beginningOf is how the URNs of a type begin.
func beginningOf(entityType string) string { return "urn:li:" + entityType + ":" }

var datasetBeginning = beginningOf(model.EntityDataset)
