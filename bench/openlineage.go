package main

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
)

const (
	// eventClients is how many clients send events at once, eventsOfRound how many events of one round.
	eventClients  = 16
	eventsOfRound = 6_000
	// eventJobs is how many jobs run again and again.
	eventJobs = 200
	// eventColumns is how many columns the schema of an output has, each with its column lineage.
	eventColumns = 10
	// eventsTarget is the wanted ratio of the rate of events to the rate of proposals of the same size. What
	// follows from an event is ten aspects of four entities, and its states.
	eventsTarget = 0.2
)

// event returns an event of about 3 KB. Two events make a run; each run is of one of eventJobs jobs, which
// reads two tables and writes a third.
func event(round, i int) []byte {
	run, kind := i/2, "START"
	if i%2 == 1 {
		kind = "COMPLETE"
	}
	job := run % eventJobs
	table := func(side string) string {
		return fmt.Sprintf(`"namespace":"postgres://warehouse:5432","name":"shop.%s.table_%d"`, side, job)
	}
	var fields, lineage []string
	for n := range eventColumns {
		fields = append(fields, fmt.Sprintf(`{"name":"column_%d","type":"VARCHAR"}`, n))
		lineage = append(lineage, fmt.Sprintf(`"column_%d":{"inputFields":[{%s,"field":"column_%[1]d","transformations":[{"type":"DIRECT","subtype":"IDENTITY"}]}]}`, n, table("raw")))
	}
	return fmt.Appendf(nil, `{"eventType":%q,"eventTime":"2026-11-27T10:%02d:%02d.%03dZ","producer":"https://github.com/headwater-io/headwater/bench","schemaURL":"https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/RunEvent",`+
		`"run":{"runId":"0000%04x-0000-7000-8000-%012x"},"job":{"namespace":"nightly","name":"job_%d"},"inputs":[{%s},{%s}],`+
		`"outputs":[{%s,"facets":{"schema":{"fields":[%s]},"columnLineage":{"fields":{%s}}}}]}`,
		kind, i/60_000%60, i/1000%60, i%1000, round, run, job, table("raw"), table("reference"), table("mart"), strings.Join(fields, ","), strings.Join(lineage, ","))
}

// onOpenLineage compares events with proposals of the same size, each written durably before its answer.
func (b *bench) onOpenLineage(ctx context.Context) error {
	s, err := startServer(ctx, b.binary, "--data", filepath.Join(b.dir, "openlineage"))
	if err != nil {
		return err
	}
	defer s.stop() //nolint:errcheck // the figures are taken
	size := len(event(0, 1))
	events := func(round int) (figure, error) {
		return s.measure(ctx, eventClients, eventsOfRound, func(ctx context.Context, i int) error {
			_, err := s.post(ctx, "/api/v1/lineage", event(round, i))
			return err
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
	return b.add(fmt.Sprintf("OpenLineage: events of %.1f KB, %d clients, and proposals of the same size", float64(size)/1000, eventClients), eventsTarget, events, proposals)
}
