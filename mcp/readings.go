package mcp

import (
	"github.com/headwater-io/headwater/catalog/statements"
	"github.com/headwater-io/headwater/internal/limits"
)

// Readings are both readings of the SQL from which an edge follows, where a client's SQL parser and the server differ, or
// differed at the moment.
type Readings struct {
	// Of is the column, or the entity, of whose sources the readings differ.
	Of string `json:"of"`
	// Client are the upstreams that the client's parser has stated, Own the upstreams that the server has read. Of very
	// many upstreams, only some are named.
	Client []string `json:"client"`
	Own    []string `json:"own"`
	// Preferred tells whose reading lineage follows: client, which keeps both, or own.
	Preferred string `json:"preferred"`
}

// readingsOf returns both readings of an edge, nil if they do not differ.
func readingsOf(by *statements.Provenance) *Readings {
	if by == nil || by.Readings == nil {
		return nil
	}
	r := by.Readings
	return &Readings{Of: r.Downstream, Client: fitting(r.Client.Upstreams, limits.MaxAgentAnswer/8), Own: fitting(r.Own.Upstreams, limits.MaxAgentAnswer/8), Preferred: r.Preferred}
}
