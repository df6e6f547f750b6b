package main

import (
	"compress/gzip"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"time"
)

// replicas sends nonsense, and many requests at once, to the routes for replicas. Then a
// server follows faulty sources: they answer endlessly, send compressed bombs, redirect or
// answer nonsense. Last, a server follows the server under attack and is killed several
// times. It must catch up.
func replicas(a *arena) {
	long := strings.Repeat("r", 20_000)
	for _, target := range []string{
		"/replica/changes?from=" + long, "/replica/changes?limit=-1", "/replica/changes?limit=1000000000", "/replica/changes?limit=99999999999999999999", "/replica/changes?wait=-1", "/replica/changes?wait=" + long,
		"/replica/changes?from=" + url.QueryEscape("\x00\xff"), "/replica/series", "/replica/series?urn=" + long + "&aspect=datasetProfile", "/replica/series?urn=urn:li:tag:x&aspect=" + long,
		"/replica/series?urn=urn:li:tag:x&aspect=datasetProfile&afterTime=" + long,
	} {
		if r := a.civil("GET "+short(target, 60), http.MethodGet, target, nil); r.refused() && len(r.body) > 2*maxEcho {
			a.problem("the refusal of %s has %s", short(target, 60), size(int64(len(r.body))))
		}
	}
	many(pick(a, 64, 256), 64, func(int) { a.inTurn("a page for a replica", "/replica/changes?limit=1000") })
	a.followBad()
	a.followKilled()
}

// followBad starts a server that follows faulty sources.
func (a *arena) followBad() {
	var elsewhere, asked atomic.Int64
	trap := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { elsewhere.Add(1) }))
	defer trap.Close()
	piece := []byte(strings.Repeat(" ", 1<<16))
	bad := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch asked.Add(1) % 6 {
		case 0:
			http.Redirect(w, r, trap.URL+r.URL.Path, http.StatusTemporaryRedirect)
		case 1: // endless blanks
			for r.Context().Err() == nil {
				if _, err := w.Write(piece); err != nil {
					return
				}
			}
		case 2: // endless blanks, compressed
			w.Header().Set("Content-Encoding", "gzip")
			packer := gzip.NewWriter(w)
			for r.Context().Err() == nil {
				if _, err := packer.Write(piece); err != nil {
					return
				}
			}
		case 3:
			fmt.Fprint(w, strings.Repeat("[", 1<<20))
		case 4:
			fmt.Fprint(w, `{"format":1,"changes":[{"urn":"`+strings.Repeat("u", 1<<20)+`","aspect":7}],"next":[]}`)
		default:
			http.Error(w, strings.Repeat("e", 1<<20), http.StatusInternalServerError)
		}
	}))
	defer bad.Close()
	s, c := a.follower(bad.URL)
	if s == nil {
		return
	}
	defer s.kill()
	for want := int64(pick(a, 3, 8)); a.Err() == nil && asked.Load() < want; {
		sleep(a, 50*time.Millisecond)
	}
	r := c.get(a, "/replica")
	if a.Err() == nil && (r.at("state") == "level" || len(r.body) > 2*maxEcho) {
		a.problem("the replica of a bad source is %s", short(string(r.body), 300))
	}
	if elsewhere.Load() > 0 {
		a.problem("the replica follows its source to another server")
	}
	a.judgeServer(s, c)
	a.note("%d bad answers of a source", asked.Load())
}

// followKilled starts a server that follows the server under attack, and kills it several
// times.
func (a *arena) followKilled() {
	e := a.check.entry("followed")
	s, c := a.follower(a.server.url())
	if s == nil {
		return
	}
	defer func() { s.kill() }()
	for range pick(a, 2, 8) {
		many(pick(a, 50, 500), 8, func(n int) { a.check.write(a, a.client, a.check.entry(fmt.Sprintf("followed%d", n))) })
		s.kill()
		if err := s.start(); err != nil {
			a.problem("the replica does not start again: %v", err)
			return
		}
	}
	a.check.write(a, a.client, e)
	want, _ := a.client.aspect(a, e.urn, "datasetProperties", 0)
	for a.Err() == nil {
		got, _ := c.aspect(a, e.urn, "datasetProperties", 0)
		if r := c.get(a, "/replica"); r.at("state") == "level" && got != nil && got["description"] == want["description"] {
			break
		}
		sleep(a, 50*time.Millisecond)
	}
	a.judgeServer(s, c)
}

// follower starts a server that follows a source.
func (a *arena) follower(source string) (*server, *client) {
	return a.anotherThat([]string{"follow", source})
}
