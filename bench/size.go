package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/headwater-io/headwater/indexer/embedded"
)

// schemaColumns is the number of columns of each dataset in measurements of sizes.
const schemaColumns = 20

// patience is how long a batch may take. It is long, because only sizes are measured.
const patience = "15m"

// onSize measures the size of a catalog: of each part on the disk, and in memory. The
// figures are for 10,000 datasets. The sizes on the disk are also printed as ratios to the
// JSON of the aspects.
func (b *bench) onSize(ctx context.Context) error {
	w := workload{datasets: b.embeddedSize}
	data := filepath.Join(b.dir, "size")
	s, err := startServer(ctx, b.binary, "--data", data, "--request-timeout", patience)
	if err != nil {
		return err
	}
	sent, err := loadForSize(ctx, s, w)
	if err != nil {
		return errors.Join(err, s.stop())
	}
	loaded, peak, err := s.resident()
	if err := errors.Join(err, s.stop()); err != nil {
		return err
	}
	if s, err = startServer(ctx, b.binary, "--data", data); err != nil {
		return err
	}
	restarted, _, err := s.resident()
	if err := errors.Join(err, s.stop()); err != nil {
		return err
	}
	info, err := os.Stat(filepath.Join(data, "headwater.db"))
	if err != nil {
		return err
	}
	index, err := embedded.SizeIn(data)
	if err != nil {
		return err
	}
	per := 10_000 / float64(w.datasets) / (1 << 20)
	fmt.Printf("for 10,000 datasets of 4 aspects, 2 KB of properties and %d columns: %.0f MiB of JSON\n", schemaColumns, float64(sent)*per)
	fmt.Printf("embedded: store %.0f MiB (%.2f of the JSON), index %.0f MiB (%.2f); in all resident %.0f MiB after loading, %.0f at most, %.0f after a restart\n",
		float64(info.Size())*per, float64(info.Size())/float64(sent), float64(index)*per, float64(index)/float64(sent), loaded, peak, restarted)
	if b.neo4j == "" {
		fmt.Println("no Neo4j: its size is left out")
		return nil
	}
	return b.fillNeo4j(ctx, workload{datasets: b.neo4jSize})
}

// fillNeo4j loads a Neo4j for bench/size.sh, which measures the files after Neo4j has
// ended. While Neo4j runs, much of the data is only in its memory.
func (b *bench) fillNeo4j(ctx context.Context, w workload) error {
	raw, err := b.emptyNeo4j(ctx)
	if err != nil {
		return err
	}
	if err := raw.driver.Close(ctx); err != nil {
		return err
	}
	s, err := startServer(ctx, b.binary, append(b.onNeo4jFlags(), "--request-timeout", patience)...)
	if err != nil {
		return err
	}
	sent, err := loadForSize(ctx, s, w)
	loaded, _, errResident := s.resident()
	if err := errors.Join(err, errResident, s.stop()); err != nil {
		return err
	}
	fmt.Printf("neo4j: %d datasets loaded, %.1f MiB of JSON; the server resident %.0f MiB\n", w.datasets, float64(sent)/(1<<20), loaded)
	return nil
}

// loadForSize loads the workload with schemas, waits for the index, and returns the total
// size of the sent values in bytes.
func loadForSize(ctx context.Context, s *server, w workload) (sent int64, err error) {
	if _, err := load(ctx, s, w); err != nil {
		return 0, err
	}
	for start := 0; start < w.datasets; start += batchDatasets {
		var items []proposal
		for i := start; i < min(start+batchDatasets, w.datasets); i++ {
			schema := w.schema(i)
			items = append(items, schema)
			for _, p := range []proposal{w.properties(i, 0), w.ownership(i), w.lineage(i), schema} {
				sent += int64(len(p.Aspect.Value))
			}
		}
		body, err := json.Marshal(map[string]any{"proposals": items})
		if err != nil {
			return 0, err
		}
		if _, err := s.post(ctx, "/aspects?action=ingestProposalBatch", body); err != nil {
			return 0, err
		}
	}
	return sent, s.settle(ctx)
}

func (w workload) schema(i int) proposal {
	columns := make([]any, schemaColumns)
	for n := range columns {
		columns[n] = map[string]any{
			"fieldPath": fmt.Sprintf("column_%02d", n), "nativeDataType": "VARCHAR(255)", "description": "What the column means, in a few words.",
			"type": map[string]any{"type": map[string]any{"com.linkedin.schema.StringType": map[string]any{}}},
		}
	}
	return newProposal(w.urn(i), "schemaMetadata", map[string]any{
		"schemaName": fmt.Sprintf("table_%06d", i), "platform": "urn:li:dataPlatform:snowflake", "version": 0, "hash": "",
		"platformSchema": map[string]any{"com.linkedin.schema.OtherSchema": map[string]any{"rawSchema": ""}}, "fields": columns,
	})
}
