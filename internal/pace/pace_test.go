package pace

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/headwater-io/headwater/internal/intake"
)

// TestBodyThatStops: a client that sends a part of its body and stops gets an answer.
func TestBodyThatStops(t *testing.T) {
	for name, total := range map[string]time.Duration{"a stream": 0, "a body": time.Hour, "a body with little time": 20 * time.Millisecond} {
		idle := 20 * time.Millisecond
		if total == 20*time.Millisecond {
			idle = time.Hour
		}
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			text, err := io.ReadAll(NewBody(w, r.Body, idle, total))
			var slow *intake.SlowError
			fmt.Fprintf(w, "%s %v", text, errors.As(err, &slow))
		}))
		conn, err := net.Dial("tcp", server.Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprint(conn, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nhalf")
		resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil {
			t.Fatal(name, err)
		}
		if text, err := io.ReadAll(resp.Body); err != nil || string(text) != "half true" {
			t.Errorf("%s: %q %v", name, text, err)
		}
		resp.Body.Close()
		conn.Close()
		server.Close()
	}
}

// trickle is a body whose reads each take some time on a clock of its own.
type trickle struct {
	io.Reader
	now   time.Time
	takes time.Duration
}

func (r *trickle) Read(p []byte) (int, error) {
	r.now = r.now.Add(r.takes)
	return r.Reader.Read(p[:1])
}

func (r *trickle) Close() error { return nil }

// TestRate: a stream that brings a few bytes in every stretch, but too few, ends. The
// server's own time does not count.
func TestRate(t *testing.T) {
	for name, c := range map[string]struct {
		takes, work time.Duration
		slow        bool
	}{
		"a trickle":     {time.Second, 0, true},
		"just enough":   {time.Second / 1100, 0, false},
		"a busy server": {time.Second / 1100, time.Hour, false},
	} {
		source := &trickle{Reader: strings.NewReader(strings.Repeat("a", 100_000)), takes: c.takes}
		body := NewBody(httptest.NewRecorder(), source, 30*time.Second, 0)
		body.now = func() time.Time { return source.now }
		var err error
		n := 0
		for err == nil {
			_, err = body.Read(make([]byte, 10))
			source.now = source.now.Add(c.work)
			n++
		}
		var slow *intake.SlowError
		if errors.As(err, &slow) != c.slow || c.slow && n > 40 {
			t.Errorf("%s: %v after %d bytes", name, err, n)
		}
	}
}

// TestAnswerThatIsNotTaken: a client that never reads does not block the handler. A client
// that reads slowly gets the whole answer.
func TestAnswerThatIsNotTaken(t *testing.T) {
	const size = 64 << 20
	wrote := make(chan error, 1)
	idle := time.Second
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, err := NewWriter(w, idle).Write(make([]byte, size))
		wrote <- err
	}))
	defer server.Close()
	conn, err := net.Dial("tcp", server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	fmt.Fprint(conn, "GET / HTTP/1.1\r\nHost: x\r\n\r\n")
	if err := <-wrote; err == nil {
		t.Error("all of it was written, to nobody")
	}
	resp, err := http.Get(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if n, err := io.Copy(io.Discard, resp.Body); n != size || err != nil {
		t.Errorf("%d bytes came: %v", n, err)
	}
	if err := <-wrote; err != nil {
		t.Error(err)
	}
}

// deadlines records the deadlines that are set.
type deadlines struct {
	*httptest.ResponseRecorder
	set []time.Time
}

func (d *deadlines) SetWriteDeadline(t time.Time) error {
	d.set = append(d.set, t)
	return nil
}

// TestOwnDeadline: the handler's own deadline holds until the handler removes it.
func TestOwnDeadline(t *testing.T) {
	d := &deadlines{ResponseRecorder: httptest.NewRecorder()}
	w := NewWriter(d, time.Minute)
	control := http.NewResponseController(w)
	mine := time.Now().Add(time.Hour)
	if err := control.SetWriteDeadline(mine); err != nil {
		t.Fatal(err)
	}
	fmt.Fprint(w, "x")
	if err := control.Flush(); err != nil || len(d.set) != 1 || !d.set[0].Equal(mine) {
		t.Errorf("%v %v", d.set, err)
	}
	if err := control.SetWriteDeadline(time.Time{}); err != nil || len(d.set) != 2 || !d.set[1].IsZero() {
		t.Errorf("%v %v", d.set, err)
	}
	fmt.Fprint(w, strings.Repeat("a", 3*piece))
	if len(d.set) != 6 || d.set[2].IsZero() || !d.set[5].IsZero() || !d.Flushed {
		t.Errorf("%v for three pieces and none after them", d.set[2:])
	}
}

// TestEndOfBody: once the body has ended, Body does not change the deadline of net/http. So
// a request whose work takes longer than idle is not cancelled.
func TestEndOfBody(t *testing.T) {
	var set []time.Time
	body := NewBody(httptest.NewRecorder(), io.NopCloser(strings.NewReader("x")), time.Minute, 0)
	body.deadline = func(t time.Time) error {
		set = append(set, t)
		return nil
	}
	if text, err := io.ReadAll(body); err != nil || string(text) != "x" {
		t.Fatal(err)
	}
	before := len(set)
	if n, err := body.Read(make([]byte, 1)); n != 0 || !errors.Is(err, io.EOF) {
		t.Error(n, err)
	}
	body.Finish()
	if len(set) != before || !set[1].IsZero() {
		t.Errorf("deadlines after the end: %v", set)
	}
}

// TestInterrupt: another goroutine ends a write that the client does not read, and all
// later ones. It does nothing when the handler has ended.
func TestInterrupt(t *testing.T) {
	failed := make(chan error, 1)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		paced := NewWriter(w, time.Hour)
		ctx := WithWriter(r.Context(), paced)
		stop := time.AfterFunc(20*time.Millisecond, func() { Interrupt(ctx) })
		defer stop.Stop()
		var err error
		for err == nil {
			_, err = paced.Write(make([]byte, 1<<20))
		}
		if _, late := paced.Write([]byte("x")); late == nil {
			err = errors.New("a part was written after the interruption")
		}
		paced.Finish()
		Interrupt(ctx)
		failed <- err
	}))
	defer server.Close()
	conn, err := net.Dial("tcp", server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := conn.Write([]byte("GET / HTTP/1.1\r\nHost: x\r\n\r\n")); err != nil {
		t.Fatal(err)
	}
	if err := <-failed; !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("the writing ended with %v", err)
	}
	Interrupt(t.Context()) // a context without a writer
}
