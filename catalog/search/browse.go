package search

import (
	"context"
	"strings"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/follower"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/indexer"
	"github.com/headwater-io/headwater/model"
)

// BrowseRequest asks for the groups and entities at a browse path.
type BrowseRequest struct {
	EntityType string
	// Path is "" for the root, otherwise /a/b.
	Path   string
	Filter *catalog.Filter
	// View is as in [Request].
	View model.URN
	// Start and Limit select a page of the list of groups followed by entities.
	Start, Limit int
}

// BrowseGroup is a possible next step of a browse path, with the number of entities at the
// longer path and below it.
type BrowseGroup struct {
	Name  string
	Count int
	// URN is the entity that the step stands for. URN is set only in a path v2.
	URN string
	// HasSubGroups tells that the group has groups itself. HasSubGroups is set only in a path v2.
	HasSubGroups bool
}

// BrowseResult is a page of the groups and entities at a path.
type BrowseResult struct {
	Path     string
	Groups   []BrowseGroup
	Entities []Hit
	Start    int
	// TotalGroups and TotalEntities count all groups and entities at the path, TotalBelow the
	// entities strictly below it.
	TotalGroups, TotalEntities, TotalBelow int
}

// browsePath writes a path as the index stores it.
func browsePath(path string) string {
	path = strings.Trim(path, "/")
	if path == "" {
		return ""
	}
	return "/" + path
}

// Browse lists the groups below a browse path and the entities at it, groups first.
func (s *Service) Browse(ctx context.Context, r BrowseRequest) (*BrowseResult, error) {
	_, filter, err := s.browseScope(ctx, &r)
	if err != nil {
		return nil, err
	}
	page, err := catalog.PageOf(r.Start, r.Limit)
	if err != nil {
		return nil, err
	}
	result := &BrowseResult{Path: browsePath(r.Path), Groups: []BrowseGroup{}, Entities: []Hit{}, Start: page.Start}
	groups, err := s.groups(ctx, &indexer.GroupQuery{Field: indexer.FieldAncestors, Path: result.Path, Filter: filter})
	if err != nil {
		return nil, err
	}
	result.TotalGroups = len(groups)
	for _, group := range pageOfGroups(groups, page) {
		result.Groups = append(result.Groups, BrowseGroup{Name: group.Path[strings.LastIndexByte(group.Path, '/')+1:], Count: group.Docs})
	}
	found, err := s.searchExisting(ctx, &indexer.Query{
		Filter: indexer.And{filter, indexer.In{Field: indexer.FieldPaths, Values: []string{result.Path}}},
		Sort:   []indexer.Sort{{Field: indexer.FieldURN}},
		From:   max(page.Start-len(groups), 0), Size: page.Count - len(result.Groups),
	})
	if err != nil {
		return nil, err
	}
	result.TotalEntities = found.Total
	if result.TotalBelow, err = s.countBelow(ctx, result, groups, filter); err != nil {
		return nil, err
	}
	for i := range found.Hits {
		hit := &found.Hits[i]
		result.Entities = append(result.Entities, Hit{URN: hit.URN, Type: hit.Type, Name: s.displayName(hit)})
	}
	return result, nil
}

func pageOfGroups(groups []indexer.Group, page graphstore.Page) []indexer.Group {
	return groups[min(page.Start, len(groups)):min(page.Start+page.Count, len(groups))]
}

// browseScope checks the entity type and the filter of a request.
func (s *Service) browseScope(ctx context.Context, r *BrowseRequest) (*searchScope, indexer.Expr, error) {
	if r.EntityType == "" {
		return nil, nil, catalog.Errorf(catalog.Invalid, "parameter entity is required")
	}
	ctx, err := s.caughtUp(ctx)
	if err != nil {
		return nil, nil, err
	}
	scope, err := s.viewedScope(ctx, []string{r.EntityType}, r.View)
	if err != nil {
		return nil, nil, err
	}
	filter, err := scope.filter(r.Filter, show{})
	return scope, filter, err
}

func (s *Service) groups(ctx context.Context, q *indexer.GroupQuery) ([]indexer.Group, error) {
	if err := s.catchUp(ctx); err != nil {
		return nil, err
	}
	groups, err := s.index.Groups(ctx, q)
	s.follower.Sighted(err)
	return groups, follower.Failure(err)
}

