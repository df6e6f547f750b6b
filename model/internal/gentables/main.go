// Command gentables adds the model of an installed client to the committed tables.
//
// The tables are facts (names, types, defaults, annotations) that the client's package
// states in its schema. A value that was valid under the former tables stays valid: no type
// of a field changes, no field becomes required, and no row is removed. Other differences
// of the package are reported. Each row is on one line, so that a change of the model is a
// small diff.
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
)

func main() {
	from := flag.String("package", "", "folder datahub of an installed client, .../site-packages/datahub")
	release := flag.String("release", "", "release of that client, such as 1.7.0.17; read from the package's metadata when empty")
	to := flag.String("tables", "tables", "directory with the tables")
	flag.Parse()
	if err := run(*from, *release, *to, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "gentables:", err)
		os.Exit(1)
	}
}

func run(from, release, to string, report io.Writer) error {
	if from == "" {
		return errors.New("-package is required: the folder datahub of an installed client")
	}
	if release == "" {
		var err error
		if release, err = releaseOf(from); err != nil {
			return err
		}
	}
	c, err := readClient(filepath.Join(from, "metadata", "schema.avsc"))
	if err != nil {
		return err
	}
	t, err := readTables(to)
	if err != nil {
		return err
	}
	t.report = report
	t.union(c)
	t.release = release
	return t.write(to)
}

// versionLine is in the metadata of every installed Python package.
var versionLine = regexp.MustCompile(`(?m)^Version: (\S+)$`)

// releaseOf returns the release of the client to which a folder belongs.
func releaseOf(from string) (string, error) {
	files, _ := filepath.Glob(filepath.Join(from, "..", "acryl_datahub-*.dist-info", "METADATA")) // the pattern is valid, so there is no error
	if len(files) != 1 {
		return "", fmt.Errorf("%d installed releases are beside %s; name the release with -release", len(files), from)
	}
	text, err := os.ReadFile(files[0])
	if err != nil {
		return "", err
	}
	version := versionLine.FindSubmatch(text)
	if version == nil {
		return "", fmt.Errorf("%s states no version", files[0])
	}
	return string(version[1]), nil
}

// row is a row of a table.
type row = map[string]any

func readRows(path string) ([]row, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var rows []row
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	if err := decoder.Decode(&rows); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return rows, nil
}

// writeRows writes each row on one line.
func writeRows(path string, rows []row) error {
	var out bytes.Buffer
	out.WriteString("[\n")
	for i, r := range rows {
		line, err := encode(r)
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
	return os.WriteFile(path, out.Bytes(), 0o644)
}

func encode(value any) ([]byte, error) {
	var line bytes.Buffer
	encoder := json.NewEncoder(&line)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(value)
	return bytes.TrimSpace(line.Bytes()), err
}
