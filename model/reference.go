package model

import (
	"fmt"
	"strings"

	"github.com/headwater-io/headwater/internal/jsontree"
	"github.com/headwater-io/headwater/internal/limits"
)

// CheckLength checks the length of a URN that an aspect mentions. The URN of a column
// contains that of its dataset, so it may be longer than an entity's. The error is a
// *URNError.
func (u URN) CheckLength() error {
	most := MaxURNBytes
	if u.EntityType() == EntitySchemaField || u.EntityType() == legacyFieldType {
		most = limits.MaxColumnURNBytes
	}
	if len(u.text)*3 <= most || encodedLen(u.text) <= most {
		return nil
	}
	return &URNError{URN: shortened(u.text), Reason: fmt.Sprintf("it is longer than %d bytes (when URL encoded)", most)}
}

// legacyFieldType is a URN type of columns that is not an entity type.
const legacyFieldType = "datasetField"

// shownURN is how many bytes of a URN that is too long an error shows.
const shownURN = 100

func shortened(text string) string {
	if len(text) <= shownURN {
		return text
	}
	return string([]rune(text[:shownURN])) + "…"
}

// maxColumnPath is the largest length in bytes of a column's encoded path, so that the URN
// of the column is within its limit.
const maxColumnPath = limits.MaxColumnURNBytes - 2*MaxURNBytes

// checkColumnPaths checks the lengths of column paths that become part of URNs of edges.
func checkColumnPaths(v *Value) error {
	s, ok := columnStatements[v.Aspect.Name]
	if !ok || s.ownColumn == "" {
		return nil
	}
	var fault *URNError
	steps := strings.Split(s.path, "/")
	jsontree.Walk(v.Tree, steps, func(leaf any, chosen []string) {
		path, _ := leaf.(string)
		if fault == nil && encodedLen(EncodeFieldPath(path)) > maxColumnPath {
			fault = &URNError{
				URN: shortened(path), Path: "/" + strings.Join(jsontree.Fill(steps, chosen), "/"),
				Reason: fmt.Sprintf("the path of a column is longer than %d bytes (when URL encoded)", maxColumnPath),
			}
		}
	})
	if fault != nil {
		return fault
	}
	return nil
}
