package relational

import (
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/headwater-io/headwater/internal/python"
)

// Float writes a number as the client writes the statistics of columns: as a floating-point number of Python, a whole
// one with ".0".
func Float(text string) string {
	f, err := strconv.ParseFloat(text, 64)
	if err != nil && !math.IsInf(f, 0) {
		return text
	}
	if f == math.Trunc(f) && !math.IsInf(f, 0) {
		return strconv.FormatFloat(f, 'f', 1, 64)
	}
	return python.Float(f)
}

// Shortest writes a number as Python writes a value of a column.
func Shortest(f float64) string { return python.Float(f) }

// Middle returns the median of count values by the one or two values around the middle of their order, nil if they are
// no numbers.
func Middle(values []any, count int64) *string {
	if len(values) == 0 {
		return nil
	}
	last, ok := number(values[len(values)-1])
	if !ok {
		return nil
	}
	if count%2 == 0 && len(values) == 2 {
		first, ok := number(values[0])
		if !ok {
			return nil
		}
		last = (first + last) / 2
	}
	text := Float(strconv.FormatFloat(last, 'g', -1, 64))
	return &text
}

func number(v any) (float64, bool) {
	switch v := v.(type) {
	case int64:
		return float64(v), true
	case float64:
		return v, true
	case string:
		f, err := strconv.ParseFloat(v, 64)
		return f, err == nil
	case []byte:
		f, err := strconv.ParseFloat(string(v), 64)
		return f, err == nil
	}
	return 0, false
}

// sampleBytes is how much of a value a profile shows.
const sampleBytes = 10_000

// Spelled writes a value as Python writes it.
func Spelled(v any) string {
	switch v := v.(type) {
	case int64:
		return strconv.FormatInt(v, 10)
	case float64:
		return python.Float(v)
	case bool:
		if v {
			return "True"
		}
		return "False"
	case []byte:
		return python.Bytes(v[:min(len(v), sampleBytes)])
	case string:
		if len(v) > sampleBytes {
			return strings.ToValidUTF8(v[:sampleBytes], "")
		}
		return strings.ToValidUTF8(v, "\uFFFD")
	case time.Time:
		return strings.Replace(v.Format("2006-01-02 15:04:05.000000"), ".000000", "", 1)
	}
	return ""
}
