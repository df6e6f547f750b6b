package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"time"
)

const (
	// eventClients is how many clients send events at once, eventsOfRound how many events of one round.
	eventClients  = 16
	eventsOfRound = 6_000
	// eventJobs is how many jobs run again and again.
	eventJobs = 200
	// eventColumns is how many columns the schemas of an input and of the output have. Each column of the output has
	// its column lineage.
	eventColumns = 8
	// eventsTarget is the wanted ratio of the rate of events to the rate of proposals of the same size. An
	// event becomes ten aspects of four entities, and its states.
	eventsTarget = 0.2
	// eventsOfOthers is how many events of one round another catalog takes, and otherTarget the wanted ratio to its rate.
	eventsOfOthers = 1_500
	otherTarget    = 20
)

// event returns an event of about 3 KB. Two events make a run; each run is of one of eventJobs jobs, which
// reads two tables and writes a third. The read columns are in the schema of their table, because Marquez keeps column lineage
// only of columns that the run's inputs have told of. Later rounds have later times. Either all runs of a job repeat its schema and
// column lineage, as most jobs do from day to day, or each event has columns of its own.
func event(round, i int, repeated bool) []byte {
	run, kind, of := i/2, "START", ""
	if !repeated {
		of = fmt.Sprintf("_%d_%d", round, i)
	}
	if i%2 == 1 {
		kind = "COMPLETE"
	}
	job := run % eventJobs
	table := func(side string) string {
		return fmt.Sprintf(`"namespace":"postgres://warehouse:5432","name":"shop.%s.table_%d"`, side, job)
	}
	column := func(name string) string { return fmt.Sprintf(`{"name":%q,"type":"VARCHAR"}`, name) }
	var read, fields, lineage []string
	for n := range eventColumns {
		read = append(read, column(fmt.Sprintf("column_%d", n)))
		fields = append(fields, column(fmt.Sprintf("column_%d%s", n, of)))
		lineage = append(lineage, fmt.Sprintf(`"column_%d%s":{"inputFields":[{%s,"field":"column_%[1]d","transformations":[{"type":"DIRECT","subtype":"IDENTITY"}]}]}`, n, of, table("raw")))
	}
	return fmt.Appendf(nil, `{"eventType":%q,"eventTime":"2026-11-27T%02d:%02d:%02d.%03dZ","producer":"https://github.com/headwater-io/headwater/bench","schemaURL":"https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/RunEvent",`+
		`"run":{"runId":"0000%04x-0000-7000-8000-%012x"},"job":{"namespace":"nightly","name":"job_%d"},"inputs":[{%s,"facets":{"schema":{%s,"fields":[%s]}}},{%s}],`+
		`"outputs":[{%s,"facets":{"schema":{%s,"fields":[%s]},"columnLineage":{%s,"fields":{%s}}}}]}`,
		kind, round%24, i/60_000%60, i/1000%60, i%1000, round, run, job, table("raw"), facet("1-1-1/SchemaDatasetFacet"), strings.Join(read, ","), table("reference"), table("mart"),
		facet("1-1-1/SchemaDatasetFacet"), strings.Join(fields, ","), facet("1-2-0/ColumnLineageDatasetFacet"), strings.Join(lineage, ","))
}

// facet returns the members that every facet has.
func facet(schema string) string {
	return `"_producer":"https://github.com/headwater-io/headwater/bench","_schemaURL":"https://openlineage.io/spec/facets/` + schema + `.json"`
}

