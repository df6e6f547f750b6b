package ingest_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/headwater-io/headwater/client"
	"github.com/headwater-io/headwater/client/ingest"
	"github.com/headwater-io/headwater/model"
)

// proposal and snapshot return record n of a file, about one of the tags. The server
// refuses records with the name "bad".
func proposal(n int, tag, name string) string {
	return fmt.Sprintf(`{"entityType":"tag","entityUrn":"urn:li:tag:%s","changeType":"UPSERT","aspectName":"tagProperties","aspect":{"json":{"name":%q,"description":"%d"}}}`, tag, name, n)
}

func snapshot(n int, tag, name string) string {
	return fmt.Sprintf(`{"proposedSnapshot":{"com.linkedin.pegasus2avro.metadata.snapshot.TagSnapshot":{"urn":"urn:li:tag:%s","aspects":[{"com.linkedin.pegasus2avro.tag.TagProperties":{"name":%q,"description":{"string":"%d"}}}]}}}`, tag, name, n)
}

// keyed returns a proposal that names its tag by the key.
func keyed(n int, tag string) string {
	return fmt.Sprintf(`{"entityType":"tag","entityKeyAspect":{"json":{"name":"%s"}},"changeType":"UPSERT","aspectName":"tagProperties","aspect":{"json":{"name":"n","description":"%d"}}}`, tag, n)
}

// value is the tag properties that the fake server received.
type value struct{ tag, name, number string }

// fake is a server that stores the last record of every tag.
type fake struct {
	t *testing.T
	// before is called first for each request, and may answer it.
	before func(w http.ResponseWriter) bool
	// busy reports whether the server is too busy for a proposal.
	busy func(v value) bool

	lock     sync.Mutex
	last     map[string]string
	written  map[string]bool
	requests map[string]int
}

func newFake(t *testing.T) (*fake, *client.Client) {
	f := &fake{t: t, last: map[string]string{}, written: map[string]bool{}, requests: map[string]int{}}
	to, stop := f.serve()
	t.Cleanup(stop)
	return f, to
}

// serve starts the server. stop waits until it has answered all requests.
func (f *fake) serve() (to *client.Client, stop func()) {
	server := httptest.NewServer(f)
	return client.New(server.URL, "", time.Minute), server.Close
}

func (f *fake) count() int {
	f.lock.Lock()
	defer f.lock.Unlock()
	return len(f.written)
}

func (f *fake) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	values, err := decode(r)
	if err != nil { // if the client was not interrupted, the load fails too
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	for range rand.IntN(200) {
		runtime.Gosched()
	}
	if f.before != nil && f.before(w) {
		return
	}
	f.lock.Lock()
	defer f.lock.Unlock()
	f.requests[r.URL.Query().Get("action")]++
	isBad := func(v value) bool { return v.name == "bad" }
	whole := r.URL.Query().Get("action") == "batchIngest"
	if whole && slices.ContainsFunc(values, isBad) {
		http.Error(w, `{"status":422,"message":"it is bad"}`, http.StatusUnprocessableEntity)
		return
	}
	results := make([]string, len(values))
	for i, v := range values {
		switch {
		case isBad(v):
			results[i] = `{"status":"error","error":{"status":422,"message":"it is bad"}}`
		case !whole && f.busy != nil && f.busy(v):
			results[i] = `{"status":"error","error":{"status":503,"message":"busy"}}`
		default:
			results[i] = `{"status":"ok"}`
			f.last[v.tag], f.written[v.number] = v.number, true
		}
	}
	fmt.Fprintf(w, `{"value":{"results":[%s]}}`, strings.Join(results, ","))
}

func decode(r *http.Request) ([]value, error) {
	type properties struct{ Name, Description string }
	var body struct {
		Proposals []struct {
			EntityURN       string
			EntityKeyAspect *struct{ Value string }
			Aspect          struct{ Value string }
		}
		Entities []struct {
			Value map[string]struct {
				URN     string
				Aspects []map[string]properties
			}
		}
	}
	if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
		return nil, err
	}
	var values []value
	for _, p := range body.Proposals {
		var key, read properties
		if p.EntityKeyAspect != nil {
			if err := json.Unmarshal([]byte(p.EntityKeyAspect.Value), &key); err != nil {
				return nil, err
			}
			p.EntityURN = "urn:li:tag:" + key.Name
		}
		if err := json.Unmarshal([]byte(p.Aspect.Value), &read); err != nil {
			return nil, err
		}
		values = append(values, value{p.EntityURN, read.Name, read.Description})
	}
	for _, e := range body.Entities {
		for _, s := range e.Value {
			for _, a := range s.Aspects {
				for _, read := range a {
					values = append(values, value{s.URN, read.Name, read.Description})
				}
			}
		}
	}
	return values, nil
}