// countBelow counts the entities strictly below a path, each once.
func (s *Service) countBelow(ctx context.Context, at *BrowseResult, groups []indexer.Group, filter indexer.Expr) (int, error) {
	under, err := s.searchExisting(ctx, &indexer.Query{Filter: indexer.And{filter, indexer.In{Field: indexer.FieldAncestors, Values: []string{at.Path}}}})
	if err != nil {
		return 0, err
	}
	below, sum := under.Total, 0
	if at.Path != "" {
		below -= at.TotalEntities
	}
	paths := make([]string, len(groups))
	for i, group := range groups {
		paths[i] = group.Path
		sum += group.Docs
	}
	if at.Path == "" || sum == below {
		return below, nil
	}
	// Some entities have several paths, so that the sum would count them twice.
	found, err := s.searchExisting(ctx, &indexer.Query{Filter: indexer.And{filter, indexer.In{Field: indexer.FieldAncestors, Values: paths}}})
	if err != nil {
		return 0, err
	}
	return found.Total, nil
}

// BrowsePaths returns the browse paths of an entity. An unknown entity has
// none.
func (s *Service) BrowsePaths(ctx context.Context, u model.URN) ([]string, error) {
	found, err := s.searchExisting(ctx, &indexer.Query{Filter: indexer.In{Field: indexer.FieldURN, Values: []string{u.String()}}, Size: 1})
	if err != nil {
		return nil, err
	}
	paths := []string{}
	for i := range found.Hits {
		paths = append(paths, found.Hits[i].Values[indexer.FieldPaths]...)
	}
	return paths, nil
}

// BrowseV2 lists the groups below a path v2, in which ␟ is before each step, and the entities
// at it. A step may be an entity, such as a container. The argument input filters the entities
// like the input of a search.
func (s *Service) BrowseV2(ctx context.Context, r BrowseRequest, input string) (*BrowseResult, error) {
	scope, filter, err := s.browseScope(ctx, &r)
	if err != nil {
		return nil, err
	}
	page, err := catalog.PageOf(r.Start, r.Limit)
	if err != nil {
		return nil, err
	}
	if filter, err = s.narrowed(ctx, scope, filter, input); err != nil {
		return nil, err
	}
	path := strings.TrimSuffix(r.Path, indexer.PathV2Separator)
	if path != "" && !strings.HasPrefix(path, indexer.PathV2Separator) {
		path = indexer.PathV2Separator + path
	}
	groups, err := s.groups(ctx, &indexer.GroupQuery{Field: indexer.FieldAncestorsV2, Path: path, Filter: filter, Below: true})
	if err != nil {
		return nil, err
	}
	result := &BrowseResult{Path: path, Groups: []BrowseGroup{}, Entities: []Hit{}, Start: page.Start, TotalGroups: len(groups)}
	for _, group := range pageOfGroups(groups, page) {
		g := BrowseGroup{Name: strings.TrimPrefix(group.Path[len(path):], indexer.PathV2Separator), Count: group.Docs, HasSubGroups: group.Below}
		if u, err := model.ParseURN(g.Name); err == nil {
			g.URN = u.String()
		}
		result.Groups = append(result.Groups, g)
	}
	at := indexer.In{Field: indexer.FieldPathsV2, Values: []string{path}}
	under := indexer.In{Field: indexer.FieldAncestorsV2, Values: []string{path}}
	exact, err := s.searchExisting(ctx, &indexer.Query{Filter: indexer.And{filter, at}})
	if err != nil {
		return nil, err
	}
	all, err := s.searchExisting(ctx, &indexer.Query{Filter: indexer.And{filter, under}})
	if err != nil {
		return nil, err
	}
	result.TotalEntities, result.TotalBelow = exact.Total, max(all.Total-exact.Total, 0)
	return result, nil
}

// maxNarrowed bounds the entities that may match the input of a browse request.
const maxNarrowed = 10_000

// narrowed adds the input to a condition. Groups are counted by a condition alone, so the words
// of the input are searched first.
func (s *Service) narrowed(ctx context.Context, scope *searchScope, filter indexer.Expr, input string) (indexer.Expr, error) {
	typed, err := s.parse(ctx, scope, input)
	if err != nil {
		return nil, err
	}
	if typed.exact != nil {
		filter = indexer.And{filter, typed.exact}
	}
	if len(typed.text.Tokens) == 0 {
		return filter, nil
	}
	found, err := s.searchIndex(ctx, &indexer.Query{Text: typed.text, Filter: filter, Size: maxNarrowed, Plain: true})
	if err != nil {
		return nil, err
	}
	urns := make([]string, len(found.Hits))
	for i := range found.Hits {
		urns[i] = found.Hits[i].URN
	}
	return indexer.And{filter, indexer.In{Field: indexer.FieldURN, Values: urns}}, nil
}

// PathV2Separator is the text before each step of a path v2.
const PathV2Separator = indexer.PathV2Separator
