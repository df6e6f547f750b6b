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

// checker keeps an account of all acknowledged writes in a map, and compares it with the
// data that the server returns.
type checker struct {
	run    string // part of the names of this run, so that they are unique
	server *server
	client *client

	mu      sync.Mutex
	entries map[string]*entry
}

// entry is the account of one dataset. Each write of its properties has a number. The
// description contains the number as a word that search can find.
type entry struct {
	urn string
	id  int
	// shared: several writers write the dataset at the same time, so numbers come in any
	// order.
	shared bool
	sent   atomic.Int64

	mu       sync.Mutex // held during a write of an entry that is not shared
	account  sync.Mutex // guards the fields below
	acked    map[int64]bool
	last     int64 // highest number acknowledged
	lineage  int64 // number of the last lineage acknowledged
	asked    int64 // number of the last lineage sent
	dirty    bool
	verified int            // number of versions that earlier checks have read
	seen     map[int64]bool // numbers in those versions
}

func newChecker(s *server) *checker {
	return &checker{
		run: strconv.FormatInt(time.Now().UnixNano()/1e6%1e9, 36), server: s,
		client: newClient(s, 20*time.Second, 16), entries: map[string]*entry{},
	}
}

// entry returns the account of the dataset with a name. It makes a new one if there is
// none.
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

// word returns the word of a write, which its description contains. It has only letters,
// because search splits words at digits.
func (c *checker) word(e *entry, n int64) string {
	return "zq" + letters(c.run) + "y" + letters(strconv.Itoa(e.id)) + "y" + letters(strconv.FormatInt(n, 10)) + "x"
}

// letters spells a text in letters other than x, y and z.
func letters(text string) string {
	var b strings.Builder
	for _, r := range text {
		n := strings.IndexRune("0123456789abcdefghijklmnopqrstuvwxyz", r)
		b.WriteByte("abcdefgh"[n/8])
		b.WriteByte("abcdefgh"[n%8])
	}
	return b.String()
}

// write sends a write with the next number of an entry. If the server acknowledges it, the
// account records it.
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

// known reports whether a write of the entry was acknowledged.
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

// touchAll makes the next check verify every entry.
func (c *checker) touchAll() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, e := range c.entries {
		e.touch()
	}
}

// upstreams returns the upstream datasets of an entry's n-th lineage.
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

// verdict is the result of a check.
type verdict struct {
	entries, versions int
	lost              int
	problems          []string
}

// verify compares the account with the server's data: of the entries written since the last
// check, or of all entries from their first version on.
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

// keptFaults is how many faulty datasets a check names.
const keptFaults = 3

func (c *checker) verifyEntry(ctx context.Context, e *entry, indexed time.Time) (versions, lost int, problems []string) {
	bad := func(format string, args ...any) {
		problems = append(problems, e.urn+": "+fmt.Sprintf(format, args...))
	}
	if e.sent.Load() > 0 {
		numbers, err := c.history(ctx, e)
		if err != nil {
			bad("%v", err)
			e.touch() // a fault counts for one attack only, but an entry that could not be read is checked again
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

// history reads the versions since the last check, the oldest first, and the latest one. It
// returns their numbers.
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

// missing returns the number of acknowledged writes that are in no version.
func (e *entry) missing(numbers []int64) int {
	e.account.Lock()
	defer e.account.Unlock()
	present := map[int64]bool{}
	for _, n := range numbers {
		present[n] = true
	}
	lost := 0
	for n := range e.acked {
		if !present[n] && !e.seen[n] {
			lost++
			delete(e.acked, n) // count the lost write only once
		}
	}
	for _, n := range numbers[:max(0, len(numbers)-1)] {
		e.seen[n] = true
	}
	return lost
}

// book is a copy of the account at one moment.
type book map[string]page

type page struct {
	acked         map[int64]bool
	last, lineage int64
}

// copy returns the present account. The caller makes sure that nothing is written meanwhile.
func (c *checker) copy() book {
	b := book{}
	for name, e := range c.entries {
		b[name] = page{maps.Clone(e.acked), e.last, e.lineage}
	}
	return b
}

// goBack replaces the account by that of an earlier moment, after the store was restored to
// that moment. Numbers are not used again, so that the words of lost writes stay unique. It
// returns the words of the latest writes that are lost.
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

// indexPatience is how long search may lack an acknowledged write.
const indexPatience = 30 * time.Second

// findable checks that search finds the dataset by the word of the latest value, and does
// not find it by the word of the value before.
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

// search searches datasets for a whole word.
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

// edges checks that the graph has the edges of the entry's stored lineage, and that this
// lineage is the last acknowledged one or one sent after it.
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

// many calls work for 0 to n-1, with at most workers calls at the same time.
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
