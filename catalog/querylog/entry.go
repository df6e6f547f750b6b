package querylog

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/headwater-io/headwater/internal/limits"
)

// Entry is an entry of a log: a statement that ran once or several times.
type Entry struct {
	// Line is where the entry begins in the log, from 1.
	Line      int
	Statement string
	// User is as the log names it: a name, an e-mail address or a URN; "" if it is not known.
	User string
	// Time is when the statement ran, or ran last; zero if it is not known.
	Time time.Time
	// Count is how often the statement ran.
	Count int64
	// Database and Schema are the database and the schema in which the statement ran; "" if they are not known.
	Database, Schema string
}

// set sets a member of an entry by its text.
func (e *Entry) set(m member, text string) error {
	if m == ofQuery {
		e.Statement = text
		return nil
	}
	text = strings.TrimSpace(text)
	if text == "" || strings.EqualFold(text, "null") {
		return nil
	}
	var err error
	switch m {
	case ofUser:
		e.User = text
		_, err = userURN(text)
	case ofDatabase:
		e.Database, err = text, checkName(m, text)
	case ofSchema:
		e.Schema, err = text, checkName(m, text)
	case ofTime:
		e.Time, err = timeOf(text)
	case ofCount:
		if e.Count, err = strconv.ParseInt(text, 10, 64); err != nil || e.Count < 1 || e.Count > mostRuns {
			err = fmt.Errorf("the count must be a whole number from 1 to %d, not %q", mostRuns, text)
		}
	}
	return err
}

// mostRuns is how often an entry may say that a statement ran. The counts of usage can hold no more.
const mostRuns = math.MaxInt32

func checkName(m member, name string) error {
	if len(name) > limits.MaxNameBytes {
		return fmt.Errorf("the name of the %s has more than %d bytes", meanings[m], limits.MaxNameBytes)
	}
	return nil
}

// layouts are the ways in which logs write times. A time without a zone is in UTC.
var layouts = []string{
	time.RFC3339Nano, "2006-01-02 15:04:05.999999999Z07:00", "2006-01-02 15:04:05.999999999Z07", "2006-01-02 15:04:05.999999999 Z0700", "2006-01-02 15:04:05.999999999 Z07:00",
	"2006-01-02 15:04:05.999999999 UTC", "2006-01-02T15:04:05.999999999", "2006-01-02 15:04:05.999999999", "2006-01-02 15:04", time.DateOnly,
}

// These bound numbers that are times: seconds, milliseconds and microseconds since 1970 of the years 1973 to 5138.
const (
	leastSeconds = 1e8
	leastMillis  = 1e11
	leastMicros  = 1e14
	leastNanos   = 1e17
)

var errTime = errors.New("times are as 2026-11-28T10:00:00Z, as 2026-11-28 10:00:00, as a day, or as seconds, milliseconds or microseconds since 1970")

func timeOf(text string) (time.Time, error) {
	if number, err := strconv.ParseFloat(text, 64); err == nil {
		switch {
		case math.IsNaN(number), number < leastSeconds, number >= leastNanos:
		case number < leastMillis:
			return time.UnixMilli(int64(number * 1000)), nil
		case number < leastMicros:
			return time.UnixMilli(int64(number)), nil
		default:
			return time.UnixMicro(int64(number)), nil
		}
		return time.Time{}, fmt.Errorf("the time %q is not understood: %w", text, errTime)
	}
	for _, layout := range layouts {
		if at, err := time.Parse(layout, text); err == nil {
			return at.UTC(), nil
		}
	}
	return time.Time{}, fmt.Errorf("the time %q is not understood: %w", text, errTime)
}
