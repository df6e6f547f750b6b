package main

import (
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/headwater-io/headwater/internal/screen"
)

// fact is a line of a page; its values are below each other if there are several.
type fact struct {
	name   string
	values []string
}

// writeFacts writes names and values in two columns.
func writeFacts(w io.Writer, facts []fact, width int) {
	names := 0
	for _, f := range facts {
		names = max(names, len([]rune(f.name)))
	}
	room := 0
	if width > 0 {
		room = max(width-names-2, 20)
	}
	for _, f := range facts {
		name := f.name
		for _, value := range f.values {
			for _, line := range screen.Wrap(screen.Text(value), room) {
				fmt.Fprintf(w, "%-*s  %s\n", names, name, line)
				name = ""
			}
		}
	}
}

// sortedKeys are the keys of a map in order.
func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
