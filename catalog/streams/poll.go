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

// The topics that can be polled, as clients of Kafka know them.
const (
	// TopicVersioned has the changes of aspects with versions, TopicSeries those of time series.
	TopicVersioned = "MetadataChangeLog_Versioned_v1"
	TopicSeries    = "MetadataChangeLog_Timeseries_v1"
	// TopicPlatform has what changes mean: entity change events.
	TopicPlatform = "PlatformEvent_v1"
)

// Poll asks for the events of a topic.
type Poll struct {
	Topic string
	// Offset is that of an earlier answer; "" is the end of the log or, with Days, the events of
	// so many days.
	Offset string
	Days   int
	// Limit is how many changes have the events of an answer at most. Wait is how long to wait
	// for an event, at most limits.PollSeconds.
	Limit int
	Wait  time.Duration
}

// PolledLog is what polled events are read from.
type PolledLog interface {
	Log
	EndOfChanges(ctx context.Context) (string, error)
	OldestChanges(ctx context.Context) (string, error)
	Moment() time.Time
}

// Poll returns events of a topic and the offset to continue from.
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

// maxDays is more than any log has.
const maxDays = 10_000

// sinceMark begins an offset with the time from which events are wanted: the log before it is
// read too, and not sent.
const sinceMark = "since"

// offsetOf is the offset of a cursor. An offset is never empty, because clients leave an empty
// one out, which would mean the end of the log.
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

// ofTopic selects the events of a topic.
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
