package main

import (
	"context"
	"fmt"
	"net/url"
	"sync"
	"time"
)

// innocent is a client that does nothing wrong. In every interval it sends one write, one
// read, one search and one health check, each on its own connection. The checker's account
// has its writes.
type innocent struct {
	check    *checker
	interval time.Duration
	// gate is held by each request, and by code that stops the server on purpose.
	gate sync.RWMutex

	mu     sync.Mutex
	tally  tally
	prober sync.WaitGroup
}

// tally has the results of the innocent client.
type tally struct {
	asked   int
	errors  int
	first   string // the first error
	longest time.Duration
	of      string // the kind of the slowest request
}

// innocentTimeout is when a request of the innocent client is given up.
const innocentTimeout = 30 * time.Second

// begin sends requests until ctx ends.
func (in *innocent) begin(ctx context.Context) {
	var number int
	entry := func(n int) *entry { return in.check.entry(fmt.Sprintf("innocent%d", n%10)) }
	in.probe(ctx, "write", func(ctx context.Context, c *client) answer {
		number++
		if number%3 == 0 {
			return in.check.relate(ctx, c, entry(number/3))
		}
		return in.check.write(ctx, c, entry(number))
	})
	in.probe(ctx, "read", func(ctx context.Context, c *client) answer {
		return c.get(ctx, "/entitiesV2/"+url.PathEscape(entry(1).urn))
	})
	in.probe(ctx, "search", func(ctx context.Context, c *client) answer {
		return c.post(ctx, "/entities?action=search", []byte(`{"input":"checker","entity":"dataset","start":0,"count":10}`))
	})
	in.probe(ctx, "health", func(ctx context.Context, c *client) answer {
		return c.get(ctx, "/health/ready")
	})
}

func (in *innocent) probe(ctx context.Context, what string, ask func(context.Context, *client) answer) {
	c := newClient(in.check.server, innocentTimeout, 1)
	in.prober.Go(func() {
		tick := time.NewTicker(in.interval)
		defer tick.Stop()
		for ctx.Err() == nil {
			in.gate.RLock()
			if r := ask(ctx, c); ctx.Err() == nil {
				in.count(what, r)
			}
			in.gate.RUnlock()
			select {
			case <-ctx.Done():
			case <-tick.C:
			}
		}
	})
}

func (in *innocent) count(what string, r answer) {
	in.mu.Lock()
	defer in.mu.Unlock()
	t := &in.tally
	t.asked++
	if r.took > t.longest {
		t.longest, t.of = r.took, what
	}
	if !r.ok() {
		if t.errors++; t.errors == 1 {
			t.first = fmt.Sprintf("%s: %v", what, r)
		}
	}
}

// pause waits for running requests and holds further ones back until resume. It is for
// attacks that stop the server themselves. Later connections go to the new process.
func (in *innocent) pause()  { in.gate.Lock() }
func (in *innocent) resume() { in.gate.Unlock() }

// take returns the results since the last call, including those of running requests.
func (in *innocent) take() tally {
	in.pause()
	defer in.resume()
	in.mu.Lock()
	defer in.mu.Unlock()
	t := in.tally
	in.tally = tally{}
	return t
}
