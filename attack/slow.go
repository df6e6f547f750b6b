package main

import (
	"fmt"
	"io"
	"net"
	"net/url"
	"strings"
	"sync/atomic"
	"syscall"
	"time"
)

// senderPatience is how long the server may wait for a body that arrives at one byte a
// second.
const senderPatience = 120 * time.Second

// slowSenders begins requests and then sends one byte a second: in headers, in bodies of
// ordinary routes, and in bodies of routes without a time limit. Imports may have any
// length, so these stop instead.
func slowSenders(a *arena) {
	head := func(target string) string {
		return "POST " + target + " HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nX-RestLi-Protocol-Version: 2.0.0\r\n"
	}
	kinds := map[string]string{
		"batchDelete":    head("/entities?action=batchDelete") + "Content-Length: 100000\r\n\r\n{",
		"delete":         head("/entities?action=delete") + "Content-Length: 100000\r\n\r\n{",
		"edit":           head("/entities?action=edit") + "Content-Length: 100000\r\n\r\n{",
		"rollback":       head("/runs?action=rollback") + "Content-Length: 100000\r\n\r\n{",
		"stalled lines":  head("/import") + "Content-Length: 100000\r\n\r\n{",
		"stalled chunks": head("/import") + "Transfer-Encoding: chunked\r\n\r\n186A0\r\n{",
		"proposal":       head(ingest) + "Content-Length: 100000\r\n\r\n{",
		"graphql":        head(graphQL) + "Content-Length: 100000\r\n\r\n{",
		"only headers":   "GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: ",
	}
	each := pick(a, 5, 25)
	var names []string
	for name := range kinds {
		for range each {
			names = append(names, name)
		}
	}
	watch := pick(a, 8*time.Second, senderPatience)
	began := time.Now()
	many(len(names), len(names), func(i int) {
		conn, err := a.dial(kinds[names[i]])
		a.sent(1, 0)
		if err != nil {
			return // the server refuses further connections
		}
		defer conn.Close()
		gone := make(chan struct{})
		go func() {
			_, _ = io.Copy(io.Discard, conn) // until the server closes the connection
			close(gone)
		}()
		for time.Since(began) < watch && a.Err() == nil {
			select {
			case <-gone:
				return
			case <-time.After(time.Second):
			}
			// A slow import is permitted, but one that stops is not.
			if strings.HasPrefix(names[i], "stalled") {
				continue
			}
			a.sent(0, 1)
			if _, err := conn.Write([]byte(" ")); err != nil {
				return
			}
		}
		if a.full && a.Err() == nil {
			a.problem("a slow sender is borne for more than %v: %s", watch, names[i])
		}
	})
	a.note("the last slow sender was watched for %v", time.Since(began).Round(time.Second))
}

// slowReaders requests large answers and does not read them.
func slowReaders(a *arena) {
	urn := a.check.dataset("large")
	text := strings.Repeat("large ", 800_000)
	if r := a.client.propose(a, "UPSERT", urn, "datasetProperties", map[string]string{"description": text}); a.Err() == nil && !r.ok() {
		a.problem("a large description cannot be written: %v", r)
	}
	targets := []string{"/entitiesV2/" + url.PathEscape(urn), "/export", "/aspects/" + url.PathEscape(urn) + "?aspect=datasetProperties&version=0"}
	total := pick(a, 30, 100)
	conns := make([]net.Conn, total)
	defer closeAll(conns)
	before := a.server.sockets()
	many(total, 50, func(i int) {
		conns[i], _ = a.dial("GET " + targets[i%len(targets)] + " HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\nX-RestLi-Protocol-Version: 2.0.0\r\n\r\n") // nil if the server refuses the connection
		a.sent(1, 0)
	})
	// Data in the kernel's buffers hides from the client that the server has closed the
	// connection, so the server's sockets are counted.
	began := time.Now()
	sleep(a, time.Second)
	watch := pick(a, 6*time.Second, senderPatience)
	open := a.server.sockets() - before
	for time.Since(began) < watch && a.Err() == nil && open > total/10 {
		sleep(a, time.Second)
		open = a.server.sockets() - before
	}
	a.note("some %d of %d still open after %v", max(open, 0), total, time.Since(began).Round(time.Second))
	if a.full && open > total/10 && a.Err() == nil {
		a.problem("some %d answers that nobody reads are held open for more than %v", open, watch)
	}
}

// stopPatience is how long the server may take to end while callers only wait.
const stopPatience = 5 * time.Second

// stopWhileWaiting sends SIGTERM while callers wait for events, read streams and keep
// connections open.
func stopWhileWaiting(a *arena) {
	a.innocent.pause()
	defer a.innocent.resume()
	var waiting atomic.Int64
	total := pick(a, 5, 50)
	done := make(chan struct{})
	go func() {
		defer close(done)
		many(total, total, func(i int) {
			waiting.Add(1)
			if i%2 == 0 {
				a.client.get(a, "/events?from=now&wait=30")
			} else {
				a.client.get(a, "/events?from=now", "Accept", "text/event-stream")
			}
			a.sent(1, 0)
		})
	}()
	idle, err := a.dial("GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
	if err == nil {
		defer idle.Close()
	}
	sleep(a, time.Second)
	took, err := a.server.stop(30 * time.Second)
	a.note("ended %v after SIGTERM with %d waiting", took.Round(10*time.Millisecond), waiting.Load())
	if err != nil {
		a.problem("SIGTERM: the server ended with %v", err)
	}
	if took > stopPatience {
		a.problem("the server takes %v to end after SIGTERM", took.Round(100*time.Millisecond))
	}
	<-done
	a.restart()
}

// startup checks the messages of servers that cannot serve. It starts servers of its own.
func startup(a *arena) {
	says := func(what string, flags ...string) {
		s, err := newServer(a.options, a.server.dir+"-startup", flags...)
		if err != nil {
			a.problem("%v", err)
			return
		}
		defer s.kill()
		a.sent(1, 0)
		if err := s.start(); err == nil {
			select {
			case <-s.now.Load().gone:
				a.problem("with %s the server says that it listens, and ends", what)
			case <-time.After(2 * time.Second):
				a.problem("with %s the server says that it listens", what)
			}
		}
	}
	says("a certificate that does not exist", "--tls-cert", "/nonexistent/cert", "--tls-key", "/nonexistent/key")
	says("a port that is taken", "--listen", strings.TrimPrefix(a.server.url(), "http://"))
	if a.embeddedGraph() { // a server with another graph store needs no data directory
		says("a data directory that is in use", "--data", a.server.data(""))
		a.deletedFile()
	}
}

// deletedFile deletes the store's file of a running server of its own. The server must
// report that it is not ready.
func (a *arena) deletedFile() {
	s, err := newServer(a.options, a.server.dir+"-deleted")
	if err == nil {
		err = s.start()
	}
	if err != nil {
		a.problem("%v", err)
		return
	}
	defer s.kill()
	c := newClient(s, 10*time.Second, 1)
	c.propose(a, "UPSERT", a.check.dataset("deleted"), "status", `{"removed":false}`)
	for _, name := range []string{"headwater.db", "headwater.db-wal", "headwater.db-shm"} {
		_ = syscall.Unlink(s.data(name)) // the file may not exist
	}
	var r answer
	for range 10 {
		if r = c.get(a, "/health/ready"); r.err == nil && r.status == 503 {
			return
		}
		sleep(a, time.Second)
	}
	a.problem("with its file deleted the server is ready: %s", fmt.Sprint(r.status))
}
