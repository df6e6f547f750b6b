package show

import (
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/headwater-io/headwater/internal/screen"
)

// Fact is a line of a page: a name and its values. Further values are on lines below.
type Fact struct {
	Name   string
	Values []string
}

// WriteFacts writes facts in two columns: names and values.
func WriteFacts(w io.Writer, facts []Fact, width int) {
	names := 0
	for _, f := range facts {
		names = max(names, len([]rune(f.Name)))
	}
	room := 0
	if width > 0 {
		room = max(width-names-2, 20)
	}
	for _, f := range facts {
		name := f.Name
		for _, value := range f.Values {
			for _, line := range screen.Wrap(screen.Text(value), room) {
				fmt.Fprintf(w, "%-*s  %s\n", names, name, line)
				name = ""
			}
		}
	}
}

// SortedKeys returns the keys of a map in order.
func SortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
