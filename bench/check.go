package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// onCheck measures the gate on generated dbt projects, in which some models lose a column: the first run, when the parser is
// compiled and nothing else is kept, and the next one on the same project. Decoding both manifests with the bare library is
// the measure of both.
func (b *bench) onCheck(ctx context.Context) error {
	for _, models := range []int{1000, 10_000} {
		dir := filepath.Join(b.dir, fmt.Sprintf("check%d", models))
		base, head := filepath.Join(dir, "base"), filepath.Join(dir, "head")
		for _, one := range []string{base, head} {
			if err := os.MkdirAll(one, 0o700); err != nil {
				return err
			}
			if err := writeManifest(filepath.Join(one, "manifest.json"), models, one == head); err != nil {
				return err
			}
		}
		cache := filepath.Join(b.dir, "checkcache")
		began := time.Now()
		for _, one := range []string{base, head} {
			text, err := os.ReadFile(filepath.Join(one, "manifest.json"))
			if err != nil {
				return err
			}
			var tree any
			if err := json.Unmarshal(text, &tree); err != nil {
				return err
			}
		}
		bare := time.Since(began)
		if models == 1000 { // the parser is compiled by a run on another project
			if _, err := b.checked(ctx, base, base, cache); err != nil {
				return err
			}
		}
		for _, name := range []string{"first run", "next run"} {
			run, err := b.checked(ctx, base, head, cache)
			if err != nil {
				return err
			}
			fmt.Printf("check %d models: %s: %.1f s, of the processors %.1f s (%.1f × decoding both manifests, %.2f s), memory %d MB\n",
				models, name, run.wall.Seconds(), run.processor.Seconds(), run.processor.Seconds()/bare.Seconds(), bare.Seconds(), run.memory>>20)
		}
	}
	return nil
}

// checkRun is the cost of a run of the gate.
type checkRun struct {
	wall, processor time.Duration
	memory          int64
}

// refusedCode is the exit code of a refused change.
const refusedCode = 6

func (b *bench) checked(ctx context.Context, base, head, cache string) (checkRun, error) {
	command := exec.CommandContext(ctx, b.binary, "check", "--base", base, "--head", head, "--cache-dir", cache, "-o", "json")
	began := time.Now()
	text, err := command.Output()
	wall := time.Since(began)
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() == refusedCode {
		err = nil
	}
	if err != nil {
		if exit != nil {
			err = fmt.Errorf("%w: %s", err, exit.Stderr)
		}
		return checkRun{}, fmt.Errorf("headwater check: %w", err)
	}
	if !strings.Contains(string(text), `"changes"`) {
		return checkRun{}, errors.New("headwater check has answered nothing")
	}
	state := command.ProcessState
	usage, _ := state.SysUsage().(*syscall.Rusage)
	return checkRun{wall, state.UserTime() + state.SystemTime(), usage.Maxrss << 10}, nil
}

// writeManifest writes a project: a fifth of its models read sources, the others join two models before them. In the
// head, every fiftieth model that reads a source loses a column.
func writeManifest(path string, models int, head bool) error {
	r := rand.New(rand.NewPCG(uint64(models), 5))
	type object = map[string]any
	nodes, sources := object{}, object{}
	for i := range max(10, models/20) {
		id := fmt.Sprintf("source.shop.raw.t%d", i)
		columns := object{}
		for _, c := range strings.Fields("id customer_id amount state created_at region kind note") {
			columns[c] = object{"name": c, "data_type": "integer"}
		}
		sources[id] = object{"name": fmt.Sprintf("t%d", i), "identifier": fmt.Sprintf("t%d", i), "resource_type": "source", "unique_id": id, "database": "shop", "schema": "raw", "source_name": "raw", "package_name": "shop", "original_file_path": "models/s.yml", "columns": columns}
	}
	for i := range models {
		var upstreams []string
		var code string
		if i < models/5 {
			source := r.IntN(len(sources))
			note := ", note"
			if head && i%50 == 0 {
				note = ""
			}
			upstreams = []string{fmt.Sprintf("source.shop.raw.t%d", source)}
			code = fmt.Sprintf("select\n  id,\n  customer_id,\n  amount * 1.19 as amount,\n  upper(state) as state,\n  cast(created_at as date) as created_at,\n  region,\n  kind%s\nfrom \"shop\".\"raw\".\"t%d\"\nwhere id is not null\n", note, source)
		} else {
			first, second := i-1-r.IntN(models/5), i-1-r.IntN(models/5)
			upstreams = []string{fmt.Sprintf("model.shop.m%d", first), fmt.Sprintf("model.shop.m%d", second)}
			code = fmt.Sprintf(`with a as (
  select * from "shop"."main"."m%d"
), b as (
  select id, customer_id, amount, state, kind, note, row_number() over (partition by customer_id order by created_at desc) as nth
  from "shop"."main"."m%d"
  where state <> 'X'
)
select
  a.id,
  a.customer_id,
  sum(a.amount + coalesce(b.amount, 0)) as amount,
  max(case when a.state = 'OPEN' then b.state else a.state end) as state,
  min(a.created_at) as created_at,
  max(a.region) as region,
  b.kind as kind,
  concat(a.note, b.note) as note
from a
left join b on a.customer_id = b.customer_id and b.nth = 1
group by a.id, a.customer_id, b.kind, concat(a.note, b.note)
-- model %d
`, first, second, i)
		}
		id := fmt.Sprintf("model.shop.m%d", i)
		nodes[id] = object{
			"name": fmt.Sprintf("m%d", i), "alias": fmt.Sprintf("m%d", i), "resource_type": "model", "unique_id": id, "database": "shop", "schema": "main", "package_name": "shop",
			"original_file_path": fmt.Sprintf("models/m%d.sql", i), "compiled_code": code, "raw_code": code, "language": "sql", "depends_on": object{"nodes": upstreams}, "config": object{"materialized": "table"}, "columns": object{},
		}
	}
	manifest := struct { // dbt writes metadata first
		Metadata  object `json:"metadata"`
		Nodes     object `json:"nodes"`
		Sources   object `json:"sources"`
		Exposures object `json:"exposures"`
	}{
		object{"dbt_schema_version": "https://schemas.getdbt.com/dbt/manifest/v12.json", "dbt_version": "1.9.0", "adapter_type": "duckdb", "generated_at": "2026-01-01T00:00:00Z", "project_name": "shop"},
		nodes, sources,
		object{},
	}
	text, err := json.Marshal(manifest)
	if err != nil {
		return err
	}
	return os.WriteFile(path, text, 0o600)
}
