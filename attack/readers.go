package main

import (
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// dial opens a TCP connection to the server and sends a text.
func (a *arena) dial(text string) (net.Conn, error) {
	dialer := net.Dialer{Timeout: 5 * time.Second}
	conn, err := dialer.DialContext(a, "tcp", strings.TrimPrefix(a.server.url(), "http://"))
	if err != nil {
		return nil, err
	}
	// With a small window, unread data soon waits in the server.
	_ = conn.(*net.TCPConn).SetReadBuffer(4096)
	if _, err := conn.Write([]byte(text)); err != nil {
		conn.Close()
		return nil, err
	}
	return conn, nil
}

// streams opens hundreds of event streams and never reads them.
func streams(a *arena) {
	// Fill the log with more bytes than a socket accepts.
	many(pick(a, 40, 200), 4, func(i int) {
		text := strings.Repeat("long ", 4000)
		urn := a.check.dataset(fmt.Sprintf("bulk%d", i))
		if r := a.client.propose(a, "UPSERT", urn, "datasetProperties", map[string]string{"description": text}); a.Err() == nil && !r.civil() {
			a.problem("a long description cannot be written: %v", r)
		}
	})
	total := pick(a, 150, 500)
	conns := make([]net.Conn, total)
	defer closeAll(conns)
	var refused atomic.Int64
	many(total, 50, func(i int) {
		text := "GET /events?from=&limit=1000 HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: text/event-stream\r\n\r\n"
		conn, err := a.dial(text)
		a.sent(1, len(text))
		if err != nil {
			refused.Add(1)
			return
		}
		conns[i] = conn
	})
	sleep(a, pick(a, 4*time.Second, 30*time.Second))
	a.note("%d streams open, %d connections refused", total-int(refused.Load()), refused.Load())
	// Waiting long polls are readers too.
	polls := pick(a, 50, 300)
	var group sync.WaitGroup
	group.Go(func() {
		many(polls, polls, func(int) {
			r := a.client.get(a, "/events?from=now&wait=2")
			a.sent(1, 0)
			if a.Err() == nil && !r.civil() {
				a.problem("a long poll is neither answered nor refused: %s", r.kind())
			}
		})
	})
	group.Wait()
}

func closeAll(conns []net.Conn) {
	for _, conn := range conns {
		if conn != nil {
			conn.Close()
		}
	}
}

// walks walks from many clients at once through a graph of layers, in which each entity
// depends on all entities of the next layer.
func walks(a *arena) {
	layers, width := pick(a, 8, 24), pick(a, 8, 30)
	node := func(layer, n int) string { return a.check.dataset(fmt.Sprintf("walk%d.%d", layer, n)) }
	many(layers*width, 4, func(i int) {
		layer, n := i/width, i%width
		var upstreams []map[string]any
		for m := range width {
			upstreams = append(upstreams, map[string]any{"dataset": node(layer+1, m), "type": "TRANSFORMED", "auditStamp": map[string]any{"time": 0, "actor": "urn:li:corpuser:attack"}})
		}
		if r := a.client.propose(a, "UPSERT", node(layer, n), "upstreamLineage", map[string]any{"upstreams": upstreams}); a.Err() == nil && !r.civil() {
			a.problem("the graph to walk cannot be written: %v", r)
		}
	})
	end := time.Now().Add(pick(a, 4*time.Second, 30*time.Second))
	top, bottom := url.PathEscape(node(0, 0)), url.PathEscape(node(layers, 0))
	targets := []string{
		"/lineage/" + top + "?direction=UPSTREAM&hops=1000&paths=10000&count=10000",
		"/lineage/" + bottom + "?direction=DOWNSTREAM&hops=1000&count=10000&paths=100",
		"/impact/" + bottom + "?hops=1000",
		fmt.Sprintf("/lineage/%s?direction=UPSTREAM&asOf=%d&count=10000", top, time.Now().UnixMilli()),
	}
	walkers := pick(a, 8, 64)
	var slow atomic.Int64
	many(walkers, walkers, func(i int) {
		for a.Err() == nil && time.Now().Before(end) {
			r := a.client.get(a, targets[i%len(targets)])
			a.sent(1, 0)
			if a.Err() == nil && !r.civil() {
				if r.err == nil && r.status == http.StatusGatewayTimeout {
					slow.Add(1)
					continue
				}
				a.problem("a walk is neither answered nor refused: %s %v", r.kind(), r.err)
			}
			if r.busy() {
				sleep(a, 100*time.Millisecond)
			}
		}
	})
	a.note("%d walks were too slow", slow.Load())
}
