package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/headwater-io/headwater/catalog/follower"
	"github.com/headwater-io/headwater/catalog/services"
	"github.com/headwater-io/headwater/graphstore/embedded"
	"github.com/headwater-io/headwater/indexer"
	searchfile "github.com/headwater-io/headwater/indexer/embedded"
	"github.com/headwater-io/headwater/indexer/typesense"
	"github.com/headwater-io/headwater/model"
	"github.com/headwater-io/headwater/rest"
)

// searchTarget is the wanted ratio of the search rates of the two sides.
const searchTarget = 0.7

// searchClients is how many connections search at the same time.
const searchClients = 2

// engine is one side of a search comparison. Both sides have the same datasets.
type engine interface {
	// load indexes the made datasets.
	load(ctx context.Context, made []madeDataset) error
	// ask runs the i-th query of a kind.
	ask(ctx context.Context, kind queryKind, i int) error
	close() error
}

// queryKind is a kind of search.
type queryKind struct{ name string }

var queryKinds = []queryKind{
	{name: "a word of all"},
	{name: "a word of all, five facets"},
	{name: "two words of all, five facets"},
	{name: "a word of half"},
	{name: "a word of half, five facets"},
	{name: "a rare word, five facets"},
	{name: "two words"},
	{name: "two words, five facets"},
	{name: "everything, five facets"},
	{name: "four filters"},
	{name: "contains"},
	{name: "autocomplete"},
	{name: "browse"},
	{name: "page at nine tenths"},
}

// words returns the words of a query of this kind, and whether the query counts facets. ok
// is false for queries without words.
func (k queryKind) words(p *searchParameters, i int) (words string, facets, ok bool) {
	name, facets := strings.CutSuffix(k.name, ", five facets")
	switch name {
	case "a word of all":
		return ofAll[i%len(ofAll)], facets, true
	case "two words of all":
		return strings.Join(ofAll, " "), facets, true
	case "a word of half":
		return ofHalf, facets, true
	case "a rare word":
		return p.rare, facets, true
	case "two words":
		return p.words, facets, true
	case "everything":
		return "*", facets, true
	}
	return "", false, false
}

// onSearch compares Headwater on its own index with Headwater on Typesense, and the latter
// with Typesense alone, all over HTTP. Without Typesense, it measures only the embedded
// index.
func (b *bench) onSearch(ctx context.Context) error {
	w := searchWorkload{datasets: b.searchSize}
	if b.typesense == "" {
		fmt.Println("no Typesense: its comparisons are left out")
		return b.searchAlone(ctx, w)
	}
	if err := b.searchPair(ctx, "embedded beside typesense", w, b.embeddedEngine, b.typesenseEngine); err != nil {
		return fmt.Errorf("embedded: %w", err)
	}
	return b.searchPair(ctx, "typesense beside the bare one", w, b.typesenseEngine, b.bareTypesense)
}

type openEngine func(ctx context.Context, w searchWorkload) (engine, error)

// loadEngine opens an engine, fills it, and prints the time and the size.
func (b *bench) loadEngine(ctx context.Context, w searchWorkload, open openEngine) (e engine, rate float64, err error) {
	if e, err = open(ctx, w); err != nil {
		return nil, 0, err
	}
	var taken time.Duration
	const step = 10_000
	for from := 0; from < w.datasets; from += step {
		made := w.make(from, min(from+step, w.datasets)) // made before the engine is timed
		began := time.Now()
		if err := e.load(ctx, made); err != nil {
			return nil, 0, errors.Join(err, e.close())
		}
		taken += time.Since(began)
	}
	rate = float64(w.datasets) / taken.Seconds()
	fmt.Printf("%d datasets: %.0f documents/s; %s\n", w.datasets, rate, b.footprint(e))
	return e, rate, nil
}

// asking returns the measurement of one kind of query on an engine.
func (b *bench) asking(ctx context.Context, w searchWorkload, e engine, kind queryKind) func(repetition int) (figure, error) {
	n := max(40, b.searchQueries/(1+w.datasets/100_000))
	return func(repetition int) (figure, error) {
		return measure(ctx, searchClients, n, func(ctx context.Context, i int) error { return e.ask(ctx, kind, repetition*n+i) })
	}
}

// searchAlone measures the embedded index alone.
func (b *bench) searchAlone(ctx context.Context, w searchWorkload) (err error) {
	e, _, err := b.loadEngine(ctx, w, b.embeddedEngine)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, e.close()) }()
	if err := b.whileMerging(ctx, w, e); err != nil {
		return err
	}
	for _, kind := range queryKinds {
		var figures []figure
		for i := range b.repetitions {
			f, err := b.asking(ctx, w, e, kind)(i)
			if err != nil {
				return err
			}
			figures = append(figures, f)
		}
		fmt.Printf("embedded %d: %s: p50 %v, p99 %v\n", w.datasets, kind.name, latency(figures, 0.5), latency(figures, 0.99))
	}
	return nil
}

