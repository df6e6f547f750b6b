package main

import (
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
)

// result is the result of one attack, a row of the table.
type result struct {
	name     string
	requests int
	bytes    int64
	peak     int64
	innocent tally
	lost     int
	problems []string
	more     int // number of problems beyond keptProblems
	notes    []string
	skipped  string
	took     time.Duration
}

func (r *result) holds() bool { return len(r.problems) == 0 && r.lost == 0 }

// keptProblems is how many problems of an attack are printed.
const keptProblems = 12

func (r *result) problem(text string) {
	switch {
	case slices.Contains(r.problems, text):
	case len(r.problems) < keptProblems:
		r.problems = append(r.problems, text)
	default:
		r.more++
	}
}

// most is the largest permitted memory of the server in bytes: one and a half times its
// limit, because a garbage collector may exceed the limit for a while.
func (o *options) most() int64 { return o.memory + o.memory/2 }

// judge applies the checks of every attack: the innocent client is answered soon and
// without errors, and the memory stays within its limit.
func (r *result) judge(o *options) {
	in := r.innocent
	if in.errors > 0 {
		r.problem(fmt.Sprintf("%d of %d innocent requests failed, first a %s", in.errors, in.asked, in.first))
	}
	if in.longest > o.patience {
		r.problem(fmt.Sprintf("an innocent %s waited %v", in.of, in.longest.Round(10*time.Millisecond)))
	}
	if r.peak > o.most() {
		r.problem(fmt.Sprintf("the server took %s of memory, its limit is %s", size(r.peak), size(o.memory)))
	}
}

func (r *result) verdict() string {
	switch {
	case !r.holds():
		return fmt.Sprintf("DOES NOT HOLD (%d)", len(r.problems)+r.more)
	case r.skipped != "":
		return "skipped"
	}
	return "holds"
}

func (r *result) summary() string {
	text := r.verdict() + " after " + r.took.Round(100*time.Millisecond).String()
	if r.skipped != "" {
		text += ": " + r.skipped
	}
	return text
}

func size(n int64) string {
	switch {
	case n >= 10<<30:
		return fmt.Sprintf("%d GiB", n>>30)
	case n >= 1<<20:
		return fmt.Sprintf("%d MiB", n>>20)
	case n >= 1<<10:
		return fmt.Sprintf("%d KiB", n>>10)
	}
	return fmt.Sprintf("%d B", n)
}

// table prints the results and, below them, the failed checks.
func table(results []*result) string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "attack\tsent\tpeak memory\tlongest innocent wait\tinnocent errors\tlost writes\tverdict\tfigures")
	for _, r := range results {
		sent := fmt.Sprintf("%d requests, %s", r.requests, size(r.bytes))
		wait := fmt.Sprintf("%d ms (%s)", r.innocent.longest.Milliseconds(), r.innocent.of)
		if r.innocent.asked == 0 {
			wait = "–"
		}
		notes := strings.Join(r.notes, "; ")
		if r.skipped != "" {
			notes = r.skipped
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%d of %d\t%d\t%s\t%s\n", r.name, sent, size(r.peak), wait, r.innocent.errors, r.innocent.asked, r.lost, r.verdict(), notes)
	}
	_ = w.Flush() // writing to a strings.Builder cannot fail
	for _, r := range results {
		if r.holds() {
			continue
		}
		fmt.Fprintf(&b, "\n%s does not hold:\n", r.name)
		for _, p := range r.problems {
			fmt.Fprintf(&b, "  - %s\n", p)
		}
		if r.more > 0 {
			fmt.Fprintf(&b, "  - and %d more\n", r.more)
		}
	}
	return b.String()
}
