package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"time"
)

// onRuns compares undoing and moving with writing: a rollback of a run that changed three
// aspects of every dataset, an export, and an import into a new store.
func (b *bench) onRuns(ctx context.Context) error {
	if err := b.runsOn(ctx, "embedded", nil); err != nil {
		return err
	}
	if b.neo4j == "" {
		fmt.Println("no Neo4j: its comparisons are left out")
		return nil
	}
	raw, err := b.emptyNeo4j(ctx)
	if err != nil {
		return err
	}
	defer raw.driver.Close(ctx)
	return b.runsOn(ctx, "neo4j", []string{"--graph", b.neo4j})
}

func (b *bench) runsOn(ctx context.Context, where string, graph []string) error {
	flags := func(name string) []string {
		return append([]string{"--data", filepath.Join(b.dir, where+name), "--request-timeout", "5s", "--log-level", "error"}, graph...)
	}
	s, err := startServer(ctx, b.binary, flags("runs")...)
	if err != nil {
		return err
	}
	w := workload{datasets: b.runsSize}
	if _, err := b.writeRun(ctx, s, w, "first", 1); err != nil {
		return err
	}
	written, err := b.writeRun(ctx, s, w, "second", 2)
	if err != nil {
		return err
	}
	before, _, err := s.resident()
	if err != nil {
		return err
	}
	exported, size, err := b.export(ctx, s)
	if err != nil {
		return err
	}
	took, reverted, err := rollBack(ctx, s, "second")
	if err != nil {
		return err
	}
	after, peak, err := s.resident()
	if err != nil {
		return err
	}
	fmt.Printf("%s: %d aspects written by a run in %.1f s, taken back in %.1f s (%.2f of the time); resident %.0f MiB before, %.0f after, at most %.0f\n",
		where, reverted, written.Seconds(), took.Seconds(), took.Seconds()/written.Seconds(), before, after, peak)
	if err := s.stop(); err != nil {
		return err
	}
	target := []string{"--data", filepath.Join(b.dir, where+"moved")}
	moved, err := startServer(ctx, b.binary, target...)
	if err != nil {
		return err
	}
	imported, err := b.importInto(ctx, moved)
	if err != nil {
		return err
	}
	fmt.Printf("%s: exported %.0f MiB in %.1f s; imported into an embedded store in %.1f s (%.2f of the writing of its %d versions)\n",
		where, float64(size)/(1<<20), exported.Seconds(), imported.Seconds(), imported.Seconds()/(2*written.Seconds()), 10*w.datasets)
	return moved.stop()
}

// writeRun writes three aspects of every dataset in a run.
func (b *bench) writeRun(ctx context.Context, s *server, w workload, run string, revision int) (time.Duration, error) {
	began := time.Now()
	for start := 0; start < w.datasets; start += batchDatasets {
		var proposals []proposal
		for i := start; i < min(start+batchDatasets, w.datasets); i++ {
			other := (i + revision) % w.datasets
			for _, p := range []proposal{w.properties(i, revision), w.ownership(other), w.lineage(other)} {
				p.EntityURN = w.urn(i)
				p.System = map[string]any{"runId": run}
				proposals = append(proposals, p)
			}
		}
		body, err := json.Marshal(map[string]any{"proposals": proposals})
		if err != nil {
			return 0, err
		}
		if _, err := s.post(ctx, "/aspects?action=ingestProposalBatch&partial=true", body); err != nil {
			return 0, err
		}
	}
	return time.Since(began), nil
}

// rollBack rolls a run back in one request, without the usual time limit of requests.
func rollBack(ctx context.Context, s *server, run string) (time.Duration, int64, error) {
	began := time.Now()
	answer, err := s.post(ctx, "/runs?action=rollback", []byte(`{"runId":"`+run+`","dryRun":false,"safe":true}`))
	if err != nil {
		return 0, 0, err
	}
	var result struct {
		Value struct {
			AspectsReverted int64 `json:"aspectsReverted"`
		} `json:"value"`
	}
	err = json.Unmarshal(answer, &result)
	return time.Since(began), result.Value.AspectsReverted, err
}

func (b *bench) exportFile() string { return filepath.Join(b.dir, "export.jsonl") }

func (b *bench) export(ctx context.Context, s *server) (time.Duration, int64, error) {
	began := time.Now()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.base+"/export", nil)
	if err != nil {
		return 0, 0, err
	}
	resp, err := s.http.Do(req)
	if err != nil {
		return 0, 0, err
	}
	defer resp.Body.Close()
	f, err := os.Create(b.exportFile())
	if err != nil {
		return 0, 0, err
	}
	defer f.Close()
	size, err := io.Copy(f, resp.Body)
	return time.Since(began), size, err
}

func (b *bench) importInto(ctx context.Context, s *server) (time.Duration, error) {
	f, err := os.Open(b.exportFile())
	if err != nil {
		return 0, err
	}
	defer f.Close()
	began := time.Now()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.base+"/import", f)
	if err != nil {
		return 0, err
	}
	resp, err := s.http.Do(req)
	if err != nil {
		return 0, err
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	if err == nil && resp.StatusCode != http.StatusOK {
		err = fmt.Errorf("import: %s: %.300s", resp.Status, answer)
	}
	return time.Since(began), err
}
