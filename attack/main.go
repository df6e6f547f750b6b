// Command attack attacks the built server as a stranger on the network could. An innocent
// client runs all the time, and a checker keeps its own account of acknowledged writes. The
// command shares no code with the product: it starts the binary, uses HTTP on the loopback
// interface, and reads /proc. It exits with 1 if a check fails.
//
// docs/attacks.md describes each attack and the checks that must hold.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"regexp"
	"strings"
	"syscall"
	"time"
)

// options are the flags of the command line.
type options struct {
	binary   string         // the server's executable
	names    []string       // attacks to run, in this order; all if empty
	full     bool           // use the sizes of docs/attacks.md instead of those of CI
	kills    int            // number of kills of the kill loop; 0 for the number of the size
	graph    string         // the server's setting graph
	search   string         // the server's setting search
	memory   int64          // GOMEMLIMIT of the server, in bytes
	address  int64          // largest address space of the server, in bytes
	rows     *regexp.Regexp // rows that dearest asks; all if nil
	patience time.Duration  // how long an innocent request may take
	duration time.Duration  // duration of the mixed load of "soak"
	keep     bool           // do not delete the working directory
	seed     int64          // seed of all random numbers
	log      func(format string, args ...any)
}

func main() {
	o, err := parse(os.Args[1:])
	if err != nil {
		if err != flag.ErrHelp { //nolint:errorlint // flag returns it as it is
			fmt.Fprintln(os.Stderr, err)
		}
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	results, err := run(ctx, o)
	if len(results) > 0 {
		fmt.Print(table(results))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	for _, r := range results {
		if !r.holds() {
			os.Exit(1)
		}
	}
}

func parse(args []string) (*options, error) {
	o := &options{log: func(format string, args ...any) { fmt.Fprintf(os.Stderr, format+"\n", args...) }}
	flags := flag.NewFlagSet("attack", flag.ContinueOnError)
	var names, size, memory, address string
	flags.StringVar(&o.binary, "binary", "bin/headwater", "the server's executable")
	flags.StringVar(&names, "attacks", "", "names of attacks, parted by commas; empty for all of: "+strings.Join(attackNames(), " ")+"; or soak")
	flags.StringVar(&size, "size", "full", "full, or small as in CI")
	flags.IntVar(&o.kills, "kills", 0, "how often the kill loop kills the server; 0 for what the size says (3 or 40)")
	flags.StringVar(&o.graph, "graph", "embedded", "the server's --graph")
	flags.StringVar(&o.search, "search", "embedded", "the server's --search")
	flags.StringVar(&memory, "memlimit", "1GiB", "the server's GOMEMLIMIT; its peak may be half as much again")
	flags.StringVar(&address, "address-space", "6GiB", "most address space of the server, so that a bomb takes the server and not the machine")
	flags.DurationVar(&o.patience, "patience", 2*time.Second, "longest answer that an innocent request may see")
	flags.DurationVar(&o.duration, "duration", 30*time.Minute, "how long soak lasts")
	flags.BoolVar(&o.keep, "keep", false, "leave the working directory, with the server's log and data")
	flags.Int64Var(&o.seed, "seed", 1, "seed of what is random")
	flags.Func("rows", "a regular expression: dearest asks only the rows whose name matches it", func(text string) (err error) {
		o.rows, err = regexp.Compile(text)
		return err
	})
	if err := flags.Parse(args); err != nil {
		return nil, err
	}
	switch size {
	case "full", "small":
		o.full = size == "full"
	default:
		return nil, fmt.Errorf("-size is small or full, not %q", size)
	}
	if names != "" {
		o.names = strings.Split(names, ",")
	}
	var err error
	if o.memory, err = bytesOf(memory); err != nil {
		return nil, err
	}
	if o.address, err = bytesOf(address); err != nil {
		return nil, err
	}
	return o, nil
}

// bytesOf parses a size in GOMEMLIMIT's form, in MiB or GiB.
func bytesOf(text string) (int64, error) {
	var n int64
	var unit string
	if _, err := fmt.Sscanf(text, "%d%s", &n, &unit); err != nil || n <= 0 {
		return 0, fmt.Errorf("%q is not a size such as 1GiB", text)
	}
	switch unit {
	case "MiB":
		return n << 20, nil
	case "GiB":
		return n << 30, nil
	}
	return 0, fmt.Errorf("%q is not a size in MiB or GiB", text)
}
