package streams

import (
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/internal/nearest"
)

// These are the topics that can be polled, by the names that clients of Kafka know.
const (
	// TopicVersioned has the changes of aspects with versions, and TopicSeries has the changes of
	// time series.
	TopicVersioned = "MetadataChangeLog_Versioned_v1"
	TopicSeries    = "MetadataChangeLog_Timeseries_v1"
	// TopicPlatform has the entity change events of changes.
	TopicPlatform = "PlatformEvent_v1"
)

// Poll asks for the events of a topic.
type Poll struct {
	Topic string
	// Offset is the offset of an earlier answer. If Offset is "", the poll begins at the end of
	// the log or, if Days is set, with the events of that number of days.
	Offset string
	Days   int
	// Limit bounds the changes whose events are in an answer. Wait bounds the time to wait for an
	// event; it is at most limits.PollSeconds.
	Limit int
	Wait  time.Duration
}

// PolledLog is the part of the change log from which polled events are read.
type PolledLog interface {
	Log
	EndOfChanges(ctx context.Context) (string, error)
	OldestChanges(ctx context.Context) (string, error)
	Moment() time.Time
}

// Poll returns events of a topic, and the offset from which the next poll continues.
func (s *Service) Poll(ctx context.Context, log PolledLog, p Poll) (events []Event, offset string, err error) {
	if p.Limit < 1 {
		return nil, "", catalog.Errorf(catalog.Invalid, "limit must be at least 1")
	}
	if p.Days < 0 {
		return nil, "", catalog.Errorf(catalog.Invalid, "lookbackWindowDays must not be negative")
	}
	selected, err := s.ofTopic(p.Topic)
	if err != nil {
		return nil, "", err
	}
	from := ""
	switch {
	case p.Offset != "":
		selected.since, from, err = readOffset(p.Offset)
	case p.Days > 0:
		selected.since = log.Moment().AddDate(0, 0, -min(p.Days, maxDays)).UnixMilli()
		from, err = log.OldestChanges(ctx)
	default:
		from, err = log.EndOfChanges(ctx)
	}
	if err != nil {
		return nil, "", err
	}
	events, next, err := selected.Await(ctx, log, from, min(p.Limit, catalog.MaxChanges), min(max(p.Wait, 0), limits.PollSeconds*time.Second))
	return events, offsetOf(selected.since, next), err
}

// maxDays is more than the age of any log.
const maxDays = 10_000

// sinceMark begins an offset with a time: events before the time are read but not sent.
const sinceMark = "since"

// offsetOf returns the offset of a cursor. An offset is never empty, because clients leave an
// empty offset out, and a poll without an offset begins at the end of the log.
func offsetOf(since int64, cursor string) string {
	if since == 0 && cursor != "" {
		return cursor
	}
	return sinceMark + strconv.FormatInt(since, 10) + "/" + cursor
}

func readOffset(offset string) (since int64, cursor string, err error) {
	rest, marked := strings.CutPrefix(offset, sinceMark)
	if !marked {
		return 0, offset, nil
	}
	number, cursor, ok := strings.Cut(rest, "/")
	since, err = strconv.ParseInt(number, 10, 64)
	if err != nil || !ok || since < 0 {
		return 0, "", catalog.Errorf(catalog.Invalid, "offsetId %s is not that of an earlier answer", offset)
	}
	return since, cursor, nil
}

// ofTopic returns the selection of the events of a topic.
func (s *Service) ofTopic(topic string) (*Selection, error) {
	selected := &Selection{service: s, filter: Filter{Format: FormatChange}, urns: map[string]bool{}}
	series := topic == TopicSeries
	switch {
	case topic == TopicVersioned, series:
		selected.series = &series
	case topic == TopicPlatform && s.derived != nil:
		selected.filter.Format = FormatEntityChange
	default:
		known := []string{TopicVersioned, TopicSeries, TopicPlatform}
		return nil, catalog.Errorf(catalog.Invalid, "unknown topic %s%s", topic, nearest.Among(topic, known, "topics"))
	}
	return selected, nil
}

// isSeries reports whether an aspect is a time series.
func (s *Service) isSeries(aspect string) bool {
	spec, ok := s.registry.Aspect(aspect)
	return ok && spec.TimeSeries
}
