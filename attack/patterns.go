package main

import (
	"fmt"
	"net/http"
	"strings"
	"time"
)

// patterns sends patterns of URNs on which a backtracking matcher would work endlessly. The
// server must not go on working afterwards.
func patterns(a *arena) {
	many(pick(a, 20, 200), 8, func(i int) {
		urn := a.check.dataset(fmt.Sprintf("%s%d", strings.Repeat("a", 150), i))
		if r := a.client.propose(a, "UPSERT", urn, "status", `{"removed":false}`); a.Err() == nil && !r.ok() {
			a.problem("a dataset with a long name cannot be written: %v", r)
		}
	})
	count := func(pattern string) []byte { return jsonOf(map[string]string{"aspect": "status", "urnLike": pattern}) }
	const target = "/aspects?action=getCount"
	for _, stars := range []int{5, 12, 60, 200} {
		for _, part := range []string{"%a", "%a%a_", "%_a"} {
			a.civil(fmt.Sprintf("a pattern of %d wildcards", stars), http.MethodPost, target, count("urn:li:dataset:"+strings.Repeat(part, stars)+"%!"))
		}
	}
	at := pick(a, 8, 32)
	many(at, at, func(int) {
		r := a.client.post(a, target, count("%"+strings.Repeat("a%", 60)+"!"))
		if a.Err() == nil && !r.civil() {
			a.problem("a pattern among many is neither answered nor refused: %s", r.kind())
		}
		a.sent(1, 150)
	})
	a.refused("a pattern of 60,000 characters", http.MethodPost, target, count(strings.Repeat("a", 60_000)))
	a.refused("a pattern of 60,000 wildcards", http.MethodPost, target, count(strings.Repeat("%_", 30_000)))
	a.idle()
}

// idle checks that the server stops working when nobody waits for an answer. The innocent
// client and the measuring need little time.
func (a *arena) idle() {
	if !a.server.alive() {
		return
	}
	sleep(a, time.Second)
	before, began := a.server.cpu(), time.Now()
	sleep(a, 2*time.Second)
	used := (a.server.cpu() - before).Seconds() / time.Since(began).Seconds()
	a.note("%.0f %% of a core a second later", 100*used)
	if used > 0.5 {
		a.problem("the server goes on using %.0f %% of a core when nobody waits any more", 100*used)
	}
}
