package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/url"

	"github.com/headwater-io/headwater/catalog/lineage"
	"github.com/headwater-io/headwater/catalog/services"
	"github.com/headwater-io/headwater/rest"
)

// wantedBytes is the largest acceptable size of an entity with a path in a compact answer,
// in bytes.
const wantedBytes = 600

// forms prints the size of an entity in the two forms of an answer with a path to each
// entity.
func (s *lineageSides) forms(ctx context.Context, name string, starts []string, direction string, count int) error {
	entities, whole, compact := 0, 0, 0
	for _, start := range starts {
		page, err := answer(ctx, s.embedded, start, direction, count, 1)
		if err != nil {
			return err
		}
		short, err := page.Compact()
		if err != nil {
			return err
		}
		for of, size := range map[any]*int{page: &whole, short: &compact} {
			text, err := json.Marshal(of)
			if err != nil {
				return err
			}
			*size += len(text)
		}
		entities += len(page.Entities)
	}
	fmt.Printf("%s: an entity takes %d bytes in the compact form (wanted: at most %d), %d in the whole form\n", name, compact/entities, wantedBytes, whole/entities)
	return nil
}

// fromEach returns a side of a comparison that calls do once for each start.
func fromEach(starts []string) func(do func(ctx context.Context, start string) error) func(int) (figure, error) {
	return func(do func(ctx context.Context, start string) error) func(int) (figure, error) {
		return func(int) (figure, error) {
			return measure(context.Background(), 1, len(starts), func(ctx context.Context, i int) error { return do(ctx, starts[i]) })
		}
	}
}

// impact reads a page of the entities that depend on a column; count 0 reads all of them.
func impact(ctx context.Context, c *services.Services, urn string, count int) error {
	u, _, err := c.ParseURN(urn)
	if err != nil {
		return err
	}
	found, err := c.Lineage.Impact(ctx, lineage.ImpactRequest{Walk: lineage.WalkQuery{URN: u}, Count: count})
	if err == nil && found.Total == 0 {
		err = fmt.Errorf("nothing depends on %s", urn)
	}
	return err
}

// impacts compares the impact of the columns with the most dependents with the walk between
// columns, which is a part of it, and with that walk in the best Cypher.
func (b *bench) impacts(ctx context.Context, s *lineageSides) error {
	starts, err := s.widest(ctx, lineage.Downstream, true, 5)
	if err != nil {
		return err
	}
	each := fromEach(starts)
	sides := map[string]*services.Services{"embedded": s.embedded}
	if s.neo4j != nil {
		sides["neo4j"] = s.neo4j
	}
	for where, c := range sides {
		walks := each(func(ctx context.Context, start string) error {
			_, err := walk(ctx, c, start, lineage.Downstream, 0)
			return err
		})
		for page, count := range map[string]int{"first page": 10, "all": 0} {
			of := each(func(ctx context.Context, start string) error { return impact(ctx, c, start, count) })
			name := fmt.Sprintf("impact of a column, %s, %d datasets: %s", page, s.graph.datasets, where)
			if err := b.add(name+" / its walk", 0, of, walks); err != nil {
				return err
			}
			if s.raw == nil {
				continue
			}
			bare := each(func(ctx context.Context, start string) error {
				_, err := s.raw.bareWalk(ctx, start, lineage.Downstream, 0, true)
				return err
			})
			if err := b.add(name+" / bare Cypher of its walk", 0, of, bare); err != nil {
				return err
			}
		}
	}
	return nil
}

// overHTTP compares a page of ten entities with paths over HTTP with the same page in the
// process, and with the walk in the best Cypher on the bare driver.
func (b *bench) overHTTP(ctx context.Context, s *lineageSides) error {
	starts, err := s.widest(ctx, lineage.Upstream, false, 20)
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	server := &http.Server{Handler: rest.New(rest.Options{Catalog: s.embedded})}
	defer server.Close()
	go server.Serve(listener) //nolint:errcheck // it ends with Close
	get := func(ctx context.Context, start string) error {
		address := fmt.Sprintf("http://%s/lineage/%s?direction=UPSTREAM&count=10&paths=1&form=compact", listener.Addr(), url.QueryEscape(start))
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
		if err != nil {
			return err
		}
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			return err
		}
		defer response.Body.Close()
		var found lineage.CompactResult
		if err := json.NewDecoder(response.Body).Decode(&found); err != nil {
			return fmt.Errorf("%s: %s: %w", address, response.Status, err)
		}
		if len(found.Entities) == 0 {
			return fmt.Errorf("%s: %s without entities", address, response.Status)
		}
		return nil
	}
	each := fromEach(starts)
	name := fmt.Sprintf("10 entities with a path each over HTTP, %d datasets: embedded", s.graph.datasets)
	inside := each(func(ctx context.Context, start string) error {
		_, err := answer(ctx, s.embedded, start, lineage.Upstream, 10, 1)
		return err
	})
	if err := b.add(name+" / in the process", 0, each(get), inside); err != nil || s.raw == nil {
		return err
	}
	return b.add(name+" / bare Cypher of the walk", 1, each(get), each(func(ctx context.Context, start string) error {
		_, err := s.raw.bareWalk(ctx, start, lineage.Upstream, 0, false)
		return err
	}))
}
