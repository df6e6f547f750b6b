package ingestion

import (
	"hash/fnv"
	"slices"
	"strings"
	"time"
	_ "time/tzdata" // time zones also on machines that have none

	"github.com/robfig/cron/v3"

	"github.com/headwater-io/headwater/catalog"
)

// Schedule says when a source runs.
type Schedule struct {
	// Interval is a cron expression with five fields, or one such as @daily.
	Interval string `json:"interval"`
	// Zone is the name of a time zone, such as Europe/Berlin; "" means UTC.
	Zone string `json:"timezone"`
}

func (s *Schedule) zone() string {
	if strings.TrimSpace(s.Zone) == "" {
		return "UTC"
	}
	return strings.TrimSpace(s.Zone)
}

// plain returns the schedule as it is stored and compared.
func (s *Schedule) plain() Schedule {
	return Schedule{Interval: strings.TrimSpace(s.Interval), Zone: s.zone()}
}

// descriptors are the expressions without fields.
var descriptors = []string{"@yearly", "@annually", "@monthly", "@weekly", "@daily", "@midnight", "@hourly"}

// moments are the moments of a schedule.
type moments struct {
	fields cron.Schedule
	zone   *time.Location
	// everyHour: the field of hours has no hours of its own, so that the runs follow each other with the time
	// that passes, also when clocks are put forward or back.
	everyHour bool
}

var fiveFields = cron.NewParser(cron.Minute | cron.Hour | cron.Dom | cron.Month | cron.Dow | cron.Descriptor)

// parse checks a schedule.
func (s *Schedule) parse() (*moments, error) {
	if err := checkText("the cron expression", s.Interval); err != nil {
		return nil, err
	}
	if err := checkText("the time zone", s.Zone); err != nil {
		return nil, err
	}
	text := strings.TrimSpace(s.Interval)
	fields := strings.Fields(text)
	switch {
	case strings.HasPrefix(text, "@") && !slices.Contains(descriptors, text):
		return nil, catalog.Errorf(catalog.Invalid, "the cron expression %s is unknown; without fields there are %s", text, strings.Join(descriptors, ", "))
	case strings.HasPrefix(text, "@"):
	case len(fields) != 5 || strings.Contains(text, "="):
		return nil, catalog.Errorf(catalog.Invalid, "the cron expression %q must have five fields: minute, hour, day of the month, month, day of the week", text)
	default:
		fields[4] = withoutSeven(fields[4])
		text = strings.Join(fields, " ")
	}
	parsed, err := fiveFields.Parse(text)
	if err != nil {
		return nil, catalog.Errorf(catalog.Invalid, "the cron expression %q: %w", s.Interval, err)
	}
	zone, err := time.LoadLocation(s.zone())
	if err != nil || s.zone() == "Local" {
		return nil, catalog.Errorf(catalog.Invalid, "the time zone %s is unknown; the names are such as UTC or Europe/Berlin", s.Zone)
	}
	m := &moments{fields: parsed, zone: zone, everyHour: text == "@hourly" || len(fields) == 5 && strings.HasPrefix(fields[1], "*")}
	if m.after(time.Unix(0, 0)).IsZero() {
		return nil, catalog.Errorf(catalog.Invalid, "the cron expression %q has no moment: the day does not exist", s.Interval)
	}
	return m, nil
}

// withoutSeven spells the Sunday of a field of days of the week as 0, where it is 7.
func withoutSeven(field string) string {
	parts := strings.Split(field, ",")
	for i, part := range parts {
		switch {
		case part == "7":
			parts[i] = "0"
		case strings.HasSuffix(part, "-7") && len(part) == 3 && part[0] >= '1' && part[0] < '7':
			parts[i] = part[:2] + "6,0"
		}
	}
	return strings.Join(parts, ",")
}

// after returns the first moment after another one, the zero time if there is none within five years.
//
// A run at a fixed hour happens once on each of its days. If clocks are put forward over its hour, it happens
// at the end of the gap; if they are put back and the hour comes twice, at the first time.
func (m *moments) after(t time.Time) time.Time {
	t = t.In(m.zone)
	if m.everyHour {
		return m.fields.Next(t)
	}
	for wall := onWall(t); ; {
		if wall = m.fields.Next(wall); wall.IsZero() {
			return wall
		}
		if found := ofWall(wall, m.zone); found.After(t) {
			return found
		}
	}
}

// onWall returns the local time that t shows, as a time in UTC.
func onWall(t time.Time) time.Time {
	return time.Date(t.Year(), t.Month(), t.Day(), t.Hour(), t.Minute(), t.Second(), t.Nanosecond(), time.UTC)
}

// ofWall returns the first moment at which a clock on the wall shows a time or, if none shows it, the moment
// at which it was put forward over it.
func ofWall(wall time.Time, zone *time.Location) time.Time {
	// If clocks change near this moment, the offsets a day before and a day after are the offsets
	// before and after the change.
	const day = 24 * time.Hour
	_, before := wall.Add(-day).In(zone).Zone()
	_, after := wall.Add(day).In(zone).Zone()
	early := wall.Add(-time.Duration(max(before, after)) * time.Second).In(zone)
	late := wall.Add(-time.Duration(min(before, after)) * time.Second).In(zone)
	switch {
	case onWall(early).Equal(wall):
		return early
	case onWall(late).Equal(wall):
		return late
	}
	// Clocks are put forward between early and late. The change is at a full minute.
	for step := early.Truncate(time.Minute); ; step = step.Add(time.Minute) {
		if onWall(step).After(wall) {
			return step
		}
	}
}

// jitter returns the part of the setting by which a source runs later.
func (s *Service) jitter(source string) time.Duration {
	if s.Jitter < time.Second {
		return 0
	}
	h := fnv.New64a()
	_, _ = h.Write([]byte(source)) // a hash takes every write
	return time.Duration(h.Sum64()%uint64(s.Jitter/time.Second)) * time.Second
}
