package main

import (
	"context"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// checker keeps its own account of what the server acknowledged, in a plain
// map, and compares it with what can be read back.
type checker struct {
	run    string // makes the names of this run its own
	server *server
	client *client

	mu      sync.Mutex
	entries map[string]*entry
}

// entry is one dataset. Each write of its properties carries a number, which
// is in the description as a word that search can find.
type entry struct {
	urn string
	id  int
	// shared entries have several writers at once, whose numbers come in any
	// order.
	shared bool
	sent   atomic.Int64

	mu       sync.Mutex // held by a write of an entry that is not shared
	account  sync.Mutex // guards what follows
	acked    map[int64]bool
	last     int64 // highest number acknowledged
	lineage  int64 // number of the last lineage acknowledged
	asked    int64 // number of the last lineage sent
	dirty    bool
	verified int            // versions that earlier checks have read
	seen     map[int64]bool // the numbers in them
}

func newChecker(s *server) *checker {
	return &checker{
		run: strconv.FormatInt(time.Now().UnixNano()/1e6%1e9, 36), server: s,
		client: newClient(s, 20*time.Second, 16), entries: map[string]*entry{},
	}
}

// entry returns the account of a dataset, by a name of its own.
func (c *checker) entry(name string) *entry {
	c.mu.Lock()
	defer c.mu.Unlock()
	e := c.entries[name]
	if e == nil {
		e = &entry{urn: c.dataset(name), id: len(c.entries), acked: map[int64]bool{}, seen: map[int64]bool{}}
		c.entries[name] = e
	}
	return e
}

func (c *checker) dataset(name string) string { return dataset("attack." + c.run + "." + name) }

// word is the one in the description of a write. It is of letters only, since
// search takes words apart at numbers.
func (c *checker) word(e *entry, n int64) string {
	return "zq" + letters(c.run) + "y" + letters(strconv.Itoa(e.id)) + "y" + letters(strconv.FormatInt(n, 10)) + "x"
}

// letters spells digits and letters in letters that are not x, y or z.
func letters(text string) string {
	var b strings.Builder
	for _, r := range text {
		n := strings.IndexRune("0123456789abcdefghijklmnopqrstuvwxyz", r)
		b.WriteByte("abcdefgh"[n/8])
		b.WriteByte("abcdefgh"[n%8])
	}
	return b.String()
}

// write sends the next number of an entry, and keeps it when it is
// acknowledged.
func (c *checker) write(ctx context.Context, from *client, e *entry) answer {
	return c.writeTo(ctx, from, e, ingest)
}

func (c *checker) writeTo(ctx context.Context, from *client, e *entry, target string) answer {
	if !e.shared {
		e.mu.Lock()
		defer e.mu.Unlock()
	}
	n := e.sent.Add(1)
	e.touch()
	r := from.post(ctx, target, proposal("UPSERT", e.urn, "datasetProperties", map[string]any{
		"description": "written by the checker: " + c.word(e, n), "customProperties": map[string]string{"n": strconv.FormatInt(n, 10)},
	}))
	if r.ok() {
		e.account.Lock()
		e.acked[n], e.last = true, max(e.last, n)
		e.account.Unlock()
	}
	return r
}

// known says whether a write of the entry was acknowledged.
func (e *entry) known() bool {
	e.account.Lock()
	defer e.account.Unlock()
	return e.last > 0
}

func (e *entry) touch() {
	e.account.Lock()
	e.dirty = true
	e.account.Unlock()
}

// touchAll has the next check look at every entry.
func (c *checker) touchAll() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, e := range c.entries {
		e.touch()
	}
}

// upstreams are what the lineage with a number says.
func (c *checker) upstreams(e *entry, n int64) []string {
	list := []string{c.dataset(fmt.Sprintf("up%d.%d", e.id, n%20)), c.dataset(fmt.Sprintf("up%d.%d", e.id, (n+1)%20))}
	slices.Sort(list)
	return list
}

// relate writes the next lineage of an entry that is not shared.
func (c *checker) relate(ctx context.Context, from *client, e *entry) answer {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.account.Lock()
	e.asked++
	n := e.asked
	e.dirty = true
	e.account.Unlock()
	var upstreams []map[string]any
	for _, urn := range c.upstreams(e, n) {
		upstreams = append(upstreams, map[string]any{"dataset": urn, "type": "TRANSFORMED", "auditStamp": map[string]any{"time": n, "actor": "urn:li:corpuser:attack"}})
	}
	r := from.propose(ctx, "UPSERT", e.urn, "upstreamLineage", map[string]any{"upstreams": upstreams})
	if r.ok() {
		e.account.Lock()
		e.lineage = n
		e.account.Unlock()
	}
	return r
}

