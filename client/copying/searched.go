package copying

import (
	"context"
	"fmt"
	"hash/maphash"
	"slices"
)

// The source lists only entities with a stored key aspect. The reference also has entities
// without one, from early releases and from writes of its web application. Only its search
// finds them.

// scrollPage is a page of search results.
type scrollPage struct {
	Entities []struct {
		URN string `json:"entity"`
	} `json:"entities"`
	Total    int    `json:"numEntities"`
	ScrollID string `json:"scrollId"`
}

// scroll returns a page of the entities of a type that the search finds, including
// soft-deleted ones.
func (p peer) scroll(ctx context.Context, kind, scrollID string) (*scrollPage, error) {
	type object = map[string]any
	// A search hides soft-deleted entities unless its filter names the field removed, so the
	// filter accepts both values of the field.
	removed := object{"field": "removed", "value": "true", "values": []string{"true"}, "condition": "EQUAL"}
	shown := object{"field": "removed", "value": "true", "values": []string{"true"}, "condition": "EQUAL", "negated": true}
	request := object{
		"input": "*", "entities": []string{kind}, "count": pageURNs, "keepAlive": "5m",
		"filter": object{"or": []object{{"and": []object{removed}}, {"and": []object{shown}}}},
	}
	if scrollID != "" {
		request["scrollId"] = scrollID
	}
	page := &scrollPage{}
	return page, p.action(ctx, "/entities?action=scrollAcrossEntities", request, page)
}

// copySearched copies the entities of a type that the source's search finds but its list
// lacks.
func (c *copier) copySearched(ctx context.Context, k *kind) error {
	known, err := c.listedSet(ctx, k)
	if err != nil {
		return err
	}
	visited, scrollID := 0, ""
	for {
		page, err := c.source.scroll(ctx, k.name, scrollID)
		if refusal(err) != nil {
			return nil //nolint:nilerr // without a search, the counts stay different, which is reported
		}
		if err != nil {
			return err
		}
		var urns []string
		for i := range page.Entities {
			if urn := page.Entities[i].URN; known.add(urn) {
				urns = append(urns, urn)
			}
		}
		list := &lister{waiting: urns, ended: true}
		for len(list.waiting) > 0 {
			part, err := list.next(ctx)
			if err != nil {
				return err
			}
			if err := c.copyHits(ctx, k, part); err != nil {
				return err
			}
		}
		visited += len(page.Entities)
		if len(page.Entities) == 0 || page.ScrollID == "" {
			return nil
		}
		if visited > 2*page.Total+pageURNs {
			return fmt.Errorf("%w: its search goes on after all entities", errOdd)
		}
		scrollID = page.ScrollID
	}
}

// copyHits copies entities that a search found. An entity with only a computed key aspect
// was deleted, and is left out.
func (c *copier) copyHits(ctx context.Context, k *kind, urns []string) error {
	found, err := c.readSource(ctx, k, urns)
	if err != nil {
		return err
	}
	urns = slices.DeleteFunc(slices.Clone(urns), func(urn string) bool {
		aspects := found[normal(urn)].aspects
		_, key := aspects[k.key]
		return key && len(aspects) == 1
	})
	c.report.note(k.name, func(t *TypeReport) { t.searched += len(urns) })
	if c.Follow != nil {
		c.following.see(k.name, urns)
	}
	return c.copyFound(ctx, k, urns, found)
}

// urnSet is a set of URNs: a sorted list of hashes, and the hashes that were added later.
type urnSet struct {
	seed   maphash.Seed
	hashes []uint64
	added  map[uint64]bool
}

// add adds a URN, and reports whether the set did not have it.
func (s *urnSet) add(urn string) bool {
	hash := maphash.String(s.seed, urn)
	if _, known := slices.BinarySearch(s.hashes, hash); known || s.added[hash] {
		return false
	}
	s.added[hash] = true
	return true
}

// listedSet lists the entities of a type once more and returns their URNs.
func (c *copier) listedSet(ctx context.Context, k *kind) (*urnSet, error) {
	set := &urnSet{seed: maphash.MakeSeed(), added: map[uint64]bool{}}
	list := &lister{source: c.source, kind: k}
	for !list.ended {
		if err := list.page(ctx); err != nil {
			return nil, err
		}
		for _, urn := range list.waiting {
			set.hashes = append(set.hashes, maphash.String(set.seed, urn))
		}
		list.waiting = nil
	}
	slices.Sort(set.hashes)
	return set, nil
}
