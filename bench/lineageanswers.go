package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/headwater-io/headwater/catalog/lineage"
	"github.com/headwater-io/headwater/catalog/services"
)

// answerPages are the page sizes of whole answers. Each has the lowest acceptable ratio of
// the rate with a path to each entity to the rate without paths.
var answerPages = []struct {
	count  int
	target float64
}{{10, 0.5}, {2000, 0.33}}

// answer reads a page of a walk with names and, if paths is positive, with paths to each
// entity.
func answer(ctx context.Context, c *services.Services, urn, direction string, count, paths int) (*lineage.Result, error) {
	u, _, err := c.ParseURN(urn)
	if err != nil {
		return nil, err
	}
	page, err := c.Lineage.Of(ctx, lineage.Request{
		Walk: lineage.WalkQuery{URN: u, Direction: direction, Reach: lineage.MaxReach}, Count: count, Paths: paths,
	})
	if err != nil {
		return nil, err
	}
	for i := range page.Entities {
		if e := &page.Entities[i]; paths > 0 && (len(e.Paths) == 0 || len(e.Paths[0]) != e.Degree+1) {
			return nil, fmt.Errorf("%s at %d hops has no path of that length", e.URN, e.Degree)
		}
	}
	return page, nil
}

// widest returns the starts of the walks that reach most entities in one direction, among
// many tried.
func (s *lineageSides) widest(ctx context.Context, direction string, columns bool, most int) ([]string, error) {
	reached := map[string]int{}
	var starts []string
	for i := range 200 {
		urn := s.graph.start(2*i, direction, columns)
		if _, known := reached[urn]; known {
			continue
		}
		n, err := walk(ctx, s.embedded, urn, direction, 0)
		if err != nil {
			return nil, err
		}
		at := 0
		for at < len(starts) && reached[starts[at]] >= n {
			at++
		}
		reached[urn] = n
		starts = append(starts[:at], append([]string{urn}, starts[at:]...)...)
	}
	return starts[:min(most, len(starts))], nil
}

// answers compares whole answers with a path to each entity, over all hops, with the same
// answers without paths, and with the walk alone in the best Cypher on the bare driver.
func (b *bench) answers(ctx context.Context, s *lineageSides) error {
	for _, c := range []struct {
		direction string
		columns   bool
	}{{lineage.Upstream, false}, {lineage.Downstream, false}, {lineage.Upstream, true}, {lineage.Downstream, true}} {
		starts, err := s.widest(ctx, c.direction, c.columns, 20)
		if err != nil {
			return err
		}
		for _, page := range answerPages {
			kind := "entities"
			if c.columns {
				kind = "columns"
			}
			name := fmt.Sprintf("answer of %d %s %s, %d datasets", page.count, kind, strings.ToLower(c.direction), s.graph.datasets)
			if err := s.forms(ctx, name, starts, c.direction, page.count); err != nil {
				return err
			}
			if err := b.answersOf(s, name, starts, c.direction, c.columns, page.count, page.target); err != nil {
				return err
			}
		}
	}
	return nil
}

func (b *bench) answersOf(s *lineageSides, name string, starts []string, direction string, columns bool, count int, target float64) error {
	each := fromEach(starts)
	side := func(c *services.Services, paths int) func(int) (figure, error) {
		return each(func(ctx context.Context, start string) error {
			_, err := answer(ctx, c, start, direction, count, paths)
			return err
		})
	}
	if err := b.add(name+": embedded, with paths / without", target, side(s.embedded, 1), side(s.embedded, 0)); err != nil || s.neo4j == nil {
		return err
	}
	if err := b.add(name+": neo4j, with paths / without", target, side(s.neo4j, 1), side(s.neo4j, 0)); err != nil {
		return err
	}
	paths := each(func(ctx context.Context, start string) error {
		_, err := s.raw.barePaths(ctx, start, direction, count, columns)
		return err
	})
	for where, c := range map[string]*services.Services{"embedded": s.embedded, "neo4j": s.neo4j} {
		if err := b.add(fmt.Sprintf("%s: %s with paths / bare Cypher with paths", name, where), 1, side(c, 1), paths); err != nil {
			return err
		}
	}
	return b.add(name+": embedded with paths / bare Cypher without", 0, side(s.embedded, 1), each(func(ctx context.Context, start string) error {
		_, err := s.raw.bareWalk(ctx, start, direction, 0, columns)
		return err
	}))
}