// file writes random records. It returns the last accepted number of every tag, and the
// positions of the refused records, from 1.
func file(t *testing.T, count int) (path string, last map[string]string, refused []int) {
	random := rand.New(rand.NewPCG(uint64(count), 1))
	var text bytes.Buffer
	last = map[string]string{}
	for n := 1; n <= count; n++ {
		tag, name := fmt.Sprint("t", random.IntN(count/4)), "n"
		if random.IntN(5) == 0 {
			tag = "hot"
		}
		switch kind := random.IntN(100); kind {
		case 0:
			text.WriteString(`{"neither":"nor"}`)
			refused = append(refused, n)
		case 1:
			text.WriteString(proposal(n, tag, "bad"))
			refused = append(refused, n)
		case 2:
			text.WriteString(snapshot(n, tag, "bad"))
			refused = append(refused, n)
		default:
			text.WriteString([]string{proposal(n, tag, name), snapshot(n, tag, name), keyed(n, tag)}[kind%3])
			last["urn:li:tag:"+tag] = fmt.Sprint(n)
		}
		text.WriteByte('\n')
	}
	path = filepath.Join(t.TempDir(), "tags.jsonl")
	if err := os.WriteFile(path, text.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return path, last, refused
}

func (f *fake) wantLast(last map[string]string) {
	f.t.Helper()
	f.lock.Lock()
	defer f.lock.Unlock()
	for tag, number := range last {
		if f.last[tag] != number {
			f.t.Errorf("%s has record %s, the last one in the file is %s", tag, f.last[tag], number)
		}
	}
}

// TestMixedFile: the last record of every entity prevails, whatever the order in which
// requests end. Refused records are reported with their position, in the order of the file.
func TestMixedFile(t *testing.T) {
	f, to := newFake(t)
	path, last, refused := file(t, 2000)
	var failures bytes.Buffer
	summary, err := ingest.File(context.Background(), path, ingest.Options{
		Client: to, Registry: model.Default(), BatchSize: 50, InFlight: 4, StateDir: t.TempDir(), Failures: &failures,
	})
	if err != nil || summary.Succeeded != 2000-len(refused) || summary.Failed != len(refused) {
		t.Fatalf("%d written, %d failed, %d of them refused: %v", summary.Succeeded, summary.Failed, len(refused), err)
	}
	f.wantLast(last)
	decoder := json.NewDecoder(&failures)
	for i, number := range refused {
		var failure ingest.Failure
		if err := decoder.Decode(&failure); err != nil || failure.Record != number || failure.File != path || failure.Message == "" {
			t.Fatalf("failure %d is record %d (%s), want %d: %v", i, failure.Record, failure.Message, number, err)
		}
		if summary.Failures[i].Record != number {
			t.Errorf("failure %d of the summary is record %d, want %d", i, summary.Failures[i].Record, number)
		}
	}
	t.Logf("requests: %v", f.requests)
}

// TestKilled: at any moment, the state file acknowledges only records that are written, so
// a kill loses nothing. After an interruption, the next run ends with the last record of
// every entity.
func TestKilled(t *testing.T) {
	f, _ := newFake(t)
	path, last, refused := file(t, 1000)
	to, stop := f.serve()
	failed := map[int]bool{}
	for _, number := range refused {
		failed[number] = true
	}
	dir := t.TempDir()
	o := ingest.Options{Client: to, Registry: model.Default(), BatchSize: 20, InFlight: 4, StateDir: dir}
	acknowledged := func() int {
		var state struct{ Acknowledged int }
		names, err := filepath.Glob(filepath.Join(dir, "*.json"))
		if err != nil || len(names) > 1 {
			t.Error(names, err)
		}
		for _, name := range names {
			text, err := os.ReadFile(name)
			if err == nil {
				err = json.Unmarshal(text, &state)
			}
			if err != nil && !os.IsNotExist(err) {
				t.Error(err)
			}
		}
		return state.Acknowledged
	}
	ctx, kill := context.WithCancel(context.Background())
	arrived, checked := 0, 0
	f.before = func(http.ResponseWriter) bool {
		f.lock.Lock()
		defer f.lock.Unlock()
		if arrived++; arrived == 25 {
			kill()
		}
		mark := acknowledged()
		checked = max(checked, mark)
		for n := 1; n <= mark; n++ {
			if !f.written[fmt.Sprint(n)] && !failed[n] {
				t.Errorf("record %d is acknowledged up to %d, but not written", n, mark)
			}
		}
		return false
	}
	if _, err := ingest.File(ctx, path, o); err == nil {
		t.Fatal("the run was not interrupted")
	}
	stop()
	if checked == 0 || f.count() >= 1000-len(refused) {
		t.Errorf("interrupted after %d records were acknowledged and %d written", checked, f.count())
	}
	mark := acknowledged()
	o.Client, stop = f.serve()
	defer stop()
	summary, err := ingest.File(context.Background(), path, o)
	if err != nil || summary.Skipped != mark || summary.Succeeded+summary.Failed != 1000-mark {
		t.Errorf("the second run, from %d: %+v %v", mark, summary, err)
	}
	f.wantLast(last)
	if f.count() != 1000-len(refused) {
		t.Errorf("%d records are written", f.count())
	}
}

// TestFailingServer: a request that fails temporarily is sent again, while other requests
// continue. A request that fails for good ends the load, and the next run sends the rest.
func TestFailingServer(t *testing.T) {
	f, to := newFake(t)
	path, last, _ := file(t, 400)
	o := ingest.Options{Client: to, Registry: model.Default(), BatchSize: 20, InFlight: 4, StateDir: t.TempDir()}
	var lock sync.Mutex
	arrived := 0
	f.before = func(w http.ResponseWriter) bool {
		lock.Lock()
		defer lock.Unlock()
		switch arrived++; arrived {
		case 3:
			http.Error(w, "", http.StatusServiceUnavailable)
		case 12:
			http.Error(w, `{"message":"who are you","status":401}`, http.StatusUnauthorized)
		default:
			return false
		}
		return true
	}
	if _, err := ingest.File(context.Background(), path, o); err == nil || !strings.Contains(err.Error(), "who are you") {
		t.Fatalf("the first run: %v", err)
	}
	if _, err := ingest.File(context.Background(), path, o); err != nil {
		t.Fatal(err)
	}
	f.wantLast(last)
}

// TestBusyServer: proposals for which the server is too busy are sent again, together with
// the later proposals of the same entity.
func TestBusyServer(t *testing.T) {
	f, to := newFake(t)
	path, last, refused := file(t, 400)
	met := map[string]int{}
	f.busy = func(v value) bool {
		met[v.number]++
		return v.number[len(v.number)-1] == '7' && met[v.number] == 1
	}
	summary, err := ingest.File(context.Background(), path, ingest.Options{Client: to, Registry: model.Default(), BatchSize: 50, InFlight: 4, StateDir: t.TempDir()})
	if err != nil || summary.Failed != len(refused) {
		t.Fatalf("%d refused, not %d: %v", summary.Failed, len(refused), err)
	}
	f.wantLast(last)
}

// TestTooLarge: if the server accepts only smaller requests, batches are divided. A single
// record that is too large fails alone.
func TestTooLarge(t *testing.T) {
	var got sync.Map
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.Body = http.MaxBytesReader(w, r.Body, 5000)
		values, err := decode(r)
		if err != nil {
			http.Error(w, `{"status":413,"message":"too large"}`, http.StatusRequestEntityTooLarge)
			return
		}
		for _, v := range values {
			got.Store(v.number, true)
		}
		fmt.Fprintf(w, `{"value":{"results":[%s]}}`, strings.TrimSuffix(strings.Repeat(`{"status":"ok"},`, len(values)), ","))
	}))
	defer server.Close()
	var text strings.Builder
	for n := 1; n <= 100; n++ {
		name := "n"
		if n == 40 || n == 41 {
			name = strings.Repeat("x", 6000)
		}
		text.WriteString([]string{proposal(n, fmt.Sprint(n), name), snapshot(n, fmt.Sprint(n), name)}[n%2])
	}
	summary, err := ingest.File(context.Background(), "-", ingest.Options{
		Client: client.New(server.URL, "", time.Minute), Registry: model.Default(), BatchSize: 100, InFlight: 4, Stdin: strings.NewReader(text.String()),
	})
	if err != nil || summary.Succeeded != 98 || summary.Failed != 2 || summary.Failures[0].Record != 40 || summary.Failures[1].Record != 41 {
		t.Errorf("%d written, %d failed: %v", summary.Succeeded, summary.Failed, err)
	}
	for n := 1; n <= 100; n++ {
		if _, ok := got.Load(fmt.Sprint(n)); ok == (n == 40 || n == 41) {
			t.Errorf("record %d is written: %t", n, ok)
		}
	}
}