// verdict is what a check found.
type verdict struct {
	entries, versions int
	lost              int
	problems          []string
}

// verify compares the entries written since the last check, or all of them
// and from the first version on, with what the server has.
func (c *checker) verify(ctx context.Context, all bool) verdict {
	c.mu.Lock()
	list := slices.Collect(maps.Values(c.entries))
	c.mu.Unlock()
	var v verdict
	var mu sync.Mutex
	indexed := time.Now().Add(indexPatience)
	many(len(list), 8, func(i int) {
		e := list[i]
		e.mu.Lock()
		defer e.mu.Unlock()
		e.account.Lock()
		dirty := e.dirty || all
		e.dirty = false
		if all {
			e.verified, e.seen = 0, map[int64]bool{}
		}
		e.account.Unlock()
		if !dirty {
			return
		}
		versions, lost, problems := c.verifyEntry(ctx, e, indexed)
		mu.Lock()
		defer mu.Unlock()
		v.entries++
		v.versions += versions
		v.lost += lost
		v.problems = append(v.problems, problems...)
	})
	if n := len(v.problems); n > keptFaults {
		v.problems = append(v.problems[:keptFaults], fmt.Sprintf("and %d more datasets are not as written", n-keptFaults))
	}
	return v
}

// keptFaults is how many datasets that are not as written a check names.
const keptFaults = 3

func (c *checker) verifyEntry(ctx context.Context, e *entry, indexed time.Time) (versions, lost int, problems []string) {
	bad := func(format string, args ...any) {
		problems = append(problems, e.urn+": "+fmt.Sprintf(format, args...))
	}
	if e.sent.Load() > 0 {
		numbers, err := c.history(ctx, e)
		if err != nil {
			bad("%v", err)
			e.touch() // what is wrong is blamed on one attack, what is not known is looked at again
			return 0, 0, problems
		}
		versions = len(numbers)
		if lost = e.missing(numbers); lost > 0 {
			bad("%d acknowledged writes are not among its versions", lost)
		}
		if !e.shared && !slices.IsSorted(numbers) {
			bad("its versions are not in the order of the writes: %v", numbers)
		}
		if len(numbers) > 0 {
			if err := c.findable(ctx, e, numbers, indexed); err != nil {
				bad("%v", err)
			}
		}
	}
	if err := c.edges(ctx, e); err != nil {
		bad("%v", err)
	}
	return versions, lost, problems
}

// history reads the versions since the last check, oldest first, and the
// latest, and returns the numbers in them.
func (c *checker) history(ctx context.Context, e *entry) ([]int64, error) {
	var numbers []int64
	number := func(value map[string]any) error {
		custom, _ := value["customProperties"].(map[string]any)
		text, _ := custom["n"].(string)
		n, err := strconv.ParseInt(text, 10, 64)
		numbers = append(numbers, n)
		return err
	}
	version := e.verified
	for {
		version++
		value, r := c.client.aspect(ctx, e.urn, "datasetProperties", version)
		if r.err == nil && r.status == 404 {
			break
		}
		if value == nil {
			return nil, fmt.Errorf("version %d cannot be read: %v", version, r)
		}
		if err := number(value); err != nil {
			return nil, fmt.Errorf("version %d is not as written: %v", version, value)
		}
	}
	for beyond := version + 1; beyond < version+3; beyond++ {
		if value, _ := c.client.aspect(ctx, e.urn, "datasetProperties", beyond); value != nil {
			return nil, fmt.Errorf("a gap: there is a version %d and no version %d", beyond, version)
		}
	}
	value, r := c.client.aspect(ctx, e.urn, "datasetProperties", 0)
	switch {
	case value != nil:
		if err := number(value); err != nil {
			return nil, fmt.Errorf("the latest value is not as written: %v", value)
		}
	case r.err != nil || r.status != 404:
		return nil, fmt.Errorf("it cannot be read: %v", r)
	}
	e.verified = version - 1
	return numbers, nil
}

// missing counts the acknowledged numbers that are in no version.
func (e *entry) missing(numbers []int64) int {
	e.account.Lock()
	defer e.account.Unlock()
	there := map[int64]bool{}
	for _, n := range numbers {
		there[n] = true
	}
	lost := 0
	for n := range e.acked {
		if !there[n] && !e.seen[n] {
			lost++
			delete(e.acked, n) // counted once
		}
	}
	for _, n := range numbers[:max(0, len(numbers)-1)] {
		e.seen[n] = true
	}
	return lost
}

