// Command oracle compares the answers of the built server with answers that it computes
// itself. It sends aspects and keeps a copy. From the copy it computes by the simplest
// means the correct answers about aspects, edges, walks, words, filters and facets, and
// browse paths. It shares no code with the product; it reads the model from its tables. It
// exits with 1 if an answer disagrees.
//
// docs/oracle.md describes the comparisons and their rules.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
)

// options are the flags of the command line.
type options struct {
	binary    string // the server's executable
	graph     string // the server's setting graph
	search    string // the server's setting search
	model     string // the directory of the model's tables
	reference string // the directory with other people's metadata, "" for none
	entities  int    // number of entities in the random catalog
	seed      uint64
	sample    int // number of entities in random questions
	rounds    int // number of times that the random catalog changes
	keep      bool
	log       func(format string, args ...any)
}

func main() {
	o, err := parse(os.Args[1:])
	if err != nil {
		if !errors.Is(err, flag.ErrHelp) {
			fmt.Fprintln(os.Stderr, err)
		}
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	tallies, err := run(ctx, o)
	stop()
	fmt.Print(table(tallies))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	for _, t := range tallies {
		if t.wrong > 0 {
			os.Exit(1)
		}
	}
}

func parse(args []string) (*options, error) {
	o := &options{log: func(format string, args ...any) { fmt.Fprintf(os.Stderr, format+"\n", args...) }}
	flags := flag.NewFlagSet("oracle", flag.ContinueOnError)
	flags.StringVar(&o.binary, "binary", "bin/headwater", "the server's executable")
	flags.StringVar(&o.graph, "graph", "embedded", "the server's --graph, which must be empty")
	flags.StringVar(&o.search, "search", "embedded", "the server's --search, which must be empty")
	flags.StringVar(&o.model, "model", "model/tables", "the directory of the model's tables")
	flags.StringVar(&o.reference, "reference", os.Getenv("HEADWATER_REFERENCE_DIR"), "the directory whose data/ is loaded first, empty for none")
	flags.IntVar(&o.entities, "entities", 10_000, "size of the random catalog, 0 for none")
	flags.Uint64Var(&o.seed, "seed", 1, "of what is random; the same seed makes the same catalog and questions")
	flags.IntVar(&o.sample, "sample", 1000, "how many entities random questions are about")
	flags.IntVar(&o.rounds, "rounds", 2, "how often the random catalog changes before it is compared")
	flags.BoolVar(&o.keep, "keep", false, "leave the working directory, with the server's log and data")
	if err := flags.Parse(args); err != nil {
		return nil, err
	}
	if o.entities < 0 || o.sample < 1 || o.rounds < 0 || flags.NArg() > 0 {
		return nil, errors.New("-entities and -rounds are 0 or more, -sample is 1 or more, and there are no other arguments")
	}
	return o, nil
}

// run fills a server and compares its answers.
func run(ctx context.Context, o *options) ([]tally, error) {
	r, done, err := open(o)
	if err != nil {
		return nil, err
	}
	defer done()
	if err := r.fill(ctx, o); err != nil {
		return nil, err
	}
	return r.compare(ctx, o)
}

// open starts a server. done ends it and deletes its data.
func open(o *options) (r *checker, done func(), err error) {
	facts, err := readFacts(o.model)
	if err != nil {
		return nil, nil, err
	}
	dir, err := os.MkdirTemp("", "oracle-")
	if err != nil {
		return nil, nil, err
	}
	remove := func() {
		if !o.keep {
			_ = os.RemoveAll(dir) // a leftover is in a temporary directory
		}
	}
	if o.keep {
		o.log("the working directory is %s", dir)
	}
	server, err := start(o, dir)
	if err != nil {
		remove()
		return nil, nil, err
	}
	r = &checker{maker: newMaker(o.seed), client: newClient(server.url), facts: facts, mirror: newMirror(facts), sample: o.sample}
	return r, func() { server.stop(); remove() }, nil
}

// fill sends the files and the random catalog to the server.
func (r *checker) fill(ctx context.Context, o *options) error {
	if err := r.client.adopt(ctx, r.mirror); err != nil {
		return err
	}
	files := sources(o.reference)
	if len(files) == 0 {
		o.log("SKIPPED: no files of metadata in %q", filepath.Join(o.reference, "data"))
	}
	for _, file := range files {
		n, err := load(ctx, r.client, r.mirror, file)
		if err != nil {
			return err
		}
		o.log("%s: %d records", filepath.Base(file), n)
	}
	if o.entities > 0 {
		ops := r.catalog(o.entities)
		for round := range o.rounds + 1 {
			if round > 0 {
				ops = r.changes()
			}
			if err := r.client.apply(ctx, ops); err != nil {
				return err
			}
			for _, change := range ops {
				r.mirror.apply(change)
			}
			o.log("random catalog, seed %d, round %d: %d changes, %d entities", o.seed, round, len(ops), len(r.mirror.latest))
		}
	}
	return r.client.settle(ctx)
}

// compare runs all comparisons.
func (r *checker) compare(ctx context.Context, o *options) ([]tally, error) {
	r.graph, r.index = newGraph(r.mirror), newIndex(r.mirror)
	var tallies []tally
	for _, kind := range []func(context.Context) (tally, error){
		r.aspects, r.series, r.edges, r.walks, r.columnWalks, r.words, r.prefixes, r.structured, r.facets, r.browsing,
	} {
		t, err := kind(ctx)
		tallies = append(tallies, t)
		if err != nil {
			return tallies, err
		}
		o.log("%s: %d compared, %d disagree", t.name, t.compared, t.wrong)
	}
	return tallies, nil
}
