package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// searchWait is the default bound on a search's wait for the index, which the servers of
// this comparison have. allowance is how much longer a search may take during a load.
const (
	searchWait = time.Second
	allowance  = 250 * time.Millisecond
)

// onFreshness measures searches during a load at full speed: their times, and whether they
// find the entities written before them.
func (b *bench) onFreshness(ctx context.Context) error {
	dir := filepath.Join(b.dir, "fresh")
	loaded, err := b.searchUnderLoad(ctx, "embedded", "--data", dir)
	if err != nil {
		return err
	}
	if err := b.besideBare(ctx, loaded, dir); err != nil {
		return err
	}
	if b.neo4j == "" || b.typesense == "" {
		fmt.Println("no Neo4j and Typesense: their searches under load are left out")
		return nil
	}
	raw, err := b.emptyNeo4j(ctx)
	if err != nil {
		return err
	}
	if err := raw.driver.Close(ctx); err != nil {
		return err
	}
	_, err = b.searchUnderLoad(ctx, "neo4j and typesense", "--graph", b.neo4j,
		"--search", "typesense://"+typesenseKey+"@"+strings.TrimPrefix(b.typesense, "http://"), "--search-prefix", fmt.Sprintf("fresh%d", time.Now().UnixNano()))
	return err
}

// besideBare compares a load with searches with writing the same rows to bare SQLite.
func (b *bench) besideBare(ctx context.Context, loaded figure, dir string) error {
	img, err := rowsIn(ctx, dir)
	if err != nil {
		return err
	}
	bare, err := bareLoad(ctx, b.embeddedSize, img, dir+"-bare")
	if err != nil {
		return err
	}
	fmt.Printf("embedded: batch load of %d datasets with searches going on, beside bare SQLite: ratio %.2f\n", b.embeddedSize, loaded.rate()/bare.rate())
	return nil
}

func (b *bench) searchUnderLoad(ctx context.Context, name string, flags ...string) (loaded figure, err error) {
	s, err := startServer(ctx, b.binary, append(flags, "--search-wait", searchWait.String())...)
	if err != nil {
		return loaded, err
	}
	defer func() { err = errors.Join(err, s.stop()) }()
	if err := s.settle(ctx); err != nil {
		return loaded, err
	}
	var loading sync.WaitGroup
	var failed error
	done := make(chan struct{})
	loading.Go(func() {
		defer close(done)
		loaded, failed = load(ctx, s, workload{datasets: b.embeddedSize})
	})
	var late, stale atomic.Int64
	var found figure
	for n := 0; ; n++ {
		select {
		case <-done:
		default:
			if err := s.writeTag(ctx, n); err != nil {
				return loaded, err
			}
			one, err := measure(ctx, 1, 1, func(ctx context.Context, _ int) error {
				fresh, behind, err := s.findTag(ctx, n)
				if behind != "" {
					late.Add(1)
				} else if !fresh {
					stale.Add(1)
				}
				return err
			})
			if err != nil {
				return loaded, err
			}
			found.ops++
			found.latencies = append(found.latencies, one.latencies...)
			continue
		}
		break
	}
	loading.Wait()
	if failed != nil {
		return loaded, failed
	}
	began := time.Now()
	if err := s.settle(ctx); err != nil {
		return loaded, err
	}
	slices.Sort(found.latencies)
	verdict := "kept"
	if found.percentile(0.99) > searchWait+allowance {
		verdict = "missed"
	}
	fmt.Printf("%s: %d datasets loaded in %v; the index had them %v later\n", name, b.embeddedSize, loaded.elapsed.Round(10*time.Millisecond), time.Since(began).Round(10*time.Millisecond))
	fmt.Printf("%s: %d writes with a search for each meanwhile: p50 %v, p99 %v (bound %v: %s); %d answers said that the index was behind, %d found nothing without saying so\n",
		name, found.ops, found.percentile(0.5).Round(time.Millisecond), found.percentile(0.99).Round(time.Millisecond), searchWait+allowance, verdict, late.Load(), stale.Load())
	if stale.Load() > 0 {
		return loaded, fmt.Errorf("%s: %d searches did not find what was written before them", name, stale.Load())
	}
	return loaded, nil
}

func tagName(n int) string { return fmt.Sprintf("fresh%06d", n) }

func (s *server) writeTag(ctx context.Context, n int) error {
	p := newProposal("urn:li:tag:"+tagName(n), "tagProperties", map[string]any{"name": tagName(n)})
	p.EntityType = "tag"
	body, err := json.Marshal(map[string]any{"proposal": p})
	if err != nil {
		return err
	}
	_, err = s.post(ctx, "/aspects?action=ingestProposal", body)
	return err
}

// findTag searches for a tag. It reports whether the search found the tag, and the answer's
// header about the lag of the index.
func (s *server) findTag(ctx context.Context, n int) (found bool, behind string, err error) {
	answer, header, err := s.exchange(ctx, http.MethodPost, "/entities?action=search", []byte(`{"input":"`+tagName(n)+`","entity":"tag","start":0,"count":1}`))
	if err != nil {
		return false, "", err
	}
	var page struct {
		Value struct{ NumEntities int } `json:"value"`
	}
	err = json.Unmarshal(answer, &page)
	return page.Value.NumEntities == 1, header.Get("X-Headwater-Index-Behind"), err
}

// settle waits until the index has all changes.
func (s *server) settle(ctx context.Context) error {
	for {
		answer, err := s.get(ctx, "/index")
		if err != nil {
			return err
		}
		var state struct {
			Lag      int64 `json:"lag"`
			Building bool  `json:"building"`
		}
		if err := json.Unmarshal(answer, &state); err != nil || state.Lag == 0 && !state.Building {
			return err
		}
		select {
		case <-time.After(20 * time.Millisecond):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
