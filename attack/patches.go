package main

import (
	"fmt"
	"net/http"
	"strings"
)

// maxAspect is the largest value of an aspect in bytes that the interface document permits.
const maxAspect = 16_000_000

// patchBomb sends a patch of 2 KB that copies a map into itself 24 times. Each copy doubles
// the map.
func patchBomb(a *arena) {
	urn := a.check.dataset("patchbomb")
	if r := a.client.propose(a, "UPSERT", urn, "datasetProperties", `{"description":"before","customProperties":{"a":"b"}}`); !r.ok() {
		a.problem("the dataset to patch cannot be written: %v", r)
		return
	}
	var operations []map[string]string
	for n := range 24 {
		operations = append(operations, map[string]string{"op": "copy", "from": "/customProperties", "path": fmt.Sprintf("/customProperties/c%d", n)})
	}
	body := proposal("PATCH", urn, "datasetProperties", operations)
	many(pick(a, 1, 8), 8, func(int) { a.refused("the bomb", http.MethodPost, ingest, body) })
	// The same with a description, and with many small operations.
	operations = operations[:0]
	for n := range pick(a, 20_000, 200_000) {
		operations = append(operations, map[string]string{"op": "copy", "from": "/description", "path": fmt.Sprintf("/customProperties/c%d", n)})
	}
	a.civil("a patch of many operations", http.MethodPost, ingest, proposal("PATCH", urn, "datasetProperties", operations))
	operations = []map[string]string{{"op": "add", "path": "/description", "value": strings.Repeat("d", 1<<20)}}
	for n := range 60 {
		operations = append(operations, map[string]string{"op": "copy", "from": "/description", "path": fmt.Sprintf("/customProperties/d%d", n)})
	}
	a.refused("a patch that copies a megabyte 60 times", http.MethodPost, ingest, proposal("PATCH", urn, "datasetProperties", operations))
	a.bounded(urn)
}

// patchGrowth tries to make an aspect larger than its limit by several patches that are
// each within it.
func patchGrowth(a *arena) {
	urn := a.check.dataset("patchgrowth")
	const part = 9_000_000
	for n := range 3 {
		body := proposal("PATCH", urn, "datasetProperties", []map[string]string{{"op": "add", "path": fmt.Sprintf("/customProperties/p%d", n), "value": strings.Repeat("p", part)}})
		if n == 0 {
			a.civil("a patch of 9 MB", http.MethodPost, ingest, body)
		} else {
			a.refused(fmt.Sprintf("patch %d of 9 MB onto the same aspect", n+1), http.MethodPost, ingest, body)
		}
	}
	a.bounded(urn)
	if r := a.client.propose(a, "UPSERT", urn, "datasetProperties", `{"description":"small again"}`); !r.ok() {
		a.problem("a large aspect cannot be made small again: %v", r)
	}
}

// bounded checks that the size of a dataset's properties is within the limit.
func (a *arena) bounded(urn string) {
	value, r := a.client.aspect(a, urn, "datasetProperties", 0)
	if value == nil && r.status != http.StatusNotFound {
		a.problem("what was patched cannot be read: %v", r)
	}
	if len(r.body) > maxAspect+1000 {
		a.problem("an aspect of %s is stored, the limit is %s", size(int64(len(r.body))), size(maxAspect))
	}
}
