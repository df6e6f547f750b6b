package main

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// browse is the question about one path.
type browse struct {
	kind, path string
	v2         bool
}

// browsing asks about every browse path and all paths above it.
func (r *checker) browsing(ctx context.Context) (tally, error) {
	asked := map[browse]bool{}
	for kind, documents := range r.index.byType {
		has := func(aspect string) bool { return r.facts.entities[kind] != nil && r.facts.entities[kind].has(aspect) }
		if has("browsePaths") {
			asked[browse{kind, "", false}] = true
		}
		if has("browsePathsV2") {
			asked[browse{kind, "", true}] = true
		}
		for _, d := range documents {
			for path := range d.paths {
				for ; path != ""; path = path[:strings.LastIndex(path, "/")] {
					asked[browse{kind, path, false}] = true
				}
			}
			for path := d.pathV2; path != ""; path = path[:strings.LastIndex(path, stepMark)] {
				asked[browse{kind, path, true}] = true
			}
		}
	}
	questions := slices.Collect(maps.Keys(asked))
	slices.SortFunc(questions, func(a, b browse) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
	return over(ctx, "browse paths and groups", sampled(r, questions, 5*r.sample), r.askBrowse)
}

// atPath is the expected answer about a path: its groups with the numbers of entities at or
// below them, the entities at the path, and the number strictly below it.
type atPath struct {
	groups   map[string]int
	entities map[string]bool
	below    int
}

func (x *index) at(q browse) atPath {
	found := atPath{map[string]int{}, map[string]bool{}, 0}
	mark := "/"
	if q.v2 {
		mark = stepMark
	}
	for _, d := range x.seen([]string{q.kind}) {
		paths := d.paths
		if q.v2 {
			paths = map[string]bool{d.pathV2: true}
		}
		groups := map[string]bool{}
		for path := range paths {
			if rest, under := strings.CutPrefix(path, q.path+mark); under {
				step, _, _ := strings.Cut(rest, mark)
				groups[step] = true
			} else if path == q.path {
				found.entities[d.urn] = true
			}
		}
		for step := range groups {
			found.groups[step]++
		}
		if len(groups) > 0 {
			found.below++
		}
	}
	return found
}

func (r *checker) askBrowse(ctx context.Context, q browse) (string, error) {
	action := "browse"
	if q.v2 {
		action = "browseV2"
	}
	expected := r.index.at(q)
	found := atPath{map[string]int{}, map[string]bool{}, 0}
	for start := 0; ; start += biggestPage {
		var answer struct {
			Value struct {
				NumElements, NumGroups, NumEntities int
				Groups                              []struct {
					Name  string
					Count int
				}
				Entities []struct{ URN string }
				Metadata struct{ TotalNumEntities int }
			}
		}
		body := object{"path": q.path, "entity": q.kind, "start": start, "limit": biggestPage, "count": biggestPage}
		if err := r.client.action(ctx, "/entities?action="+action, body, &answer); err != nil {
			return "", err
		}
		value := &answer.Value
		for _, group := range value.Groups {
			found.groups[group.Name] = group.Count
		}
		for _, entity := range value.Entities {
			found.entities[entity.URN] = true
		}
		found.below = value.Metadata.TotalNumEntities
		if q.v2 {
			break
		}
		if value.NumGroups != len(expected.groups) || value.NumElements != len(expected.groups)+len(expected.entities) {
			return fmt.Sprintf("%+v: %d groups, %d elements; expected %d and %d", q, value.NumGroups, value.NumElements, len(expected.groups), len(expected.groups)+len(expected.entities)), nil
		}
		if start+biggestPage >= value.NumElements {
			break
		}
	}
	if wrong := differ(fmt.Sprintf("groups at %+v", q), expected.groups, found.groups); wrong != "" {
		return wrong, nil
	}
	if q.v2 {
		return "", nil
	}
	if found.below != expected.below {
		return fmt.Sprintf("%+v: %d below, expected %d", q, found.below, expected.below), nil
	}
	return differ(fmt.Sprintf("entities at %+v", q), expected.entities, found.entities), nil
}
