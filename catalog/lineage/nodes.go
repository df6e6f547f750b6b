package lineage

import (
	"cmp"
	"context"
	"slices"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/history"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/model"
)

// Details selects the data that is read of nodes besides their names.
type Details struct {
	// Labels asks for owners, tags, terms and domain.
	Labels bool
	// SubTypes and Columns ask for the sub-type and the number of columns, which aspects state.
	SubTypes, Columns bool
	// Neighbours asks for the counts of neighbours in a difference. A graph always has them.
	Neighbours bool
}

// Node is an entity or a column with the details that a graph shows. The degree of a node
// upstream of the start is negative. A column has the labels of its entity.
type Node struct {
	Entity
	// PlatformName is the display name of the platform.
	PlatformName string
	SubType      string
	Deprecated   bool
	// Owners, Tags, Terms and Domain are URNs.
	Owners, Tags, Terms []string
	Domain              string
	// DegreeBefore is the former degree of a node whose degree changed between two moments, else
	// nil.
	DegreeBefore *int
	// Upstreams and Downstreams count the neighbours, Columns the columns of the
	// schema.
	Upstreams, Downstreams, Columns int
}

// aspectsAtOnce is the number of entities whose aspects are read at once: each may have a large
// schema.
const aspectsAtOnce = 200

// nodes adds the details of a graph to entities that a walk reached, as of a moment; 0 is now.
// known has the present nodes that the request has already read.
func (s *Service) nodes(ctx context.Context, known nodesRead, reached []Reached, asOf int64, with Details) ([]Node, error) {
	if err := s.readNodes(ctx, known, reached); err != nil {
		return nil, err
	}
	nodes := make([]Node, len(reached))
	var platforms, assets []string
	for i, r := range reached {
		asset := assetOf(r.URN)
		node := known[asset]
		nodes[i].Entity = s.entityOf(r, &node)
		nodes[i].Deprecated, _ = node.Properties["deprecated"].(bool)
		platforms, assets = append(platforms, nodes[i].Platform), append(assets, asset)
	}
	slices.Sort(platforms)
	named, err := s.names.Name(ctx, slices.Compact(platforms))
	if err != nil {
		return nil, err
	}
	labels, facts := map[string]*nodeLabels{}, map[string]assetFacts{}
	if with.Labels {
		if labels, err = s.labelsOf(ctx, distinct(assets), asOf); err != nil {
			return nil, err
		}
	}
	if with.SubTypes || with.Columns {
		if facts, err = s.factsOf(ctx, distinct(assets), with); err != nil {
			return nil, err
		}
	}
	for i := range nodes {
		n := &nodes[i]
		n.PlatformName = named[n.Platform].Name
		if l := labels[assets[i]]; l != nil {
			n.Owners, n.Tags, n.Terms, n.Domain = l.owners, l.tags, l.terms, l.domain
		}
		if n.Entity.Entity == "" {
			n.SubType, n.Columns = facts[assets[i]].subType, facts[assets[i]].columns
		}
	}
	if asOf == 0 {
		return nodes, nil
	}
	past, err := s.pastOf(ctx, reached, asOf)
	if err != nil {
		return nil, err
	}
	for i := range nodes {
		past.describeNode(&nodes[i])
	}
	return nodes, nil
}

// distinct returns each text once, sorted.
func distinct(texts []string) []string {
	sorted := slices.Sorted(slices.Values(texts))
	return slices.Compact(sorted)
}

type nodeLabels struct {
	owners, tags, terms []string
	domain              string
}

// maxLabels bounds the labels of an entity that a graph shows.
const maxLabels = 1000

func (s *Service) labelsOf(ctx context.Context, urns []string, asOf int64) (map[string]*nodeLabels, error) {
	labels := make(map[string]*nodeLabels, len(urns))
	for some := range slices.Chunk(urns, nearNodes) {
		found, err := s.store.Edges(ctx, graphstore.EdgeQuery{
			URNs:  some,
			Types: []string{model.RelationshipOwnedBy, model.RelationshipTaggedWith, model.RelationshipTermedWith, model.RelationshipAssociatedWith},
			AsOf:  asOf, Page: graphstore.Page{Count: maxLabels},
		})
		if err != nil {
			return nil, catalog.StoreFailure(err)
		}
		for urn, page := range found {
			l := &nodeLabels{}
			for i := range page.Edges {
				l.add(&page.Edges[i])
			}
			labels[urn] = l
		}
	}
	return labels, nil
}

func (l *nodeLabels) add(e *graphstore.Edge) {
	switch e.Type {
	case model.RelationshipOwnedBy:
		l.owners = append(l.owners, e.Destination)
	case model.RelationshipTaggedWith:
		l.tags = append(l.tags, e.Destination)
	case model.RelationshipTermedWith:
		l.terms = append(l.terms, e.Destination)
	case model.RelationshipAssociatedWith:
		if model.StoredURN(e.Destination).EntityType() == model.EntityDomain {
			l.domain = e.Destination
		}
	}
}

// assetFacts has the details of an entity that are read from its aspects.
type assetFacts struct {
	subType string
	columns int
}

// factsOf reads the aspects of entities that have the details.
func (s *Service) factsOf(ctx context.Context, urns []string, with Details) (map[string]assetFacts, error) {
	var names []string
	if with.SubTypes {
		names = append(names, model.AspectSubTypes)
	}
	if with.Columns {
		names = append(names, model.AspectSchemaMetadata)
	}
	facts := make(map[string]assetFacts, len(urns))
	err := s.eachAspects(ctx, urns, names, func(urn string, aspects []graphstore.Aspect) error {
		var f assetFacts
		for i := range aspects {
			if err := f.read(&aspects[i]); err != nil {
				return catalog.Errorf(catalog.Internal, "%s of %s: %w", aspects[i].Name, urn, err)
			}
		}
		facts[urn] = f
		return nil
	})
	return facts, err
}

// eachAspects calls each with the aspects of entities, in the order of the list; an entity without the aspects is left out.
// It reads readsAtOnce parts of the list at a time.
func (s *Service) eachAspects(ctx context.Context, urns, names []string, each func(urn string, aspects []graphstore.Aspect) error) error {
	for parts := range slices.Chunk(slices.Collect(slices.Chunk(urns, aspectsAtOnce)), readsAtOnce) {
		stored := make([]map[string][]graphstore.Aspect, len(parts))
		err := eachAtOnce(ctx, len(parts), func(ctx context.Context, i int) (err error) {
			stored[i], err = s.store.LatestAspects(ctx, parts[i], names)
			return catalog.StoreFailure(err)
		})
		if err != nil {
			return err
		}
		for i, part := range parts {
			for _, urn := range part {
				if aspects := stored[i][urn]; len(aspects) > 0 {
					if err := each(urn, aspects); err != nil {
						return err
					}
				}
			}
		}
	}
	return nil
}

func (f *assetFacts) read(a *graphstore.Aspect) error {
	subType, columns, err := history.ShapeOf(a.Value)
	if err != nil {
		return err
	}
	f.subType = cmp.Or(subType, f.subType)
	f.columns += columns
	return nil
}