// searchPair loads both sides one after the other, and then queries them in turns.
func (b *bench) searchPair(ctx context.Context, name string, w searchWorkload, open, openOther openEngine) (err error) {
	var engines []engine
	var rates []float64
	for _, o := range []openEngine{open, openOther} {
		e, rate, err := b.loadEngine(ctx, w, o)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, e.close()) }()
		engines, rates = append(engines, e), append(rates, rate)
	}
	fmt.Printf("%s, index rate: ratio %.2f\n", name, rates[0]/rates[1])
	if err := b.whileMerging(ctx, w, engines[0]); err != nil {
		return err
	}
	for _, kind := range queryKinds {
		label := fmt.Sprintf("%s %d: %s", name, w.datasets, kind.name)
		if err := b.add(label, searchTarget, b.asking(ctx, w, engines[0], kind), b.asking(ctx, w, engines[1], kind)); err != nil {
			return err
		}
		r := &b.rows[len(b.rows)-1]
		fmt.Printf("  p50 %v and %v, p99 %v and %v\n", latency(r.ours, 0.5), latency(r.theirs, 0.5), latency(r.ours, 0.99), latency(r.theirs, 0.99))
	}
	return nil
}

// footprint returns a text about an engine's memory and disk space.
func (b *bench) footprint(e engine) string {
	runtime.GC()
	if o, ok := e.(*ours); ok && o.dir != "" {
		return fmt.Sprintf("%.0f MiB resident in this process, %.0f MiB on disk", residentMiB("self"), sizeMiB(filepath.Join(o.dir, "search")))
	}
	return "server: " + typesenseMemory(b.typesense)
}

// sizeMiB returns the size of the files in a directory.
func sizeMiB(dir string) float64 {
	var total int64
	_ = filepath.Walk(dir, func(_ string, info os.FileInfo, err error) error {
		if err == nil && !info.IsDir() {
			total += info.Size()
		}
		return nil // the engine may delete files meanwhile
	})
	return float64(total) / (1 << 20)
}

func residentMiB(pid string) float64 {
	text, err := os.ReadFile("/proc/" + pid + "/status")
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(text)) {
		var kib float64
		if n, _ := fmt.Sscanf(line, "VmRSS: %f kB", &kib); n == 1 {
			return kib / 1024
		}
	}
	return 0
}

func typesenseMemory(address string) string {
	req, err := http.NewRequest(http.MethodGet, address+"/metrics.json", nil)
	if err != nil {
		return err.Error()
	}
	req.Header.Set("X-TYPESENSE-API-KEY", typesenseKey)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err.Error()
	}
	defer resp.Body.Close()
	var m map[string]string
	if err := json.NewDecoder(resp.Body).Decode(&m); err != nil {
		return err.Error()
	}
	var memory float64
	_, _ = fmt.Sscan(m["typesense_memory_resident_bytes"], &memory)
	return fmt.Sprintf("%.0f MiB resident, %.0f MiB on disk, both sides loaded so far together", memory/(1<<20), sizeMiB(os.Getenv("HEADWATER_TEST_TYPESENSE_DIR")))
}

// ours is Headwater's REST handler on an index.
type ours struct {
	dir    string // directory of the embedded index
	index  indexer.Index
	store  *embedded.Store
	schema *indexer.Schema
	server *http.Server
	base   string
	client *http.Client
	w      searchWorkload
}

func (b *bench) embeddedEngine(ctx context.Context, w searchWorkload) (engine, error) {
	schema := indexer.NewSchema(model.Default())
	dir := filepath.Join(b.dir, fmt.Sprint("index", time.Now().UnixNano()))
	index, err := searchfile.Open(ctx, searchfile.Options{Dir: dir, Fingerprint: schema.Fingerprint()})
	if err != nil {
		return nil, err
	}
	o, err := b.serveIndex(ctx, w, index, schema)
	if err != nil {
		return nil, err
	}
	o.dir = dir
	return o, nil
}

func (b *bench) typesenseEngine(ctx context.Context, w searchWorkload) (engine, error) {
	schema := indexer.NewSchema(model.Default())
	names := schema.Names()
	index, err := typesense.Open(ctx, typesense.Options{
		Nodes: []string{b.typesense}, Key: typesenseKey, Prefix: fmt.Sprintf("bench%d", time.Now().UnixNano()), Fingerprint: schema.Fingerprint(),
		Facets: names.Facets, Numbers: names.Numbers, SortKeys: names.SortKeys, Completions: names.Completions,
	})
	if err != nil {
		return nil, err
	}
	return b.serveIndex(ctx, w, index, schema)
}

