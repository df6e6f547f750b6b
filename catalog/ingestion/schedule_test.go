package ingestion_test

import (
	"strings"
	"testing"
	"time"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/catalogtest"
	"github.com/headwater-io/headwater/catalog/ingestion"
)

// TestMoments: a run at a fixed hour happens once on each day, also when clocks are put forward over the hour
// or back to it. A run of every hour happens each hour.
func TestMoments(t *testing.T) {
	for name, c := range map[string]struct {
		interval, zone, from string
		want                 []string
	}{
		"each day":               {"30 9 * * *", "UTC", "2026-11-28T09:30:00Z", []string{"2026-11-29T09:30:00Z", "2026-11-30T09:30:00Z"}},
		"of a zone":              {"0 2 * * *", "Asia/Kolkata", "2026-11-28T00:00:00Z", []string{"2026-11-28T20:30:00Z"}},
		"@daily":                 {"@daily", "Europe/Berlin", "2026-07-01T00:00:00Z", []string{"2026-07-01T22:00:00Z"}},
		"Sunday is 7":            {"0 0 * * 7", "", "2026-11-28T00:00:00Z", []string{"2026-11-29T00:00:00Z", "2026-12-06T00:00:00Z"}},
		"to Sunday":              {"0 0 * * 6-7", "", "2026-11-27T00:00:00Z", []string{"2026-11-28T00:00:00Z", "2026-11-29T00:00:00Z", "2026-12-05T00:00:00Z"}},
		"put forward":            {"30 2 * * *", "America/New_York", "2026-03-07T12:00:00Z", []string{"2026-03-08T07:00:00Z", "2026-03-09T06:30:00Z"}},
		"often in the gap":       {"*/10 2 * * *", "America/New_York", "2026-03-08T06:00:00Z", []string{"2026-03-08T07:00:00Z", "2026-03-09T06:00:00Z"}},
		"after the gap":          {"30 3 * * *", "America/New_York", "2026-03-08T06:59:00Z", []string{"2026-03-08T07:30:00Z"}},
		"put back":               {"30 1 * * *", "America/New_York", "2026-10-31T12:00:00Z", []string{"2026-11-01T05:30:00Z", "2026-11-02T06:30:00Z"}},
		"within the second hour": {"30 1 * * *", "America/New_York", "2026-11-01T06:10:00Z", []string{"2026-11-02T06:30:00Z"}},
		"hourly, put forward":    {"0 * * * *", "America/New_York", "2026-03-08T06:00:00Z", []string{"2026-03-08T07:00:00Z", "2026-03-08T08:00:00Z"}},
		"hourly, put back":       {"0 * * * *", "America/New_York", "2026-11-01T05:00:00Z", []string{"2026-11-01T06:00:00Z", "2026-11-01T07:00:00Z"}},
		"@hourly, put back":      {"@hourly", "America/New_York", "2026-11-01T05:00:00Z", []string{"2026-11-01T06:00:00Z", "2026-11-01T07:00:00Z"}},
		"half an hour":           {"15 2 * * *", "Australia/Lord_Howe", "2026-10-03T00:00:00Z", []string{"2026-10-03T15:30:00Z", "2026-10-04T15:15:00Z"}},
	} {
		schedule := ingestion.Schedule{Interval: c.interval, Zone: c.zone}
		at, err := time.Parse(time.RFC3339, c.from)
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range c.want {
			if at, err = schedule.After(at); err != nil || at.UTC().Format(time.RFC3339) != want {
				t.Errorf("%s: %s, %v, want %s", name, at.UTC().Format(time.RFC3339), err, want)
			}
		}
	}
}

