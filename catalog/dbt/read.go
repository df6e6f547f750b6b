package dbt

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/internal/wording"
)

// Opener opens a file.
type Opener func() (io.ReadCloser, error)

// versions are the versions of artifacts that are read, by the kind of artifact in the address of its schema.
var versions = map[string][]string{
	"manifest":    {"10", "11", "12"},
	"catalog":     {"1"},
	"run-results": {"4", "5", "6"},
	"sources":     {"3"},
}

var schemaAddress = regexp.MustCompile(`/([a-z-]+)/v([0-9]+)(?:/index)?\.json$`)

// metadata is the member metadata of an artifact.
type metadata struct {
	Schema      string `json:"dbt_schema_version"`
	Version     string `json:"dbt_version"`
	Generated   string `json:"generated_at"`
	Invocation  string `json:"invocation_id"`
	Adapter     string `json:"adapter_type"`
	ProjectName string `json:"project_name"`
}

// check refuses an artifact of another kind, or of a version that is not in versions.
func (m *metadata) check(kind string) error {
	known := versions[kind]
	found := schemaAddress.FindStringSubmatch(m.Schema)
	switch {
	case found == nil:
		return &pathError{"$.metadata.dbt_schema_version", fmt.Errorf("%q does not name a schema of dbt", m.Schema)}
	case found[1] != kind:
		return &pathError{"$.metadata.dbt_schema_version", fmt.Errorf("this is an artifact of the kind %s, and not %s", found[1], kind)}
	case !slices.Contains(known, found[2]):
		return &pathError{"$.metadata.dbt_schema_version", fmt.Errorf("version %s of %s is unknown; known versions: %s", found[2], kind, strings.Join(known, ", "))}
	}
	return nil
}

// Read reads the artifacts of a project. An error names the file and the place in it.
func Read(a Artifacts) (*Project, error) {
	p := &Project{Nodes: map[string]*Node{}, Exposures: map[string]*Exposure{}, properties: map[string]string{}, noDatabases: a.NoDatabases}
	r := &reading{Project: p, columns: map[string]columnsOf{}, identifiers: a.Identifiers}
	if err := r.artifact(a.Manifest, "manifest", r.manifest); err != nil {
		return nil, err
	}
	if a.Catalog != nil {
		if err := r.artifact(*a.Catalog, "catalog", r.catalog); err != nil {
			return nil, err
		}
	}
	r.describedColumns()
	if a.Sources != nil {
		if err := r.artifact(*a.Sources, "sources", r.sources); err != nil {
			return nil, err
		}
	}
	for _, file := range a.RunResults {
		if err := r.artifact(file, "run-results", r.runResults); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// reading is a project while its artifacts are read.
type reading struct {
	*Project
	count int
	// identifiers: a source is named by its identifier.
	identifiers bool
	// columns are the columns that the manifest describes, by node.
	columns map[string]columnsOf
	// withdrawn are the invocations whose results are left out.
	withdrawn map[string]bool
}

// bounded refuses to read more bytes than an artifact may have.
type bounded struct {
	io.Reader
	left int64
}

func limited(in io.Reader) io.Reader { return &bounded{in, limits.DBTArtifactBytes} }

func (b *bounded) Read(to []byte) (int, error) {
	n, err := b.Reader.Read(to)
	if b.left -= int64(n); b.left < 0 {
		return 0, fmt.Errorf("the file has more than %d bytes", limits.DBTArtifactBytes)
	}
	return n, err
}

// artifact reads a file. read gets each of its members but metadata, and the metadata, which dbt writes first.
func (r *reading) artifact(file File, kind string, read func(name, path string, decoder *json.Decoder, m *metadata) error) error {
	in, err := file.Open()
	if err != nil {
		return err
	}
	defer in.Close()
	decoder := json.NewDecoder(limited(in))
	var m *metadata
	err = members(decoder, func(name string) error {
		path := "$." + name
		if name == "metadata" {
			m = &metadata{}
			if err := decoder.Decode(m); err != nil {
				return at(path, err)
			}
			if err := m.check(kind); err != nil {
				return err
			}
			r.described(kind, m)
			return nil
		}
		if m == nil {
			return &pathError{path, errors.New("metadata must come first, as dbt writes it")}
		}
		return at(path, read(name, path, decoder, m))
	})
	if err == nil && m == nil {
		err = errors.New("it has no metadata, so it is not an artifact of dbt")
	}
	if err != nil {
		return fmt.Errorf("%s: %w", file.Name, at("$", err))
	}
	return nil
}

// described keeps the facts about the project in the metadata of an artifact.
func (r *reading) described(kind string, m *metadata) {
	put := func(name, value string) {
		if value != "" {
			r.properties[name] = value
		}
	}
	switch kind {
	case "manifest":
		r.Name, r.Adapter = m.ProjectName, m.Adapter
		r.generated, _ = parseTime(m.Generated) // unknown is zero
		put("manifest_schema", m.Schema)
		put("manifest_version", m.Version)
		put("manifest_adapter", m.Adapter)
	case "catalog":
		r.catalogGenerated, _ = parseTime(m.Generated)
		put("catalog_schema", m.Schema)
		put("catalog_version", m.Version)
	}
}

// each reads the members of an object of nodes, and counts them.
func (r *reading) each(decoder *json.Decoder, path string, read func(id, path string) error) error {
	return members(decoder, func(id string) error {
		place := fmt.Sprintf("%s[%q]", path, id)
		if r.count++; r.count > limits.DBTNodes {
			return &pathError{place, fmt.Errorf("a project may have %s", wording.Counted(limits.DBTNodes, "node", "nodes"))}
		}
		return at(place, read(id, place))
	})
}

// parseTime reads a time as dbt writes it. A time without a zone is in UTC.
func parseTime(text string) (time.Time, error) {
	for _, layout := range []string{time.RFC3339Nano, "2006-01-02 15:04:05.999999999Z07:00", "2006-01-02T15:04:05.999999999", "2006-01-02 15:04:05.999999999"} {
		if t, err := time.Parse(layout, text); err == nil {
			return t.Truncate(time.Microsecond), nil
		}
	}
	return time.Time{}, fmt.Errorf("%q is not a time", text)
}

// optionalTime reads a time that may be absent.
func optionalTime(path, text string) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	t, err := parseTime(text)
	return t, at(path, err)
}