// serveIndex serves an index over HTTP. The graph store behind it stays empty.
func (b *bench) serveIndex(ctx context.Context, w searchWorkload, index indexer.Index, schema *indexer.Schema) (*ours, error) {
	store, err := embedded.Open(ctx, embedded.Options{Dir: filepath.Join(b.dir, fmt.Sprint("store", time.Now().UnixNano()))})
	if err != nil {
		return nil, err
	}
	o := &ours{index: index, store: store, schema: schema, w: w, client: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 8}}}
	o.server = &http.Server{Handler: rest.New(rest.Options{Catalog: services.New(services.Options{Store: store, Index: &follower.Index{Index: index}})})}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	o.base = "http://" + listener.Addr().String()
	go o.server.Serve(listener) //nolint:errcheck // it ends with close
	return o, nil
}

func (o *ours) close() error {
	return errors.Join(o.server.Close(), o.index.Close(), o.store.Close())
}

// indexBatch is how many documents are written at a time.
const indexBatch = 1000

// load writes documents while the next ones are projected, as a rebuild does.
func (o *ours) load(ctx context.Context, made []madeDataset) error {
	ready := make(chan indexer.Batch, 1)
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error {
		defer close(ready)
		for part := range slices.Chunk(made, indexBatch) {
			batch, err := o.project(ctx, part)
			if err != nil {
				return err
			}
			select {
			case ready <- batch:
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		return nil
	})
	group.Go(func() error {
		for batch := range ready {
			if err := o.index.Write(ctx, batch); err != nil {
				return err
			}
		}
		return nil
	})
	return group.Wait()
}

// project makes the documents of datasets on all processors. The aspects would otherwise be
// in the store.
func (o *ours) project(ctx context.Context, made []madeDataset) (indexer.Batch, error) {
	registry := model.Default()
	documents := make([]indexer.Document, len(made))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(runtime.GOMAXPROCS(0))
	const stride = 32
	for low := 0; low < len(made); low += stride {
		group.Go(func() error {
			for i := low; i < min(low+stride, len(made)); i++ {
				u, err := model.ParseURN(made[i].urn)
				if err != nil {
					return err
				}
				var values []*model.Value
				for name, text := range made[i].values {
					value, err := registry.ParseStored(name, text)
					if err != nil {
						return err
					}
					values = append(values, value)
				}
				documents[i], _ = o.schema.Project(u, values)
			}
			return ctx.Err()
		})
	}
	return indexer.Batch{Put: documents}, group.Wait()
}

var fiveFacets = []string{"platform", "origin", "tags", "owners", "typeNames"}

func equals(field string, value string) map[string]any {
	return map[string]any{"field": field, "value": value, "condition": "EQUAL"}
}

func (o *ours) ask(ctx context.Context, kind queryKind, i int) error {
	action, body := "search", map[string]any{"entity": "dataset", "start": 0, "count": 10, "facets": []string{}, "input": "*"}
	p := o.w.parameters(i)
	if words, facets, ok := kind.words(&p, i); ok {
		body["input"] = words
		if facets {
			body["facets"] = fiveFacets
		}
	}
	switch kind.name {
	case "four filters":
		body["filter"] = map[string]any{"or": []any{map[string]any{"and": []any{
			equals("platform", p.platform), equals("origin", "PROD"), equals("owners", p.owner), equals("typeNames", "Table"),
		}}}}
	case "contains":
		body["filter"] = map[string]any{"or": []any{map[string]any{"and": []any{map[string]any{"field": "id", "value": p.part, "condition": "CONTAIN"}}}}}
	case "autocomplete":
		action, body = "autocomplete", map[string]any{"entity": "dataset", "query": p.typed, "limit": 10}
	case "browse":
		action, body = "browse", map[string]any{"entity": "dataset", "path": p.path, "start": 0, "limit": 10}
	case "page at nine tenths":
		body["start"] = o.w.datasets / 10 * 9
	}
	return post(ctx, o.client, o.base+"/entities?action="+action, body, nil, nil)
}

// post sends JSON, and decodes the answer into into unless it is nil.
func post(ctx context.Context, client *http.Client, address string, body any, header http.Header, into any) error {
	text, ok := body.([]byte)
	if !ok {
		var err error
		if text, err = json.Marshal(body); err != nil {
			return err
		}
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, address, bytes.NewReader(text))
	if err != nil {
		return err
	}
	if header != nil {
		req.Header = header.Clone()
	}
	resp, err := client.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	if err == nil && resp.StatusCode >= http.StatusBadRequest {
		err = fmt.Errorf("status %d: %s", resp.StatusCode, answer)
	}
	if err != nil || into == nil {
		return err
	}
	return json.Unmarshal(answer, into)
}
