package catalog

import "github.com/headwater-io/headwater/graphstore"

// OtherEnd returns the other end of an edge.
func OtherEnd(e *graphstore.Edge, d graphstore.Direction) string {
	if d == graphstore.Incoming {
		return e.Source
	}
	return e.Destination
}

// StampOf returns an audit stamp of an edge, nil when the aspect does not state
// it.
func StampOf(at int64, actor string) *AuditStamp {
	if at == 0 || actor == "" {
		return nil
	}
	return &AuditStamp{Time: at, Actor: actor}
}
