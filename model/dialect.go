package model

import "strings"

// UnknownEntityRule is a rule for reads of an entity that was never written.
type UnknownEntityRule int

const (
	// SynthesizeKey: the answer has the key aspect, computed from the URN.
	SynthesizeKey UnknownEntityRule = iota
	// NotFound: the answer is 404.
	NotFound
)

// Dialect is one vocabulary of the interface: the URN namespace, the prefix of
// record names and the protocol version header that belong together.
type Dialect struct {
	// Name identifies the dialect in configuration and logs.
	Name string
	// Namespace is the second part of every URN, as in urn:<Namespace>:dataset:….
	Namespace string
	// Prefix starts every record name, as in <Prefix>.common.Ownership.
	Prefix string
	// VersionHeader contains the protocol version, 2.0.0.
	VersionHeader string
	// UnknownEntity is the rule for GET /entitiesV2/<urn> of an unknown entity.
	UnknownEntity UnknownEntityRule
	// RecordAliases maps a neutral record name without prefix to the name this
	// dialect answers with, as in schema.KafkaSchema → schema.StreamSchema.
	RecordAliases map[string]string
}

// LI is the vocabulary of existing clients.
func LI() Dialect {
	return Dialect{
		Name: "li", Namespace: "li", Prefix: "com.linkedin",
		VersionHeader: "X-RestLi-Protocol-Version", UnknownEntity: SynthesizeKey,
	}
}

// Example is the vocabulary of the interface document.
func Example() Dialect {
	return Dialect{
		Name: "example", Namespace: "example", Prefix: "com.example",
		VersionHeader: "X-Svc-Protocol-Version", UnknownEntity: NotFound,
		RecordAliases: map[string]string{"schema.KafkaSchema": "schema.StreamSchema"},
	}
}

// RecordName returns the dialect's form of a neutral record name
// ("<prefix>.common.Ownership").
func (d Dialect) RecordName(neutral string) string {
	bare := strings.TrimPrefix(neutral, neutralPrefix)
	if alias, ok := d.RecordAliases[bare]; ok {
		bare = alias
	}
	return d.Prefix + "." + bare
}

const neutralPrefix = "<prefix>."
