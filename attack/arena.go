package main

import (
	"context"
	"fmt"
	"math/rand"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// attack is one kind of attack on the server.
type attack struct {
	name string
	run  func(*arena)
}

// attacks are all attacks, in the order in which they run.
var attacks = []attack{
	{"patch-bomb", patchBomb},
	{"patch-growth", patchGrowth},
	{"amplify", amplify},
	{"nesting", nesting},
	{"graphql", graphQLBombs},
	{"patterns", patterns},
	{"streams", streams},
	{"walks", walks},
	{"dearest", dearest},
	{"webhooks", webhooks},
	{"replicas", replicas},
	{"kafka", fromKafka},
	{"imports", imports},
	{"slow-senders", slowSenders},
	{"slow-readers", slowReaders},
	{"stop", stopWhileWaiting},
	{"websites", websites},
	{"labels", labels},
	{"numbers", numbers},
	{"text", badText},
	{"echoes", echoes},
	{"clock", futureClock},
	{"startup", startup},
	{"index-garbage", indexGarbage},
	{"index-flips", indexFlips},
	{"restore", restoreOlderStore},
	{"hot-entity", hotEntity},
	{"kills", killLoop},
}

func attackNames() []string {
	names := make([]string, len(attacks))
	for i, a := range attacks {
		names[i] = a.name
	}
	return names
}

// arena has the tools of a running attack.
type arena struct {
	context.Context // ends when the time of the attack is over
	*options
	whole    context.Context // context of the whole run, for checks that must finish
	server   *server
	check    *checker
	innocent *innocent
	client   *client // a client with many connections
	random   *rand.Rand

	mu     sync.Mutex
	result *result
}

// pick returns the value for the size of the run.
func pick[T any](a *arena, small, full T) T {
	if a.full {
		return full
	}
	return small
}

// problem records a failed check. Problems with the same text count once.
func (a *arena) problem(format string, args ...any) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.result.problem(fmt.Sprintf(format, args...))
}

// found records the problems of a verdict.
func (a *arena) found(v verdict) {
	for _, p := range v.problems {
		a.problem("%s", p)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.result.lost += v.lost
}

// note adds a figure to the attack's row in the table.
func (a *arena) note(format string, args ...any) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.result.notes = append(a.result.notes, fmt.Sprintf(format, args...))
}

// sent counts requests and their bytes on the wire.
func (a *arena) sent(requests int, bytes int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.result.requests += requests
	a.result.bytes += int64(bytes)
}

// refused sends a bad request. The server must refuse it soon: with a 4xx, with 503 and
// Retry-After, or as GraphQL refuses queries.
func (a *arena) refused(what, method, target string, body []byte, headers ...string) answer {
	r := a.client.send(a, method, target, body, headers...)
	a.sent(1, len(body))
	if a.Err() == nil && !r.refused() && !a.graphQLRefused(target, r) {
		a.problem("%s is not refused: %v", what, r)
	}
	a.soon(what, r)
	return r
}

// civil sends an unusual request, which may be answered or refused, but must break nothing.
func (a *arena) civil(what, method, target string, body []byte, headers ...string) answer {
	return a.civilWithin(a.oddPatience(), what, method, target, body, headers...)
}

// inTurn sends one of many requests of which the server answers only some at a time. The
// request may wait for its turn before it is answered or refused.
func (a *arena) inTurn(what, target string) {
	a.civilWithin(turnWait+a.oddPatience(), what, http.MethodGet, target, nil)
}

func (a *arena) civilWithin(patience time.Duration, what, method, target string, body []byte, headers ...string) answer {
	r := a.client.send(a, method, target, body, headers...)
	a.sent(1, len(body))
	if a.Err() == nil && !r.civil() {
		a.problem("%s is neither answered nor refused: %v", what, r)
	}
	a.within(patience, what, r)
	return r
}

// turnWait is how long a request may wait for its turn: the lane wait of docs/limits.md.
const turnWait = 10 * time.Second

// oddPatience is how long the answer to one bad request may take: 5 s, if an innocent
// request may take 2 s.
func (o *options) oddPatience() time.Duration { return o.patience * 5 / 2 }

func (a *arena) soon(what string, r answer) { a.within(a.oddPatience(), what, r) }

func (a *arena) within(patience time.Duration, what string, r answer) {
	if r.err == nil && r.took > patience {
		a.problem("%s takes %v", what, r.took.Round(100*time.Millisecond))
	}
}

// restart starts the server again after an attack has stopped it.
func (a *arena) restart() bool {
	if err := a.server.start(); err != nil {
		a.problem("%v", err)
		return false
	}
	return true
}

// embeddedGraph and embeddedSearch report whether the store or the index is in files of the
// server.
func (a *arena) embeddedGraph() bool  { return a.graph == "embedded" }
func (a *arena) embeddedSearch() bool { return a.search == "embedded" }

func (a *arena) skip(why string) { a.result.skipped = why }