// TestWrongSources: each is refused, says why, and stores nothing.
func TestWrongSources(t *testing.T) {
	h := newHouse(t)
	before := h.State()
	good := func() *ingestion.Source { return &ingestion.Source{Name: "Shop", Type: "postgres", Recipe: recipe} }
	scheduled := func(interval, zone string) *ingestion.Source {
		s := good()
		s.Schedule = &ingestion.Schedule{Interval: interval, Zone: zone}
		return s
	}
	of := func(change func(*ingestion.Source)) *ingestion.Source {
		s := good()
		change(s)
		return s
	}
	for _, c := range []struct {
		source *ingestion.Source
		says   string
	}{
		{of(func(s *ingestion.Source) { s.Name = " " }), "the name must not be blank"},
		{of(func(s *ingestion.Source) { s.Type = "" }), "the type must not be blank"},
		{of(func(s *ingestion.Source) { s.Recipe = " " }), "the recipe must not be blank"},
		{of(func(s *ingestion.Source) { s.Recipe = "source:\n  type: x" }), "the recipe must be a JSON object"},
		{of(func(s *ingestion.Source) { s.Recipe = "null" }), "the recipe must be a JSON object"},
		{of(func(s *ingestion.Source) { s.Recipe = `[1]` }), "the recipe must be a JSON object"},
		{of(func(s *ingestion.Source) { s.Recipe = `{}` }), "the recipe must name the type of its source"},
		{of(func(s *ingestion.Source) { s.Recipe = `{"source":"x"}` }), "the recipe must name the type of its source"},
		{of(func(s *ingestion.Source) { s.Recipe = `{"source":{"type":""}}` }), "the recipe must name the type of its source"},
		{of(func(s *ingestion.Source) { s.ExtraArgs = map[string]string{"retries": "many"} }), `must be a number from 0 to 10, and not "many"`},
		{of(func(s *ingestion.Source) { s.ExtraArgs = map[string]string{"retries": "-1"} }), "must be a number from 0 to 10"},
		{scheduled("", "UTC"), "must have five fields"},
		{scheduled("0 0 * *", "UTC"), "must have five fields"},
		{scheduled("0 0 0 * * *", "UTC"), "must have five fields"},
		{scheduled("TZ=UTC 0 0 * * *", "UTC"), "must have five fields"},
		{scheduled("TZ=UTC 0 * * *", "UTC"), "must have five fields"},
		{scheduled("61 0 * * *", "UTC"), "above maximum"},
		{scheduled("0 0 30 2 *", "UTC"), "the day does not exist"},
		{scheduled("@every 5m", "UTC"), "is unknown; without fields there are @yearly"},
		{scheduled("@reboot", "UTC"), "is unknown; without fields there are @yearly"},
		{scheduled("0 0 * * *", "Berlin"), "the time zone Berlin is unknown"},
		{scheduled("0 0 * * *", "Local"), "the time zone Local is unknown"},
		{scheduled("0 0 * * *", "../etc/passwd"), "is unknown"},
	} {
		codeIs(t, h.Ingestion.Put(t.Context(), catalogtest.URN(source), c.source, byAda), catalog.Invalid, c.says)
	}
	codeIs(t, h.Ingestion.Put(t.Context(), catalogtest.URN("urn:li:tag:x"), good(), byAda), catalog.Invalid, "is not a dataHubIngestionSource")
	if h.State() != before {
		t.Error("a source that was refused has stored something")
	}
}

// TestPut: a source without a schedule has none afterwards; its maker and its platform stay.
func TestPut(t *testing.T) {
	h := newHouse(t)
	h.Say(source, "dataHubIngestionSourceInfo", `{"name":"a","type":"b","platform":"urn:li:dataPlatform:hive","source":{"type":"SYSTEM"},"config":{"recipe":"{}"}}`)
	stored := func() string {
		var value struct {
			Schedule *ingestion.Schedule
			Platform string
			Source   struct{ Type string }
		}
		h.aspect(source, "dataHubIngestionSourceInfo", &value)
		if value.Platform != "urn:li:dataPlatform:hive" || value.Source.Type != "SYSTEM" {
			t.Errorf("the source is %+v", value)
		}
		if value.Schedule == nil {
			return ""
		}
		return value.Schedule.Interval + " " + value.Schedule.Zone
	}
	next := func() int64 {
		t.Helper()
		found, err := h.Ingestion.NextRuns(t.Context(), []string{source})
		if err != nil {
			t.Fatal(err)
		}
		return found[source]
	}
	h.put("0 3 * * *", "Europe/Berlin", nil)
	if got, want := stored(), "0 3 * * * Europe/Berlin"; got != want || next() != time.Date(2026, 11, 29, 2, 0, 0, 0, time.UTC).UnixMilli() {
		t.Errorf("%q, next at %d", got, next())
	}
	h.put("0 4 * * *", " ", nil)
	if got, want := stored(), "0 4 * * * UTC"; got != want || next() != time.Date(2026, 11, 29, 4, 0, 0, 0, time.UTC).UnixMilli() {
		t.Errorf("%q, next at %d", got, next())
	}
	h.put("", "", nil)
	if got := stored(); got != "" || next() != 0 {
		t.Errorf("%q, next at %d", got, next())
	}
	made, err := h.Ingestion.Create(t.Context(), &ingestion.Source{Name: "New", Type: "x", Recipe: recipe}, byAda)
	if err != nil || !strings.HasPrefix(made.String(), "urn:li:dataHubIngestionSource:") {
		t.Errorf("%s, %v", made, err)
	}
}
