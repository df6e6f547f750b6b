package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

func main() {
	b := &bench{}
	flag.StringVar(&b.binary, "binary", "bin/headwater", "the server to measure")
	flag.StringVar(&b.neo4j, "neo4j", os.Getenv("HEADWATER_TEST_NEO4J"), "an empty Neo4j to measure on; it is wiped")
	flag.IntVar(&b.embeddedSize, "embedded-datasets", 10_000, "datasets loaded into the embedded store")
	flag.IntVar(&b.neo4jSize, "neo4j-datasets", 4_000, "datasets loaded into Neo4j")
	flag.IntVar(&b.repetitions, "repetitions", 3, "repetitions of each side; the median ratio counts")
	flag.StringVar(&b.only, "only", "", "store, freshness, search, suggest, graphql, lineage, columns, runs, agents, callers, tokens, visible, replicas, kafka, openlineage, check or size alone")
	flag.StringVar(&b.kafka, "kafka", os.Getenv("HEADWATER_TEST_KAFKA"), "a Kafka to measure on")
	flag.StringVar(&b.marquez, "marquez", "", "the address of a Marquez that takes the events of -only openlineage too")
	flag.StringVar(&b.typesense, "typesense", os.Getenv("HEADWATER_TEST_TYPESENSE"), "a Typesense to measure on")
	flag.IntVar(&b.searchSize, "search-datasets", 100_000, "datasets searched in")
	flag.IntVar(&b.searchQueries, "search-queries", 200, "queries of each kind in one repetition")
	flag.IntVar(&b.lineageWalks, "lineage-walks", 100, "walks of each length in one repetition")
	flag.IntVar(&b.hubReaders, "lineage-hub", 50_000, "columns that read the column of a hub")
	flag.IntVar(&b.runsSize, "runs-datasets", 34_000, "datasets whose three aspects a run changes that is taken back")
	sizes := flag.String("lineage-datasets", "100000", "sizes of the graphs walked, parted by commas")
	columns := flag.String("columns-datasets", "1000,10000", "sizes of the catalogs whose columns are searched for, parted by commas")
	visible := flag.String("visible-datasets", "10000,100000", "sizes of the catalogs of which a part is hidden, parted by commas")
	flag.StringVar(&b.busy, "busy", "", "only be the busy caller of -only callers, with requests of this kind")
	flag.StringVar(&b.busyServer, "busy-server", "", "the server that the busy caller keeps busy")
	flag.Parse()
	b.lineageSizes = sizesIn("-lineage-datasets", *sizes, 10*lineageLayers)
	b.columnsSizes = sizesIn("-columns-datasets", *columns, 10*rareDatasets)
	b.visibleSizes = sizesIn("-visible-datasets", *visible, 2*visibleReach)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := b.run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// sizesIn returns the sizes that a flag lists, and ends the process if an item is no number or too small.
func sizesIn(flag, list string, least int) (sizes []int) {
	for size := range strings.SplitSeq(list, ",") {
		n, err := strconv.Atoi(size)
		if err != nil || n < least {
			fmt.Fprintf(os.Stderr, "bench: %s %q is no size\n", flag, size)
			os.Exit(2)
		}
		sizes = append(sizes, n)
	}
	return sizes
}

// bench is one run of all comparisons.
type bench struct {
	binary, neo4j           string
	embeddedSize, neo4jSize int
	repetitions             int
	only, typesense, kafka  string
	marquez                 string
	searchSize              int
	searchQueries           int
	lineageSizes            []int
	visibleSizes            []int
	columnsSizes            []int
	lineageWalks            int
	hubReaders              int
	runsSize                int
	busy, busyServer        string
	rows                    []row
	dir                     string
	// indexes is the number of index directories used so far by servers on Neo4j.
	indexes int
}

func (b *bench) run(ctx context.Context) (err error) {
	if b.busy != "" {
		return beBusy(ctx, b.busyServer, b.busy)
	}
	if b.dir, err = os.MkdirTemp("", "headwater-bench"); err != nil {
		return err
	}
	defer os.RemoveAll(b.dir)
	for _, part := range []struct {
		name string
		run  func(context.Context) error
	}{{"store", b.onStores}, {"freshness", b.onFreshness}, {"search", b.onSearch}, {"suggest", b.onSuggest}, {"graphql", b.onGraphQL}, {"lineage", b.onLineage}, {"columns", b.onColumns}, {"runs", b.onRuns}, {"agents", b.onAgents}, {"callers", b.onCallers}, {"tokens", b.onTokens}, {"visible", b.onVisible}, {"replicas", b.onReplicas}, {"kafka", b.onKafka}, {"openlineage", b.onOpenLineage}, {"check", b.onCheck}, {"size", b.onSize}} {
		if b.only != "" && b.only != part.name {
			continue
		}
		if err := part.run(ctx); err != nil {
			return fmt.Errorf("%s: %w", part.name, err)
		}
	}
	b.print()
	return nil
}

// onStores compares the graph stores.
func (b *bench) onStores(ctx context.Context) error {
	if err := b.startAndMemory(ctx); err != nil {
		return err
	}
	bare, err := b.embedded(ctx)
	if err != nil {
		return fmt.Errorf("embedded: %w", err)
	}
	defer bare.db.Close()
	if b.neo4j == "" {
		fmt.Println("no Neo4j: its comparisons are left out")
	} else if err := b.onNeo4j(ctx); err != nil {
		return fmt.Errorf("neo4j: %w", err)
	}
	return nil
}

// startAndMemory prints the start time and the memory of an idle server.
func (b *bench) startAndMemory(ctx context.Context) error {
	s, err := startServer(ctx, b.binary, "--data", filepath.Join(b.dir, "idle"))
	if err != nil {
		return err
	}
	time.Sleep(time.Second)
	now, _, err := s.resident()
	fmt.Printf("embedded, empty: serving after %v, %.0f MiB resident when idle\n", s.started.Round(time.Millisecond), now)
	if err != nil {
		return err
	}
	return s.stop()
}

// loadClients is how many connections load batches. batchDatasets is how many datasets a
// batch has, with three proposals each.
const (
	loadClients   = 2
	batchDatasets = 700
)

func load(ctx context.Context, s *server, w workload) (figure, error) {
	bodies, err := w.batches(batchDatasets)
	if err != nil {
		return figure{}, err
	}
	f, err := s.measure(ctx, loadClients, len(bodies), func(ctx context.Context, i int) error {
		answer, err := s.post(ctx, "/aspects?action=ingestProposalBatch&partial=true", bodies[i])
		if err != nil {
			return err
		}
		var result struct {
			Value struct {
				Failed  int
				Results []struct{ Error *struct{ Message string } }
			}
		}
		if err := json.Unmarshal(answer, &result); err != nil {
			return err
		}
		for _, one := range result.Value.Results {
			if one.Error != nil {
				return fmt.Errorf("%d proposals failed, the first because: %s", result.Value.Failed, one.Error.Message)
			}
		}
		return nil
	})
	f.ops = w.datasets
	return f, err
}

// proposals returns n new values, which are made before the measurement.
func (w workload) proposals(n, offset, revision int) []proposal {
	list := make([]proposal, n)
	for i := range list {
		list[i] = w.properties((i*7+offset)%w.datasets, revision*n+i+1)
	}
	return list
}

// single measures writes of new values of existing datasets, with one proposal in each
// request.
func single(ctx context.Context, s *server, w workload, clients, n, revision int) (figure, error) {
	bodies := make([][]byte, n)
	for i := range bodies {
		var err error
		if bodies[i], err = json.Marshal(map[string]any{"proposal": w.properties(i*7%w.datasets, revision*n+i+1)}); err != nil {
			return figure{}, err
		}
	}
	return s.measure(ctx, clients, n, func(ctx context.Context, i int) error {
		_, err := s.post(ctx, "/aspects?action=ingestProposal", bodies[i])
		return err
	})
}

// readClients is how many connections read at the same time.
const readClients = 8

func pointReads(ctx context.Context, s *server, w workload, n int) (figure, error) {
	return s.measure(ctx, readClients, n, func(ctx context.Context, i int) error {
		_, err := s.get(ctx, s.entityPath(w.urn(i*31%w.datasets), "datasetProperties"))
		return err
	})
}

func oneHopReads(ctx context.Context, s *server, w workload, n int) (figure, error) {
	return s.measure(ctx, readClients, n, func(ctx context.Context, i int) error {
		_, err := s.get(ctx, s.relationshipsPath(w.urn(i*31%w.datasets)))
		return err
	})
}

// add runs a comparison and adds its row to the results.
func (b *bench) add(name string, target float64, ours, theirs func(int) (figure, error)) error {
	r, err := compare(name, b.repetitions, target, ours, theirs)
	if err == nil {
		b.rows = append(b.rows, r)
		fmt.Printf("… %s: %.2f\n", name, r.ratio())
	}
	return err
}

func (b *bench) print() {
	if len(b.rows) == 0 {
		return
	}
	fmt.Printf("\n%-58s %8s %8s %12s %12s %10s %10s %12s %12s\n", "ours beside the bare library; all but lineage through HTTP", "ratio", "target", "ours/s", "bare/s", "p50", "p99", "allocs/op", "KiB/op")
	for _, r := range b.rows {
		target := "–"
		if r.target > 0 {
			target = fmt.Sprintf("%.2f", r.target)
			if r.ratio() < r.target {
				target += " missed"
			}
		}
		fmt.Printf("%-58s %8.2f %8s %12.0f %12.0f %10s %10s %12.0f %12.1f\n", r.name, r.ratio(), target,
			medianOf(r.ours, figure.rate), medianOf(r.theirs, figure.rate),
			r.ours[0].percentile(0.5).Round(10*time.Microsecond), r.ours[0].percentile(0.99).Round(10*time.Microsecond),
			medianOf(r.ours, func(f figure) float64 { return f.mallocs / float64(f.ops) }),
			medianOf(r.ours, func(f figure) float64 { return f.bytes / float64(f.ops) / 1024 }))
	}
}
