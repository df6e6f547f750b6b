package lineage

import (
	"context"
	"slices"
	"strings"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/read"
	"github.com/headwater-io/headwater/internal/nearest"
	"github.com/headwater-io/headwater/model"
)

// namesOffered is the number of names of one type that are compared with an unknown name.
const namesOffered = 10_000

// selectNamed returns the entities that pass a filter at a moment. selectNamed fails with
// NotFound when no entity passes because a value of the filter is no known name.
func (s *Service) selectNamed(ctx context.Context, known nodesRead, from model.URN, reached []Reached, f *Filter, asOf int64) ([]Reached, error) {
	selected, err := s.selectReached(ctx, known, reached, f, asOf)
	if err == nil && len(selected) == 0 {
		err = s.requireNames(ctx, known, from, reached, f)
	}
	return selected, err
}

// requireNames fails with NotFound, and suggests similar names, when a value of a filter names
// nothing in the graph. requireNames is called when no entity of a walk passed the filter,
// because the reason may be a wrong name.
func (s *Service) requireNames(ctx context.Context, known nodesRead, from model.URN, reached []Reached, f *Filter) error {
	platforms, err := s.platformsOf(ctx, known, append([]Reached{{URN: from.String()}}, reached...))
	if err != nil {
		return err
	}
	for _, list := range []struct {
		word   string
		values []string
		types  []string
	}{
		{"platform", f.Platforms, []string{model.EntityDataPlatform}},
		{"owner", f.Owners, []string{model.EntityCorpuser, model.EntityCorpGroup}},
		{"tag", f.Tags, []string{model.EntityTag}},
		{"term", f.Terms, []string{model.EntityGlossaryTerm}},
		{"domain", f.Domains, []string{model.EntityDomain}},
	} {
		for _, value := range list.values {
			seen := list.word == "platform" && slices.ContainsFunc(platforms, func(urn string) bool { return namedBy([]string{value}, urn) })
			if value == "" || seen {
				continue
			}
			if err := s.requireName(ctx, from.Namespace(), list.word, value, list.types, platforms); err != nil {
				return err
			}
		}
	}
	return nil
}

// platformsOf lists the platforms of entities. A platform need not be in the graph, because the
// URN of an entity names it.
func (s *Service) platformsOf(ctx context.Context, known nodesRead, reached []Reached) ([]string, error) {
	err := s.readNodes(ctx, known, reached)
	platforms := make([]string, len(reached))
	for i, r := range reached {
		node := known.of(r)
		platforms[i] = read.PlatformOf(assetOf(r.URN), &node)
	}
	return distinct(platforms), err
}

// requireName fails when the graph has no entity of this name, or URN, of any of the types.
// requireName suggests names from the graph and names from the list more.
func (s *Service) requireName(ctx context.Context, namespace, word, value string, types, more []string) error {
	prefixes, urns := make([]string, len(types)), make([]string, len(types))
	name := value
	for i := range types {
		prefixes[i] = "urn:" + namespace + ":" + types[i] + ":"
		name = strings.TrimPrefix(name, prefixes[i])
		urns[i] = prefixes[i] + value
	}
	if strings.HasPrefix(value, "urn:") {
		urns = []string{value}
	}
	nodes, err := s.store.Entities(ctx, urns)
	if err != nil || len(nodes) > 0 {
		return catalog.StoreFailure(err)
	}
	var known []string
	for _, prefix := range prefixes {
		found, err := s.store.WithPrefix(ctx, prefix, namesOffered)
		if err != nil {
			return catalog.StoreFailure(err)
		}
		for _, urn := range append(found, more...) {
			if other, ok := strings.CutPrefix(urn, prefix); ok {
				known = append(known, other)
			}
		}
	}
	return catalog.Errorf(catalog.NotFound, "there is no %s %q%s", word, value, nearest.Question(nearest.Names(name, slices.Values(known))))
}
