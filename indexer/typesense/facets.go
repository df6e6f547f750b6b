package typesense

import (
	"context"
	"slices"
	"strings"

	"github.com/typesense/typesense-go/v3/typesense/api"
	"github.com/typesense/typesense-go/v3/typesense/api/pointer"

	"github.com/headwater-io/headwater/indexer"
)

// facetFields returns the server's names of the facets that the server has. It asks the server once
// for the structured properties that have become facets.
func (x *compiler) facetFields(ctx context.Context, names []string) (map[string]string, error) {
	fields := make(map[string]string, len(names))
	for _, name := range names {
		switch {
		case x.known["f_"+name]:
			fields[name] = "f_" + name
		case indexer.IsStructured(name):
			if x.own == nil {
				collection, err := x.client.Collection(x.live.docs).Retrieve(ctx)
				if err != nil {
					return nil, err
				}
				x.own = make(map[string]bool, len(collection.Fields))
				for i := range collection.Fields {
					x.own[collection.Fields[i].Name] = true
				}
			}
			if field := ownFacet(name); x.own[field] {
				fields[name] = field
			}
		}
	}
	return fields, nil
}

func (s *search) askFacets(p *parameters) {
	var names []string
	for _, name := range s.query.Facets {
		if field := s.facetFields[name]; field != "" {
			names = append(names, field)
		}
	}
	if len(names) > 0 {
		p.FacetBy = pointer.String(strings.Join(names, ","))
		p.MaxFacetValues = pointer.Int(max(s.query.FacetSize, 1))
	}
}

func (s *search) facets() []indexer.Facet {
	facets := []indexer.Facet{}
	for _, name := range s.query.Facets {
		counts := s.counted[s.facetFields[name]]
		indexer.SortCounts(counts)
		if counts = counts[:min(len(counts), s.query.FacetSize)]; len(counts) > 0 {
			facets = append(facets, indexer.Facet{Field: name, Counts: counts})
		}
	}
	return facets
}

// missing has the counts whose values are too long for facets, by the ids of the values.
type missing map[string][]*indexer.Count

// counts reads the facets of an answer, by the names of their fields.
func (x *Index) counts(ctx context.Context, item api.MultiSearchResultItem) (map[string][]indexer.Count, error) {
	long := missing{}
	counts := countsOf(item, long)
	return counts, x.lookUp(ctx, long)
}

// countsOf reads the facets of an answer. It adds the counts without a value to long.
func countsOf(item api.MultiSearchResultItem, long missing) map[string][]indexer.Count {
	counts := map[string][]indexer.Count{}
	if item.FacetCounts == nil {
		return counts
	}
	for _, facet := range *item.FacetCounts {
		if facet.Counts == nil || facet.FieldName == nil {
			continue
		}
		list := make([]indexer.Count, len(*facet.Counts))
		for i, c := range *facet.Counts {
			if c.Value == nil {
				continue
			}
			id, rest, _ := strings.Cut(*c.Value, " ")
			value, whole := strings.CutPrefix(rest, "=")
			list[i] = indexer.Count{Value: value, Docs: number(c.Count)}
			if !whole {
				long[id] = append(long[id], &list[i])
			}
		}
		counts[*facet.FieldName] = list
	}
	return counts
}

// lookUp asks the server for the values in long and fills them in.
func (x *Index) lookUp(ctx context.Context, long missing) error {
	ids := make([]string, 0, len(long))
	for id := range long {
		ids = append(ids, id)
	}
	for chunk := range slices.Chunk(ids, maxPerPage) {
		items, err := x.perform(ctx, []parameters{{
			Collection: &x.live.values, Q: pointer.String("*"), QueryBy: pointer.String("f"), PerPage: pointer.Int(maxPerPage),
			FilterBy: pointer.String("id:[" + strings.Join(chunk, ",") + "]"), IncludeFields: pointer.String("id,v"),
		}})
		if err != nil {
			return err
		}
		if items[0].Hits == nil {
			continue
		}
		for _, h := range *items[0].Hits {
			id, _ := (*h.Document)["id"].(string)
			value, _ := (*h.Document)["v"].(string)
			for _, c := range long[id] {
				c.Value = value
			}
		}
	}
	return nil
}
