// Package wire is the form of events in Kafka: Avro in Confluent's framing (a zero
// byte, the number of a schema in four bytes, the value), or JSON.
package wire

import (
	"embed"
	"strings"
	"sync"

	"github.com/twmb/avro"
)

// The topics that proposals come from and are given back to.
const (
	Proposals       = "MetadataChangeProposal_v1"
	Snapshots       = "MetadataChangeEvent_v4"
	FailedProposals = "FailedMetadataChangeProposal_v1"
)

// Schema is a schema of a topic's values. Its number never changes.
type Schema struct {
	ID    int
	Topic string
	// Version counts the schemas of the topic, from 1.
	Version int
	// Text is the schema as JSON, without documentation.
	Text string

	parsed *avro.Schema
	// proposal decodes a proposal to what we read of it, nil for other topics.
	proposal *avro.Schema
	tree     func() *tree
}

//go:embed schemas/*.avsc read/*.avsc
var files embed.FS

// proposalRead has the fields of a proposal that are read, those of [Proposal].
var proposalRead = avro.MustParse(file("read/proposal"))

// schemas lists every schema. An older release of the client has version 1.
var schemas = []*Schema{
	load(1, Proposals, 1, "MetadataChangeProposal.1"),
	load(2, Proposals, 2, "MetadataChangeProposal.2"),
	load(3, Snapshots, 1, "MetadataChangeEvent.1"),
	load(4, Snapshots, 2, "MetadataChangeEvent.2"),
	load(5, FailedProposals, 1, "FailedMetadataChangeProposal"),
}

func load(id int, topic string, version int, name string) *Schema {
	text := file("schemas/" + name)
	s := &Schema{ID: id, Topic: topic, Version: version, Text: text, parsed: avro.MustParse(text)}
	s.tree = sync.OnceValue(func() *tree { return treeOf(s.parsed) })
	if topic == Proposals {
		var err error
		if s.proposal, err = avro.Resolve(s.parsed, proposalRead); err != nil {
			panic(err) // the files are part of the program
		}
	}
	return s
}

func file(name string) string {
	text, err := files.ReadFile(name + ".avsc")
	if err != nil {
		panic(err) // the files are part of the program
	}
	return strings.TrimSpace(string(text))
}

// Schemas returns every schema, by number.
func Schemas() []*Schema { return schemas }

// ofTopic returns the schemas that a value of a topic may be written with: the one that
// it names first, then the others, the newest first. A number that is not of the topic
// comes from a registry of somebody else.
func ofTopic(topic string, id int) []*Schema {
	var found []*Schema
	for _, s := range schemas {
		if s.Topic != topic {
			continue
		}
		if s.ID == id {
			return []*Schema{s}
		}
		found = append([]*Schema{s}, found...)
	}
	return found
}
