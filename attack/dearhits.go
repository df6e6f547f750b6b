package main

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// hitRows are searches whose hits are read: for each, the field and its arguments, and where the hits are in the answer.
// The rows of the queries themselves select the fields that all entities have, which are few.
var hitRows = map[string]struct{ field, arguments, within string }{
	"hits of searchAcrossEntities": {"searchAcrossEntities", `(input:{types:[DATASET],query:"dear",count:%d})`, "searchResults{entity%s}"},
	"hits of scrollAcrossEntities": {"scrollAcrossEntities", `(input:{types:[DATASET],query:"dear",count:%d})`, "searchResults{entity%s}"},
	"hits of searchAcrossLineage":  {"searchAcrossLineage", `(input:{urn:$hub,direction:DOWNSTREAM,types:[DATASET],query:"*",count:%d,maxHops:1000})`, "searchResults{entity%s}"},
	"hits of browse":               {"browse", `(input:{type:DATASET,path:["prod","hive","attack",$word],count:%d})`, "entities%s"},
	"hits of lineage":              {"dataset", `(urn:$hub)`, "lineage(input:{direction:DOWNSTREAM,count:%d}){relationships{entity%s}}"},
}

// hitPages are the sizes of the pages whose hits are read. A small page permits the most fields of a hit, and a large one
// reads the most hits.
var hitPages = []int{5, 100, 1000}

// stageOfHits selects the life-cycle stage of each hit.
const stageOfHits = "{urn ...on Dataset{status{removed lifecycleStage{urn name hideInSearch allowedPreviousStages}}}}"

// hitsOf returns the rows for hits: each search with many fields of its hits, and with their life-cycle stages.
func (d *dear) hitsOf(s *schema) []dearRow {
	var rows []dearRow
	selections := map[string]string{"": "{urn ...on Dataset" + s.wideSelection("Dataset", 2) + "}", ", their stages": stageOfHits}
	for _, name := range slices.Sorted(maps.Keys(hitRows)) {
		row := hitRows[name]
		for _, page := range hitPages {
			for what, selected := range selections {
				arguments, within := row.arguments, row.within
				if strings.Contains(arguments, "%d") {
					arguments, within = fmt.Sprintf(arguments, page), fmt.Sprintf(within, selected)
				} else {
					within = fmt.Sprintf(within, page, selected)
				}
				arguments = d.named(arguments)
				full := fmt.Sprintf("%s, pages of %d%s", name, page, what)
				rows = append(rows, dearRow{full, slices.Contains(inSmall, full), func(ctx context.Context, d *dear) string {
					return d.askGraphQL(ctx, func(n int) string {
						var b strings.Builder
						for i := range n {
							fmt.Fprintf(&b, "a%d:%s%s{%s}\n", i, row.field, arguments, within)
						}
						return "{" + b.String() + "}"
					})
				}})
			}
		}
	}
	return rows
}

// wideSelection is a selection of all fields of a type that need no arguments, depth levels deep.
func (s *schema) wideSelection(of string, depth int) string {
	fields := []string{"__typename"}
	for _, f := range s.types[of].Fields {
		if len(f.Args) == 0 {
			fields = append(fields, f.Name+s.selection(&f.Type, depth-1))
		}
	}
	return "{" + strings.Join(fields, " ") + "}"
}
