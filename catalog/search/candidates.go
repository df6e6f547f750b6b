package search

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/indexer"
	"github.com/headwater-io/headwater/model"
)

// maxCandidates bounds the candidates that are offered for a name.
const maxCandidates = 10

// NameError says that a name stands for no thing, or for several things. A thing is an entity
// or a column. NameError is the cause of a [catalog.Error], NotFound or Invalid.
type NameError struct {
	Name string
	// Candidates are the things that the name may stand for or, if it stands for none, the things
	// with the nearest names; at most maxCandidates.
	Candidates []Named
	// Several tells that each of the candidates has the name.
	Several bool
	// Removed tells that each of the candidates has the name but is soft-deleted.
	Removed bool
	// Total is the number of things that have the name, if Several is set. For columns, it
	// includes each entity that was not read because there are more than maxSharing.
	Total int
}

func (e *NameError) Error() string {
	switch {
	case e.Several:
		return fmt.Sprintf("%q stands for several things", e.Name)
	case e.Removed:
		return fmt.Sprintf("%q is soft-deleted", e.Name)
	}
	return fmt.Sprintf("nothing is named %q", e.Name)
}

// severalNamed returns the error for a name that several things have.
func (s *Service) severalNamed(ctx context.Context, scope *searchScope, r *NameRequest, found []Named, total int) error {
	found = found[:min(len(found), maxCandidates)]
	e := &NameError{Name: r.Name, Candidates: found, Several: true, Total: total}
	if err := s.addHandles(ctx, &nameScope{searchScope: scope, removed: r.Removed}, e.Candidates); err != nil {
		return err
	}
	return &catalog.Error{Code: catalog.Invalid, Message: e.Error() + ": " + listed(found) + "; use a longer name or a URN", Err: e}
}

// unnamed returns the error for a name that no thing has. unnamed offers soft-deleted things
// with the name, or else the hits of a search for the name.
func (s *Service) unnamed(ctx context.Context, scope *searchScope, r *NameRequest) error {
	if err := s.softDeleted(ctx, scope, r); err != nil {
		return err
	}
	e := &NameError{Name: r.Name}
	var err error
	if e.Candidates, err = s.nearTo(ctx, scope, r); err != nil {
		return err
	}
	message := e.Error()
	if len(e.Candidates) > 0 {
		message += "; nearest are " + listed(e.Candidates)
	}
	return &catalog.Error{Code: catalog.NotFound, Message: message, Err: e}
}

// softDeleted returns the error for a name that only soft-deleted things have. softDeleted
// returns nil if there are none, or if the request includes them.
func (s *Service) softDeleted(ctx context.Context, scope *searchScope, r *NameRequest) error {
	if r.Removed {
		return nil
	}
	withRemoved := *r
	withRemoved.Removed = true
	found, _, err := s.lookUp(ctx, scope, &withRemoved)
	if len(found) == 0 {
		if catalog.CodeOf(err) == catalog.NotFound {
			return nil
		}
		return err
	}
	e := &NameError{Name: r.Name, Candidates: found[:min(len(found), maxCandidates)], Removed: true}
	for i := range e.Candidates {
		e.Candidates[i].Handle = handleOf(&e.Candidates[i], e.Candidates[i].URN.String())
	}
	return &catalog.Error{Code: catalog.NotFound, Message: e.Error() + ": " + listed(e.Candidates), Err: e}
}

// nearestShown bounds the entities that are offered for a name that no thing has.
const nearestShown = 5

// nearTo returns the hits of a search for a name, or else for its last part.
func (s *Service) nearTo(ctx context.Context, scope *searchScope, r *NameRequest) ([]Named, error) {
	name := r.Name
	if q := (&nameScope{searchScope: scope, name: name}).qualified(); q != nil {
		name = q.name
	}
	for _, text := range []string{r.Name, name, name[strings.LastIndexAny(name, "./")+1:]} {
		if text == "" {
			continue
		}
		found, err := s.Search(ctx, Request{Types: r.Types, Input: text, Count: nearestShown, Named: true, WithoutMatches: true, Facets: []string{}})
		if catalog.CodeOf(err) == catalog.Invalid {
			continue // no search accepts this text
		}
		if err != nil {
			return nil, err
		}
		if len(found.Hits) == 0 {
			continue
		}
		urns := make([]string, len(found.Hits))
		for i := range found.Hits {
			urns[i] = found.Hits[i].URN
		}
		return s.candidates(ctx, scope, urns)
	}
	return nil, nil
}

