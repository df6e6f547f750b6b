package model

import (
	"fmt"
	"strings"

	"github.com/headwater-io/headwater/internal/jsontree"
	"github.com/headwater-io/headwater/internal/limits"
)

// CheckLength reports whether a URN that is only named, in an aspect or as the
// end of an edge, is no longer than it may be: a column's URN holds that of its
// dataset, and may be longer than an entity's. The error is a *URNError.
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

// legacyFieldType is a URN type of columns without an entity of its own.
const legacyFieldType = "datasetField"

// shownURN is how much of a URN that is too long is shown.
const shownURN = 100

func shortened(text string) string {
	if len(text) <= shownURN {
		return text
	}
	return string([]rune(text[:shownURN])) + "…"
}

// maxColumnPath is how long the path of a column of an entity may be, encoded,
// so that the column's URN is no longer than it may be.
const maxColumnPath = limits.MaxColumnURNBytes - 2*MaxURNBytes

// checkColumnPaths checks the paths of which the edges of an aspect make URNs.
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