// book is the account as it was at a moment.
type book map[string]page

type page struct {
	acked         map[int64]bool
	last, lineage int64
}

// copy returns the account as it is now. Nothing may be writing.
func (c *checker) copy() book {
	b := book{}
	for name, e := range c.entries {
		b[name] = page{maps.Clone(e.acked), e.last, e.lineage}
	}
	return b
}

// goBack makes the account that of an earlier moment, after the store was put
// back to it. Numbers go on, so that words of what is no more stay unique.
// It returns the words of what was latest and is no more.
func (c *checker) goBack(b book) []string {
	var gone []string
	for name, e := range c.entries {
		p := b[name]
		if e.last > p.last {
			gone = append(gone, c.word(e, e.last))
		}
		e.acked, e.last, e.lineage = maps.Clone(p.acked), p.last, p.lineage
		if e.acked == nil {
			e.acked = map[int64]bool{}
		}
		e.verified, e.seen, e.dirty = 0, map[int64]bool{}, true
	}
	return gone
}

// indexPatience is how long a write may take until search has it.
const indexPatience = 30 * time.Second

// findable checks that the word of the latest value finds the dataset, and the
// word of the value before does not.
func (c *checker) findable(ctx context.Context, e *entry, numbers []int64, indexed time.Time) error {
	latest := numbers[len(numbers)-1]
	var found []string
	var r answer
	for ; ; sleep(ctx, 100*time.Millisecond) {
		if found, r = c.search(ctx, c.client, c.word(e, latest)); slices.Contains(found, e.urn) {
			break
		}
		if time.Now().After(indexed) || ctx.Err() != nil {
			return fmt.Errorf("search does not find its latest value: %v", r)
		}
	}
	if len(numbers) > 1 && numbers[len(numbers)-2] != latest {
		if found, _ = c.search(ctx, c.client, c.word(e, numbers[len(numbers)-2])); len(found) > 0 {
			return fmt.Errorf("search still finds the value before the latest")
		}
	}
	return nil
}

// search asks for a whole word among datasets.
func (c *checker) search(ctx context.Context, from *client, word string) ([]string, answer) {
	r := from.post(ctx, "/entities?action=search", jsonOf(map[string]any{"input": `"` + word + `"`, "entity": "dataset", "start": 0, "count": 10, "facets": []string{}}))
	return texts(r.at("value", "metadata", "urns")), r
}

func texts(value any) []string {
	list, _ := value.([]any)
	var found []string
	for _, item := range list {
		if text, ok := item.(string); ok {
			found = append(found, text)
		}
	}
	return found
}

// edges checks that the graph says of an entry what its lineage says, and that
// this is the last one acknowledged or one sent after it.
func (c *checker) edges(ctx context.Context, e *entry) error {
	e.account.Lock()
	acked, asked := e.lineage, e.asked
	e.account.Unlock()
	if asked == 0 {
		return nil
	}
	var said []string
	value, r := c.client.aspect(ctx, e.urn, "upstreamLineage", 0)
	if value == nil && (acked > 0 || r.status != 404) {
		return fmt.Errorf("its lineage cannot be read: %v", r)
	}
	list, _ := value["upstreams"].([]any)
	for _, item := range list {
		object, _ := item.(map[string]any)
		urn, _ := object["dataset"].(string)
		said = append(said, urn)
	}
	slices.Sort(said)
	known := acked == 0 && value == nil
	for n := max(acked, 1); n <= asked; n++ {
		known = known || slices.Equal(said, c.upstreams(e, n))
	}
	if !known {
		return fmt.Errorf("its lineage is %v, neither that acknowledged last (%d) nor one after it", said, acked)
	}
	r = c.client.get(ctx, "/relationships?direction=OUTGOING&types=DownstreamOf&urn="+url.QueryEscape(e.urn))
	related := texts(r.at("entities"))
	slices.Sort(related)
	if !slices.Equal(said, related) {
		return fmt.Errorf("its edges are %v, its lineage is %v (%d)", related, said, r.status)
	}
	return nil
}

// many runs n pieces of work, at most workers at once.
func many(n, workers int, work func(i int)) {
	var next atomic.Int64
	var group sync.WaitGroup
	for range min(n, workers) {
		group.Go(func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				work(i)
			}
		})
	}
	group.Wait()
}
