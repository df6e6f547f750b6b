// Command gentables writes the committed model tables from a reference
// directory of the same tables with their provenance columns.
//
// The tables are facts (names, types, defaults, annotations). Columns that only
// say where a fact was found are dropped, and each row stands on one line, so
// that a change of the model reads as a small diff.
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// dropped lists the columns that the product does not read.
var dropped = map[string][]string{
	"aspects":       {"legacySnapshots", "entities"},
	"entities":      {"searchGroup", "legacySnapshot", "urnShape", "keyFields"},
	"records":       {"reachableFrom", "aspect", "event", "deprecated", "deprecatedSymbols", "notation", "avroOnly"},
	"relationships": {"declaredOn", "declaredPath", "overrides"},
	"searchable":    {"declaredOn", "declaredPath", "overrides", "fieldTypeSource", "declaredPathMatchesNothing"},
	"snapshots":     {"registryAspectsNotInUnion", "urnType"},
}

// droppedFromField lists the columns dropped inside a record's fields: the
// flattened tables carry the same facts resolved.
var droppedFromField = []string{"searchable", "relationship", "timeseriesField", "timeseriesFieldCollection", "deprecated", "typeref", "validate", "refs"}

func main() {
	from := flag.String("from", "", "directory with the reference tables")
	to := flag.String("to", "tables", "directory to write")
	flag.Parse()
	if err := run(*from, *to); err != nil {
		fmt.Fprintln(os.Stderr, "gentables:", err)
		os.Exit(1)
	}
}

func run(from, to string) error {
	if _, err := os.Stat(from); errors.Is(err, fs.ErrNotExist) {
		fmt.Printf("gentables: no reference tables at %q; the committed ones stay\n", from)
		return nil
	}
	for name, columns := range dropped {
		if err := table(from, to, name, columns); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

func table(from, to, name string, columns []string) error {
	text, err := os.ReadFile(filepath.Join(from, name+".json"))
	if err != nil {
		return err
	}
	var rows []map[string]any
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	if err := decoder.Decode(&rows); err != nil {
		return err
	}
	var out bytes.Buffer
	out.WriteString("[\n")
	for i, row := range rows {
		for _, column := range columns {
			delete(row, column)
		}
		if fields, ok := row["fields"].([]any); ok {
			for _, f := range fields {
				for _, column := range droppedFromField {
					delete(f.(map[string]any), column)
				}
			}
		}
		line, err := compact(row)
		if err != nil {
			return err
		}
		out.Write(line)
		if i < len(rows)-1 {
			out.WriteByte(',')
		}
		out.WriteByte('\n')
	}
	out.WriteString("]\n")
	return os.WriteFile(filepath.Join(to, name+".json"), out.Bytes(), 0o644)
}

func compact(row any) ([]byte, error) {
	var line bytes.Buffer
	encoder := json.NewEncoder(&line)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(row)
	return bytes.TrimSpace(line.Bytes()), err
}