// run starts a server and runs the attacks on it.
func run(ctx context.Context, o *options) ([]*result, error) {
	chosen, err := choose(o.names)
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "headwater-attack-")
	if err != nil {
		return nil, err
	}
	if o.keep {
		o.log("working in %s", dir)
	} else {
		defer func() { _ = os.RemoveAll(dir) }() // a leftover is in a temporary directory
	}
	s, err := newServer(o, filepath.Join(dir, "server"))
	if err != nil {
		return nil, err
	}
	check := newChecker(s)
	s.flags = append(s.flags, "--retention", "0", "--graph", o.graph, "--search", o.search, "--search-prefix", "attack"+check.run)
	if err := s.start(); err != nil {
		return nil, err
	}
	defer s.kill()
	if err := warmUp(ctx, check); err != nil {
		return nil, err
	}
	in := &innocent{check: check, interval: time.Second}
	if !o.full {
		in.interval = 250 * time.Millisecond
	}
	living, end := context.WithCancel(ctx)
	defer func() { end(); in.prober.Wait() }()
	in.begin(living)
	var results []*result
	for _, at := range chosen {
		if ctx.Err() != nil {
			return results, ctx.Err()
		}
		r := o.one(ctx, at, s, check, in)
		results = append(results, r)
		o.log("%s: %s", at.name, r.summary())
		if !s.alive() {
			return results, fmt.Errorf("the server cannot be started again: %s", s.lastWords())
		}
	}
	if ctx.Err() != nil {
		return results, ctx.Err()
	}
	in.pause()
	defer in.resume()
	v := check.verify(ctx, true)
	results = append(results, &result{name: "all of it", requests: 0, lost: v.lost, problems: v.problems, notes: []string{fmt.Sprintf("%d datasets checked at the end", v.entries)}})
	return results, nil
}

// warmUp sends honest requests until the server and its backends have done each kind once.
// A database is slow shortly after its start, which is not the fault of an attack.
func warmUp(ctx context.Context, check *checker) error {
	c := newClient(check.server, time.Minute, 1)
	for n := range 20 {
		e := check.entry(fmt.Sprintf("warm%d", n%5))
		_, search := check.search(ctx, c, "warm")
		for _, r := range []answer{
			check.write(ctx, c, e), check.relate(ctx, c, e), search, c.get(ctx, "/health/ready"),
			c.get(ctx, "/entitiesV2/"+url.PathEscape(e.urn)), c.get(ctx, "/relationships?direction=OUTGOING&urn="+url.QueryEscape(e.urn)),
		} {
			if !r.ok() {
				return fmt.Errorf("an honest request fails before any attack: %v", r)
			}
		}
	}
	return nil
}

func choose(names []string) ([]attack, error) {
	if len(names) == 0 {
		return attacks, nil
	}
	var chosen []attack
	for _, name := range names {
		found := false
		for _, a := range append([]attack{{"soak", soak}}, attacks...) {
			if a.name == name {
				chosen, found = append(chosen, a), true
			}
		}
		if !found {
			return nil, fmt.Errorf("no attack is called %q; there are %s and soak", name, strings.Join(attackNames(), ", "))
		}
	}
	return chosen, nil
}

// one runs an attack. It then checks the server, the innocent client's answers, and the
// stored data against the account.
func (o *options) one(ctx context.Context, at attack, s *server, check *checker, in *innocent) *result {
	r := &result{name: at.name}
	began := time.Now()
	limit := 30 * o.patience // a minute, if innocent requests may take 2 s
	if o.full {
		limit = 120 * o.patience
	}
	switch {
	case at.name == "soak":
		limit = o.duration + time.Minute
	case at.name == "dearest" && o.full:
		limit = dearestLimit
	}
	bounded, cancel := context.WithTimeout(ctx, limit)
	a := &arena{
		Context: bounded, whole: ctx, options: o, server: s, check: check, innocent: in, result: r,
		client: newClient(s, min(limit/2, 30*time.Second), 128), random: rand.New(rand.NewSource(o.seed)),
	}
	in.take()
	s.forgetPeak()
	var high peak
	watching, stopWatching := context.WithCancel(ctx)
	var watcher sync.WaitGroup
	watcher.Go(func() { high.watch(watching, func() int64 { return s.status("VmHWM") }) })
	// First the innocent client measures the server without an attack.
	sleep(bounded, 2*in.interval)
	at.run(a)
	if bounded.Err() != nil && ctx.Err() == nil {
		a.problem("the attack was not over after %v", limit)
	}
	cancel()
	a.client.http.CloseIdleConnections()
	if !s.alive() {
		a.problem("the server died: %s", s.lastWords())
	}
	a.recover(ctx)
	sleep(ctx, 2*in.interval)
	r.innocent = in.take()
	stopWatching()
	watcher.Wait()
	r.peak = high.bytes.Load()
	in.pause()
	v := check.verify(ctx, false)
	in.resume()
	a.found(v)
	r.judge(o)
	if r.peak > o.most() {
		// Go does not return the address space of large allocations, so the next attack would lack it. A new
		// process has all of its address space.
		in.pause()
		s.kill()
		a.restart()
		in.resume()
	}
	r.took = time.Since(began)
	return r
}

// recoverPatience is how long the server may be busy after an attack.
const recoverPatience = 10 * time.Second

// recover waits until the server accepts writes again. If it does not, it is killed and
// started again, so that the next attack meets a healthy server.
func (a *arena) recover(ctx context.Context) {
	c := newClient(a.server, recoverPatience, 1)
	began := time.Now()
	for a.server.alive() && time.Since(began) < recoverPatience {
		if r := a.check.write(ctx, c, a.check.entry("recover")); r.ok() {
			if took := time.Since(began); took > 2*time.Second {
				a.note("writes are taken again after %v", took.Round(100*time.Millisecond))
			}
			return
		}
		sleep(ctx, 100*time.Millisecond)
	}
	if ctx.Err() != nil {
		return
	}
	if a.server.alive() {
		a.problem("the server takes no writes %v after the attack, and was killed", recoverPatience)
		a.server.kill()
	}
	a.restart()
}

func sleep(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}
