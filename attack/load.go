package main

import (
	"context"
	"fmt"
	"math/rand"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// hotTarget is how many writes a second the server must accept for one dataset from 32
// writers.
const hotTarget = 300

// hotEntity writes one dataset from 32 writers at once until it has a long history. Each
// write must be a version, and none may be missing.
func hotEntity(a *arena) {
	e := a.check.entry("hot" + strconv.Itoa(int(a.random.Int31())))
	e.shared = true
	total := pick(a, 640, 10_000)
	var done, busy atomic.Int64
	c := newClient(a.server, 30*time.Second, 32)
	began := time.Now()
	many(total, 32, func(int) {
		for a.Err() == nil {
			r := a.check.write(a, c, e)
			a.sent(1, 0)
			switch {
			case r.ok():
				done.Add(1)
				return
			case r.busy() || r.status == 409:
				busy.Add(1)
				sleep(a, 20*time.Millisecond)
			case a.Err() == nil:
				a.problem("a write of the hot dataset fails: %v", answer{status: r.status, body: r.body, err: r.err})
				return
			}
		}
	})
	rate := float64(done.Load()) / time.Since(began).Seconds()
	a.note("%.0f writes a second, %d of %d, busy %d times", rate, done.Load(), total, busy.Load())
	if a.full && rate < hotTarget {
		a.problem("a hot dataset takes %.0f writes a second, the target is %d", rate, hotTarget)
	}
}

// load is the mixed load of honest clients at the same time: writes, edits of lineage,
// reads, searches, walks and GraphQL. The checker's account has every write.
type load struct {
	answered, failed atomic.Int64
	firstFailure     atomic.Pointer[string]
}

// run sends requests until ctx ends. pause is the time between two requests of one client.
func (l *load) run(ctx context.Context, s *server, check *checker, seed int64, pause time.Duration) {
	var group sync.WaitGroup
	for w := range 12 {
		group.Go(func() {
			c := newClient(s, 20*time.Second, 1)
			defer c.http.CloseIdleConnections()
			random := rand.New(rand.NewSource(seed + int64(w)))
			for ctx.Err() == nil {
				r := l.step(ctx, c, check, w, random)
				switch {
				case ctx.Err() != nil:
				case r.ok():
					l.answered.Add(1)
				default:
					text := r.String()
					l.failed.Add(1)
					l.firstFailure.CompareAndSwap(nil, &text)
				}
				sleep(ctx, pause)
			}
		})
	}
	group.Wait()
}

// step sends one request. The first eight clients write, each its own datasets.
func (l *load) step(ctx context.Context, c *client, check *checker, w int, random *rand.Rand) answer {
	e := check.entry(fmt.Sprintf("mixed%d.%d", w%8, random.Intn(5)))
	if w < 8 {
		if random.Intn(4) == 0 {
			return check.relate(ctx, c, e)
		}
		return check.write(ctx, c, e)
	}
	if !e.known() {
		e = check.entry("warm0") // warmUp has written this entry
	}
	urn := url.PathEscape(e.urn)
	switch random.Intn(5) {
	case 0:
		return c.get(ctx, "/entitiesV2/"+urn)
	case 1:
		return c.get(ctx, "/relationships?direction=OUTGOING&urn="+urn)
	case 2:
		return c.get(ctx, "/lineage/"+urn+"?direction=UPSTREAM&hops=5")
	case 3:
		return c.post(ctx, graphQL, query(`{searchAcrossEntities(input:{types:[DATASET],query:"checker",count:20}){total searchResults{entity{urn ... on Dataset{properties{description}}}}}}`))
	}
	_, r := check.search(ctx, c, check.word(e, max(e.sent.Load(), 1)))
	return r
}

// killLoop kills the server under mixed load, starts it again and compares the data, many
// times.
func killLoop(a *arena) {
	a.innocent.pause()
	defer a.innocent.resume()
	kills := a.kills
	if kills == 0 {
		kills = pick(a, 3, 40)
	}
	var answered int64
	lost, versions, done := 0, 0, 0
	for ; done < kills && a.Err() == nil; done++ {
		var l load
		ctx, cancel := context.WithCancel(a)
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			l.run(ctx, a.server, a.check, a.seed*1000+int64(done), 0)
		}()
		sleep(a, time.Duration(200+a.random.Intn(1200))*time.Millisecond)
		a.server.kill()
		cancel()
		<-ended
		answered += l.answered.Load()
		if !a.restart() {
			return
		}
		v := a.check.verify(a.whole, false)
		a.found(v)
		lost += v.lost
		versions += v.versions
	}
	a.sent(int(answered), 0)
	a.note("%d kills, %d answered operations, %d versions read, %d lost", done, answered, versions, lost)
	if done < kills {
		a.problem("only %d of %d kills in time", done, kills)
	}
}

// soak puts mixed load on the server for a long time. It prints the curves of the server's
// memory: the whole resident memory, the part that is not pages of files, and Go's heap.
// The rest is mostly the page caches of SQLite, which are bounded. The memory must not grow
// in the second half.
func soak(a *arena) {
	var l load
	ctx, cancel := context.WithTimeout(a, a.duration)
	defer cancel()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		l.run(ctx, a.server, a.check, a.seed, 20*time.Millisecond)
	}()
	every := min(30*time.Second, a.duration/20)
	began := time.Now()
	var own, heap []int64
	a.log("%8s %10s %10s %10s %12s %10s %10s", "time", "RSS", "RssAnon", "Go heap", "goroutines", "files", "answered")
	for ctx.Err() == nil {
		sleep(ctx, every)
		metrics := string(a.client.get(a, "/metrics").body)
		anonymous, inUse := a.server.status("RssAnon"), int64(metric(metrics, "go_memstats_heap_inuse_bytes"))
		own, heap = append(own, anonymous), append(heap, inUse)
		a.log("%8s %10s %10s %10s %12.0f %10s %10d", time.Since(began).Round(time.Second), size(a.server.status("VmRSS")), size(anonymous), size(inUse),
			metric(metrics, "go_goroutines"), size(a.server.stored()), l.answered.Load())
	}
	<-ended
	a.sent(int(l.answered.Load()), 0)
	if n := l.failed.Load(); n > 0 {
		a.problem("%d requests of the mixed load failed, first with %s", n, *l.firstFailure.Load())
	}
	a.grown("RssAnon", own)
	a.grown("Go heap", heap)
}

// soakGrowth is how many bytes the median of the last quarter may exceed that of the third.
// The garbage left between two collections varies by that much.
const soakGrowth = 24 << 20

// grown records a problem if the last quarter of a curve is too far above the third.
func (a *arena) grown(what string, curve []int64) {
	quarter := len(curve) / 4
	if quarter == 0 {
		a.problem("too short to tell whether memory grows")
		return
	}
	third, last := median(curve[len(curve)-2*quarter:len(curve)-quarter]), median(curve[len(curve)-quarter:])
	a.note("%s %s in the third quarter, %s in the last", what, size(third), size(last))
	if last-third > max(soakGrowth, third/10) {
		a.problem("%s grows in the second half: %s, then %s", what, size(third), size(last))
	}
}

func median(values []int64) int64 {
	sorted := slices.Sorted(slices.Values(values))
	return sorted[len(sorted)/2]
}

// metric returns a metric without labels from the text of /metrics.
func metric(text, name string) float64 {
	for line := range strings.Lines(text) {
		if rest, ok := strings.CutPrefix(line, name+" "); ok {
			n, _ := strconv.ParseFloat(strings.TrimSpace(rest), 64) // 0 if the metric is missing
			return n
		}
	}
	return 0
}
