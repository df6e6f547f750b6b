package sample

import "strings"

// An event has the writes of one moment.
type event struct {
	// at is the moment in UTC. by is the person whose name is recorded with the writes. run is
	// the run of the writes.
	at, by, run string
	write       func(*builder)
	// bad: the writes are rolled back later.
	bad bool
	// weekly: the event is one of the runs that read the profiles of a week.
	weekly bool
	// rollsBack is the run that the event rolls back, if the event does not write.
	rollsBack string
}

func (e *event) moment() int64 { return millis(e.at) }

// pipeline is the pipeline of the run. Its name is the name of the run without the day. An
// event of a person has no pipeline.
func (e *event) pipeline() string {
	pipeline, ofDay := strings.CutSuffix(e.run, "-"+e.at[:len(firstDay)])
	if !ofDay {
		return ""
	}
	return pipeline
}

// The days of the story to which more than one place refers.
const (
	firstDay = "2026-10-05"
	renamed  = "2026-10-20"
	badDay   = "2026-11-11"
)

// The runs to which more than one event refers.
const (
	runCuration = "larkspur-curation"
	runBad      = "larkspur-nightly-" + badDay
)

// story has the events in order. The documentation of the package and docs/sample.md tell the
// story in words.
var story = []event{
	{at: "2026-10-05T08:00", by: "tessa.quill", run: "larkspur-setup", write: func(b *builder) {
		b.platforms()
		b.people()
		b.vocabulary()
	}},
	{at: "2026-10-06T03:00", by: "omar.reyes", run: "larkspur-nightly-2026-10-06", write: func(b *builder) {
		b.warehouse(opened)
		b.jobs()
		b.reports("board", "sales", "close", "delivery")
		b.machineLearning()
		b.churnModel(1)
	}},
	{at: "2026-10-12T04:00", by: "omar.reyes", run: "larkspur-profiles-2026-10-12", write: func(b *builder) {
		b.checks()
		b.activity("2026-10-05", "2026-10-12")
	}},
	nightly("2026-10-13", carrierAdded),
	{at: "2026-10-14T10:20", by: "bela.norris", run: runCuration, write: (*builder).certification},
	profiles("2026-10-12", "2026-10-19"),
	nightly(renamed, netRenamed),
	{at: "2026-10-21T13:45", by: "mira.castel", run: runCuration, write: (*builder).definition},
	{at: "2026-10-23T17:00", by: "tessa.quill", run: "larkspur-people-2026-10-23", write: (*builder).departure},
	profiles("2026-10-19", "2026-10-26"),
	{at: "2026-10-26T09:10", by: "tessa.quill", run: runCuration, write: (*builder).handover},
	{at: "2026-10-29T03:00", by: "omar.reyes", run: "larkspur-nightly-2026-10-29", write: func(b *builder) {
		b.warehouse(packExported)
		b.newBoardPack()
	}},
	{at: "2026-10-30T15:30", by: "jun.petrov", run: runCuration, write: (*builder).hints},
	nightly("2026-11-01", searchesAdded),
	profiles("2026-10-26", "2026-11-02"),
	{at: "2026-11-03T08:30", by: "ada.wren", run: "larkspur-looker-2026-11-03", write: func(b *builder) { b.reports("campaigns") }},
	{at: "2026-11-03T08:30", by: "ada.wren", write: func(b *builder) { b.lookerRun("SUCCESS", "2 dashboards were read.") }},
	{at: "2026-11-05T12:00", by: "jun.petrov", run: "larkspur-mlflow-2026-11-05", write: func(b *builder) { b.churnModel(2) }},
	nightly("2026-11-08", pricesStaged),
	profiles("2026-11-02", "2026-11-09"),
	{at: "2026-11-09T10:15", by: "ada.wren", run: runCuration, write: (*builder).privacy},
	{at: badDay + "T03:00", by: "omar.reyes", run: runBad, write: (*builder).testWarehouse, bad: true},
	{at: badDay + "T09:42", by: "ines.falk", rollsBack: runBad},
	{at: "2026-11-12T14:05", by: "piet.hollis", run: runCuration, write: (*builder).deprecation},
	{at: "2026-11-13T11:30", by: "mira.castel", run: runCuration, write: (*builder).product},
	profiles("2026-11-09", "2026-11-16"),
	{at: "2026-11-16T16:00", by: "tessa.quill", run: runCuration, write: (*builder).retirement},
	{at: "2026-11-18T08:30", by: "ada.wren", write: func(b *builder) { b.lookerRun("FAILURE", "Looker refuses the password.") }},
	profiles("2026-11-16", "2026-11-20"),
}

// nightly is a run that reads the whole warehouse at night. The runs of nights that are not in
// the story found no changes.
func nightly(date string, s state) event {
	return event{at: date + "T03:00", by: "omar.reyes", run: "larkspur-nightly-" + date, write: func(b *builder) { b.warehouse(s) }}
}

// profiles is a run that reads the activity of the days from one date up to another, on which
// the run takes place.
func profiles(from, to string) event {
	return event{at: to + "T04:00", by: "omar.reyes", run: "larkspur-profiles-" + to, weekly: true, write: func(b *builder) { b.activity(from, to) }}
}