// onOpenLineage compares events, each written durably before its answer, with proposals of the same size, with a
// server that only decodes the JSON of the same events, and with a program that only inserts the rows that the events have
// left in the store.
func (b *bench) onOpenLineage(ctx context.Context) error {
	data := filepath.Join(b.dir, "openlineage")
	s, err := startServer(ctx, b.binary, "--data", data)
	if err != nil {
		return err
	}
	defer s.stop() //nolint:errcheck // the figures are taken
	bare, err := newDecoder()
	if err != nil {
		return err
	}
	defer bare.server.Close()
	other := &receiver{url: b.marquez + "/api/v1/lineage", client: bare.client}
	size := len(event(0, 1, true))
	processor := map[bool][]float64{}
	sent := 0
	events := func(round int, repeated bool) (figure, error) {
		f, cost, err := s.costed(ctx, eventClients, eventsOfRound, func(ctx context.Context, i int) error {
			_, err := s.post(ctx, "/api/v1/lineage", event(round, i, repeated))
			return err
		})
		processor[repeated] = append(processor[repeated], cost.Seconds()*1000)
		sent += eventsOfRound
		return f, err
	}
	var left *rowsImage
	leftBy := 0
	rows := func(round int) (_ figure, err error) {
		if left == nil {
			if left, err = rowsIn(ctx, data); err != nil {
				return figure{}, err
			}
			leftBy = sent
			fmt.Printf("OpenLineage: an event leaves %.1f rows in the store\n", float64(left.rows)/float64(leftBy))
		}
		return bareLoad(ctx, leftBy, left, filepath.Join(b.dir, fmt.Sprintf("openlineage-rows-%d", round)))
	}
	decoding := func(round int) (figure, error) {
		return measure(ctx, eventClients, eventsOfRound, func(ctx context.Context, i int) error {
			return bare.post(ctx, event(round, i, true))
		})
	}
	proposals := func(round int) (figure, error) {
		return s.measure(ctx, eventClients, eventsOfRound, func(ctx context.Context, i int) error {
			value, err := json.Marshal(fmt.Sprintf(`{"description":"%d %s"}`, round, strings.Repeat("x", size-300)))
			if err != nil {
				return err
			}
			_, err = s.post(ctx, "/aspects?action=ingestProposal", fmt.Appendf(nil, `{"proposal":{"entityType":"dataset","entityUrn":"urn:li:dataset:(urn:li:dataPlatform:hive,bench.table_%d,PROD)","changeType":"UPSERT","aspectName":"datasetProperties","aspect":{"contentType":"application/json","value":%s}}}`, i%eventJobs, value))
			return err
		})
	}
	title := fmt.Sprintf("OpenLineage: events of %.1f KB, %d clients, ", float64(size)/1000, eventClients)
	marquez := func(round int) (figure, error) {
		return measure(ctx, eventClients, eventsOfOthers, func(ctx context.Context, i int) error {
			return other.postUntilTaken(ctx, event(round, i, true))
		})
	}
	type row struct {
		name     string
		target   float64
		repeated bool
		theirs   func(int) (figure, error)
	}
	compared := []row{
		{"and decoding alone", 0, true, decoding},
		{"and SQLite, which only inserts their rows", 0, true, rows},
		{"and proposals", eventsTarget, true, proposals},
		{"new columns in each, and proposals", 0, false, proposals},
	}
	if b.marquez != "" {
		compared = append(compared, row{"and Marquez", otherTarget, true, marquez})
	}
	for i, row := range compared {
		if err := b.add(title+row.name, row.target, func(round int) (figure, error) { return events(i*b.repetitions+round, row.repeated) }, row.theirs); err != nil {
			return err
		}
	}
	fmt.Printf("OpenLineage: processor time of the server for an event: %.2f ms if jobs repeat their columns, %.2f ms in the first round, which makes the jobs and datasets, %.2f ms if each event has new columns\n",
		median(processor[true]), processor[true][0], median(processor[false]))
	return nil
}

// receiver is a server that takes events.
type receiver struct {
	url    string
	client *http.Client
}

// decoder is a server that only decodes JSON.
type decoder struct {
	receiver
	server *http.Server
}

func newDecoder() (*decoder, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	d := &decoder{receiver: receiver{"http://" + listener.Addr().String(), &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 64}}}}
	d.server = &http.Server{ReadHeaderTimeout: time.Minute, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var event any
		if err := json.NewDecoder(r.Body).Decode(&event); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		fmt.Fprint(w, `{"status":"success"}`) //nolint:errcheck // the client counts answers
	})}
	go d.server.Serve(listener) //nolint:errcheck // it ends when it is closed
	return d, nil
}

// postUntilTaken sends an event again that the server could not take, as producers do: Marquez fails where two
// events about one dataset meet.
func (r *receiver) postUntilTaken(ctx context.Context, body []byte) error {
	const tries = 10
	var err error
	for range tries {
		if err = r.post(ctx, body); err == nil || ctx.Err() != nil {
			return err
		}
	}
	return err
}

func (r *receiver) post(ctx context.Context, body []byte) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, r.url, bytes.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := r.client.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	switch answer, err := io.ReadAll(resp.Body); {
	case err != nil:
		return err
	case resp.StatusCode != http.StatusOK && resp.StatusCode != http.StatusCreated:
		return fmt.Errorf("%s answers %s: %.300s", r.url, resp.Status, answer)
	}
	return nil
}
