package e2e

import (
	"net/http"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/headwater-io/headwater/internal/testing/testclock"
	"github.com/headwater-io/headwater/internal/testing/testservers"
	"github.com/headwater-io/headwater/internal/testing/testsize"
	"github.com/headwater-io/headwater/kafka/wire"
)

// sent returns the number of records that the server has sent to Kafka.
func (s *server) sent() float64 { return s.metric("headwater_kafka_sent_total", "") }

// signal sends a signal to the server.
func (s *server) signal(signal syscall.Signal) {
	s.t.Helper()
	if err := s.cmd.Process.Signal(signal); err != nil {
		s.t.Fatal(err)
	}
}

// TestKafkaFailOver: of two servers on one Neo4j, one sends to Kafka. The sender is killed,
// or it is frozen for longer than its lease and then continues. The other server must take
// over, nothing may be lost, and the last change of each entity must come last.
func TestKafkaFailOver(t *testing.T) {
	if testsize.Of(0, 1) == 0 {
		t.Skip("takes more than a minute; make soak runs it")
	}
	uri := testservers.Neo4j(t)
	wipe(t, uri)
	topics := newKafkaTopics(t, testservers.Kafka(t))
	const entities, freezes = 1000, 3
	flags := func() []string {
		return append([]string{"--graph", uri, "--platforms=false", "--data", t.TempDir()}, topics.flags()...)
	}
	first, second := start(t, flags()...), start(t, flags()...)
	first.writeRound(0, entities, 0)
	testclock.Await(t, "one server sends", func() bool { return first.sent()+second.sent() > 0 })
	sender, other := first, second
	if second.sent() > 0 {
		sender, other = second, first
	}

	// interrupted writes through the other server, interrupts the sender midway, and calls
	// resume when the other server has taken over.
	written := 0
	interrupted := func(interrupt, resume func()) {
		t.Helper()
		written++
		var writing sync.WaitGroup
		before := sender.sent()
		writing.Go(func() {
			for round := range historyRounds {
				other.writeRound(written*entities, entities, round)
			}
		})
		testclock.Await(t, "the server sends", func() bool { return sender.sent() > before+entities*(historyRounds/3) })
		interrupt()
		began, before := time.Now(), other.sent()
		testclock.Await(t, "the other server sends", func() bool { return other.sent() > before })
		t.Logf("the other server took over after %s", time.Since(began))
		resume()
		writing.Wait()
	}

	interrupted(sender.kill, func() {})
	log := other.logged()
	other.awaitFollower("kafka")
	topics.changes(wire.VersionedLogTopic).wantRepeated(t, "after a kill", log, 1)

	sender, other = other, start(t, flags()...)
	for range freezes {
		interrupted(func() { sender.signal(syscall.SIGSTOP) }, func() { sender.signal(syscall.SIGCONT) })
		testclock.Await(t, "the frozen server answers", func() bool { _, _, err := sender.try(http.MethodGet, "/health/live", ""); return err == nil })
		other.awaitFollower("kafka")
		sender, other = other, sender
	}
	sender.writeRound(0, entities, historyRounds)
	other.stop()
	sender.awaitFollower("kafka")
	log = sender.logged()
	sender.stop()
	topics.changes(wire.VersionedLogTopic).wantLast(t, log)
}

// wantLast checks that everything arrived, and that the last change of each entity arrived
// last.
func (x told) wantLast(t *testing.T, want told) {
	t.Helper()
	if x.distinct() != want.size() {
		t.Errorf("%d changes arrived of %d", x.distinct(), want.size())
	}
	x.wantEnd(t, want)
}

// wantEnd checks that the last change of each entity arrived last.
func (x told) wantEnd(t *testing.T, want told) {
	t.Helper()
	for urn, order := range want {
		got := x[urn]
		if len(got) == 0 || got[len(got)-1] != order[len(order)-1] {
			t.Errorf("%s: the last change of %d is not the last that came", urn, len(order))
		}
	}
}
