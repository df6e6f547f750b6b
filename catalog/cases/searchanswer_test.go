package cases

import (
	"fmt"
	"slices"
	"strings"
)

// found is a page of the results of a search.
type found struct {
	hits   []hit
	total  int
	scroll string
	facets map[string]map[string]int
	// titles are the names of facets for people.
	titles map[string]string
	// partial is set by searches among lineage.
	partial *bool
}

type hit struct {
	urn, name string
	matched   map[string]string
	degree    int
	paths     [][]string
}

// pages asks for a page, or for all of them when a question scrolls.
func pages(q *searchQuestion, ask func(scroll string) (*found, error)) (answer, error) {
	a, hits, sizes := answer{}, []hit{}, []int{}
	for scroll := q.ScrollID; ; {
		f, err := ask(scroll)
		if err != nil {
			return nil, err
		}
		hits, sizes = append(hits, f.hits...), append(sizes, len(f.hits))
		if len(sizes) == 1 {
			a["total"], a["facets"], a["facetTitles"] = f.total, f.facets, f.titles
			if f.partial != nil {
				a["partial"] = *f.partial
			}
		}
		if scroll = f.scroll; !q.Scroll || scroll == "" || len(sizes) > 100 {
			break
		}
	}
	if q.Scroll {
		a["pages"] = sizes
	}
	list, matched, paths, known := []string{}, map[string]map[string]string{}, map[string][]string{}, map[string]string{}
	for _, h := range hits {
		text := h.urn
		if q.Among != nil {
			text = degree(h.degree, h.urn)
		}
		list = append(list, text)
		matched[h.urn] = h.matched
		if h.name != "" {
			known[h.urn] = h.name
		}
		for _, path := range h.paths {
			paths[h.urn] = append(paths[h.urn], strings.Join(path, " > "))
		}
		slices.Sort(paths[h.urn])
	}
	a["matched"], a["paths"] = matched, paths
	if len(known) > 0 {
		a["names"] = known
	}
	a.list(list)
	return a, nil
}

// place is the content of a browse path.
type place struct {
	steps []browseGroup
	hits  []string
	// groups, entities and below are the totals. A door may not tell the first.
	groups          *int
	entities, below int
}

type browseGroup struct {
	name  string
	count int
	urn   string
	// more: there are groups below.
	more bool
}

func (p place) answer() answer {
	steps := []string{}
	for _, g := range p.steps {
		text := fmt.Sprintf("%s %d", g.name, g.count)
		if g.urn != "" {
			text += " " + g.urn
		}
		if g.more {
			text += " and groups below"
		}
		steps = append(steps, text)
	}
	a := answer{"groups": steps, "below": p.below, "entities": p.entities}
	if p.groups != nil {
		a["allGroups"] = *p.groups
	}
	a.list(p.hits)
	return a
}

// size is the size of a page, limit the number of suggestions or groups.
func size(count int) int {
	if count == 0 {
		return page
	}
	return count
}

func limit(count int) int {
	if count == 0 {
		return 10
	}
	return count
}