// WithNearest adds to an error about an unknown entity the entities with the nearest names.
// WithNearest returns any other error unchanged. If the index fails, WithNearest also returns
// the error about the unknown entity unchanged.
func (s *Service) WithNearest(ctx context.Context, err error) error {
	var unknown *catalog.UnknownError
	if !errors.As(err, &unknown) {
		return err
	}
	u := unknown.URN
	if text := model.HolderOf(u); text != u.String() {
		u = model.StoredURN(text)
	}
	r := &NameRequest{Name: indexer.Leaf(u), Types: []string{u.EntityType()}}
	scope, failure := s.searchScope(r.Types)
	if failure != nil || s.index == nil || checkTyped(r.Name) != nil {
		return err
	}
	near, failure := s.nearTo(ctx, scope, r)
	if failure != nil || len(near) == 0 {
		return err
	}
	e := &NameError{Name: r.Name, Candidates: near}
	return &catalog.Error{Code: catalog.NotFound, Message: catalog.MessageOf(err) + "; nearest are " + listed(near), Err: errors.Join(e, unknown)}
}

// candidates reads entities from the index, with their handles, in the order of the URNs.
func (s *Service) candidates(ctx context.Context, scope *searchScope, urns []string) ([]Named, error) {
	result, err := s.searchExisting(ctx, &indexer.Query{Filter: indexer.In{Field: indexer.FieldURN, Values: urns}, Size: len(urns)})
	if err != nil {
		return nil, err
	}
	found := s.namedHits(result.Hits, scope.comparedFields())
	slices.SortFunc(found, func(a, b Named) int {
		return slices.Index(urns, a.URN.String()) - slices.Index(urns, b.URN.String())
	})
	return found, s.addHandles(ctx, &nameScope{searchScope: scope}, found)
}

// maxSharing bounds the entities that are read because they share a name with a candidate.
// maxSharing also bounds the entities that are read for a column because their name is the part
// before the column's path.
const maxSharing = 200

// addHandles finds for each candidate a name that stands for it alone: its name in the source
// or its display name, with the platform in front if another entity has the name too.
func (s *Service) addHandles(ctx context.Context, n *nameScope, candidates []Named) error {
	filter, err := n.filter()
	if err != nil || len(candidates) == 0 {
		return err
	}
	var texts []string
	for i := range candidates {
		texts = append(texts, indexer.Leaf(candidates[i].URN), candidates[i].Name)
	}
	var same, keys indexer.Or
	fields := n.comparedFields()
	for _, field := range fields {
		same = append(same, indexer.Match{Field: field, Kind: indexer.Same, Texts: texts})
	}
	for _, text := range texts {
		keys = append(keys, indexer.In{Field: indexer.FieldURN, Values: n.urnsWith(text)})
	}
	result, err := s.searchExisting(ctx, &indexer.Query{Filter: indexer.And{filter, append(same, keys...)}, Size: maxSharing})
	if err != nil {
		return err
	}
	sharing := s.namedHits(result.Hits, fields)
	for i := range candidates {
		c := &candidates[i]
		c.Handle = handleOf(c, c.URN.String())
		if result.Total <= maxSharing {
			c.Handle = handleOf(c, handleAmong(c, sharing))
		}
	}
	return nil
}

// handleAmong returns a name that c has and no other entity of the list has, or the URN of c.
func handleAmong(c *Named, all []Named) string {
	names := []string{indexer.Leaf(c.URN), c.Name}
	kind := c.URN.EntityType()
	for _, q := range []struct{ kind, platform string }{{}, {platform: c.Platform}, {kind: kind}, {kind, c.Platform}} {
		before := ""
		for _, part := range []string{q.kind, q.platform} {
			if part != "" {
				before += part + ":"
			}
		}
		rivals := slices.DeleteFunc(slices.Clone(all), func(o Named) bool {
			return q.kind != "" && o.URN.EntityType() != q.kind || q.platform != "" && !strings.EqualFold(o.Platform, q.platform)
		})
		for _, name := range names {
			if isAlone(c, rivals, name) {
				return before + name
			}
		}
	}
	return c.URN.String()
}

// isAlone reports whether c is the only entity of the list that has a name.
func isAlone(c *Named, all []Named, name string) bool {
	itself := false
	for i := range all {
		has := slices.ContainsFunc(all[i].names, func(other string) bool { return strings.EqualFold(other, name) })
		if has && all[i].URN != c.URN {
			return false
		}
		itself = itself || has
	}
	return itself
}

// handleOf returns the handle of a candidate, given the handle of its entity.
func handleOf(c *Named, entity string) string {
	if c.Column == "" {
		return entity
	}
	return entity + "." + model.PlainPath(c.Column)
}

func listed(named []Named) string {
	texts := make([]string, len(named))
	for i := range named {
		subject, err := named[i].Subject()
		if texts[i] = subject.String(); err != nil {
			texts[i] = named[i].URN.String()
		}
	}
	return strings.Join(texts, ", ")
}
