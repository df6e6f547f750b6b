package wire

import (
	"embed"
	"fmt"
	"sync"

	"github.com/twmb/avro"
)

//go:embed schemas/*.avsc
var files embed.FS

// Schema is one of the schemas of the events. Most events have two schemas: version 1 is the
// schema of client 0.10.5, and version 2 is the schema of client 1.7.
type Schema struct {
	// ID is the number of the schema in the framing of a message. The number never changes.
	ID int
	// Name is the name of the event, such as "MetadataChangeLog".
	Name    string
	Version int
	// Text is the schema in Avro's JSON.
	Text string

	parsed    *avro.Schema
	canonical string
}

// The numbers of the schemas.
const (
	proposal1 = 1 + iota
	proposal2
	log1
	log2
	failed1
	failed2
	platform1
	change1
	change2
)

var schemas = sync.OnceValue(func() []*Schema {
	all := []*Schema{
		{ID: proposal1, Name: "MetadataChangeProposal", Version: 1},
		{ID: proposal2, Name: "MetadataChangeProposal", Version: 2},
		{ID: log1, Name: "MetadataChangeLog", Version: 1},
		{ID: log2, Name: "MetadataChangeLog", Version: 2},
		{ID: failed1, Name: "FailedMetadataChangeProposal", Version: 1},
		{ID: failed2, Name: "FailedMetadataChangeProposal", Version: 2},
		{ID: platform1, Name: "PlatformEvent", Version: 1},
		{ID: change1, Name: "MetadataChangeEvent", Version: 1},
		{ID: change2, Name: "MetadataChangeEvent", Version: 2},
	}
	for _, s := range all {
		text, err := files.ReadFile(fmt.Sprintf("schemas/%s.%d.avsc", s.Name, s.Version))
		if err != nil {
			panic(err) // the file is in this folder, so the error is a mistake of this package
		}
		s.Text = string(text)
		s.parsed = avro.MustParse(s.Text)
		s.canonical = string(s.parsed.Canonical())
	}
	return all
})

// SchemaByID returns the schema with a number.
func SchemaByID(id int) (*Schema, bool) {
	all := schemas()
	if id < 1 || id > len(all) {
		return nil, false
	}
	return all[id-1], true
}

// eventOf has the name of the event in each topic.
var eventOf = map[string]string{
	ProposalTopic: "MetadataChangeProposal", FailedProposalTopic: "FailedMetadataChangeProposal",
	VersionedLogTopic: "MetadataChangeLog", TimeseriesLogTopic: "MetadataChangeLog",
	PlatformEventTopic: "PlatformEvent", ChangeEventTopic: "MetadataChangeEvent",
}

// SchemasOf returns the schemas of a topic's values, the oldest version first. For an unknown
// topic, it returns none.
func SchemasOf(topic string) []*Schema {
	var of []*Schema
	for _, s := range schemas() {
		if s.Name == eventOf[topic] {
			of = append(of, s)
		}
	}
	return of
}

// Is reports whether a text is this schema, whatever the documentation and the order of
// attributes in the text are.
func (s *Schema) Is(text string) (bool, error) {
	other, err := avro.Parse(text)
	if err != nil {
		return false, err
	}
	return string(other.Canonical()) == s.canonical, nil
}
