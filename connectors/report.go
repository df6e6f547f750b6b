package connectors

import (
	"fmt"

	"github.com/headwater-io/headwater/internal/clip"
	"github.com/headwater-io/headwater/internal/limits"
)

// Scan counts an entity of a kind, such as "table".
func (r *Report) Scan(kind string) {
	if r.Scanned == nil {
		r.Scanned = map[string]int{}
	}
	r.Scanned[kind]++
}

// Filter notes a name that a pattern left out.
func (r *Report) Filter(name string) { addBounded(&r.Filtered, &r.MoreFiltered, name) }

// Warn notes a part that could not be read, while everything else was.
func (r *Report) Warn(format string, values ...any) {
	addBounded(&r.Warnings, &r.MoreWarnings, fmt.Sprintf(format, values...))
}

// Fail notes a part that could not be read. After it, entities that the run did not see may still be in the source.
func (r *Report) Fail(format string, values ...any) {
	addBounded(&r.Failures, &r.MoreFailures, fmt.Sprintf(format, values...))
}

func addBounded(list *[]string, more *int, text string) {
	if len(*list) >= limits.MaxReportedNames {
		*more++
		return
	}
	*list = append(*list, clip.Text(text, limits.MaxMessageBytes))
}
