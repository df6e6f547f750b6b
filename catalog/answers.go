package catalog

import (
	"encoding/json"
	"strconv"
)

// These are answers of reads with which several rooms work.

// EntityResponse is an entity with its latest aspects in envelopes.
type EntityResponse struct {
	URN        string                     `json:"urn"`
	EntityName string                     `json:"entityName"`
	Aspects    map[string]EnvelopedAspect `json:"aspects"`
}

// EnvelopedAspect is an aspect's value with its stamps and system metadata.
type EnvelopedAspect struct {
	Name    string          `json:"name"`
	Type    string          `json:"type"`
	Version int64           `json:"version"`
	Value   json.RawMessage `json:"value"`
	Created AuditStamp      `json:"created"`
	System  *SystemMetadata `json:"systemMetadata,omitempty"`
}

// Number returns how many versions the aspect had until this one, 0 if that is not known.
func (a *EnvelopedAspect) Number() int64 {
	if a.System == nil {
		return 0
	}
	n, _ := strconv.ParseInt(a.System.Version, 10, 64) // a computed aspect has no version
	return n
}

// VersionedAspect is one version of an aspect in the legacy form.
type VersionedAspect struct {
	Version int64
	// Record is the record's name in the URN's dialect.
	Record string
	Value  json.RawMessage
}

// StoredEntity is an entity with its stored aspects. Aspects that reads compute are left out.
type StoredEntity struct {
	URN string
	// Removed is the soft-delete mark.
	Removed bool
	// Aspects are ordered by name.
	Aspects []EnvelopedAspect
}

// StoredAspects selects the aspects of stored entities.
type StoredAspects struct {
	// None: no aspect is read. Otherwise Names are the aspects to read, of time series the newest
	// value. Without names, all versioned aspects are read.
	None  bool
	Names []string
}
