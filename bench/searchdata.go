package main

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
)

// searchWorkload describes datasets like those of real catalogs: names of a few words, a
// sentence of description, a dozen columns, and platforms, owners, tags and terms of which
// few are frequent.
type searchWorkload struct{ datasets int }

var (
	nameWords = strings.Fields(`orders customers users payments refunds invoices shipments sessions events clicks products prices stock
		returns campaigns emails tickets agents stores regions taxes ledger budget forecast leads accounts contracts visits carts baskets
		reviews ratings coupons vouchers deliveries routes vehicles drivers suppliers parts machines sensors alarms readings`)
	nameShapes = strings.Fields("fct dim stg raw agg int rpt snap hist tmp")
	nameEnds   = strings.Fields("daily weekly monthly hourly latest all v2 eu us apac current archive")
	plainWords = strings.Fields(`one row for each of the with joined by source system loaded every night from exported raw cleaned history
		current state after before late corrected amount in euros count distinct first last known active inactive owner team reporting
		finance marketing sales logistics operations compliance audit quality checked trusted deprecated replaced manual automatic`)
	platforms = strings.Fields("snowflake bigquery redshift hive kafka postgres mysql s3 databricks dbt looker tableau")
	subTypes  = strings.Fields("Table View Topic Model Stream")
	// ofAll are words in every description. ofHalf is a word in every second one.
	ofAll  = []string{"catalogued", "warehouse"}
	ofHalf = "sampled"
)

// benchDataset is one of the datasets.
type benchDataset struct {
	urn, name, platform, description, owner, subType, path string
	tags, columns                                          []string
	created                                                int64
}

// skewed returns a random number below n. Small numbers are much more frequent.
func skewed(r *rand.Rand, n int) int {
	x := r.Float64()
	return int(x * x * x * float64(n))
}

func (w searchWorkload) dataset(i int) benchDataset {
	r := rand.New(rand.NewPCG(uint64(i), 7))
	word := func(list []string) string { return list[r.IntN(len(list))] }
	platform := platforms[skewed(r, len(platforms))]
	database, schema := fmt.Sprintf("db%d", skewed(r, 40)), fmt.Sprintf("area_%d", r.IntN(12))
	table := word(nameShapes) + "_" + word(nameWords) + "_" + word(nameWords) + "_" + word(nameEnds) + fmt.Sprintf("_%d", i)
	d := benchDataset{
		name: database + "." + schema + "." + table, platform: "urn:li:dataPlatform:" + platform,
		owner: fmt.Sprintf("urn:li:corpuser:user%d", skewed(r, 2000)), subType: subTypes[skewed(r, len(subTypes))],
		path:    "/prod/" + platform + "/" + database + "/" + schema,
		created: 1_600_000_000_000 + int64(r.IntN(150_000_000))*1000,
	}
	d.urn = fmt.Sprintf("urn:li:dataset:(%s,%s,PROD)", d.platform, d.name)
	words := make([]string, 8+r.IntN(16))
	for k := range words {
		words[k] = plainWords[skewed(r, len(plainWords))]
	}
	words = append(words, ofAll...)
	if i%2 == 0 {
		words = append(words, ofHalf)
	}
	d.description = strings.Join(words, " ")
	for range r.IntN(4) {
		d.tags = append(d.tags, fmt.Sprintf("urn:li:tag:tag%d", skewed(r, 200)))
	}
	for range 6 + r.IntN(12) {
		d.columns = append(d.columns, word(nameWords)+"_"+word(plainWords))
	}
	return d
}

// aspects returns the aspects of the dataset that fill its document.
func (d benchDataset) aspects() map[string]json.RawMessage {
	aspects := map[string]any{
		"datasetKey":           map[string]any{"platform": d.platform, "name": d.name, "origin": "PROD"},
		"datasetProperties":    map[string]any{"description": d.description, "created": map[string]any{"time": d.created}},
		"ownership":            map[string]any{"owners": []any{map[string]any{"owner": d.owner, "type": "DATAOWNER"}}, "lastModified": map[string]any{"time": 0, "actor": d.owner}},
		"subTypes":             map[string]any{"typeNames": []string{d.subType}},
		"browsePaths":          map[string]any{"paths": []string{d.path}},
		"dataPlatformInstance": map[string]any{"platform": d.platform},
	}
	tags := []any{}
	for _, tag := range d.tags {
		tags = append(tags, map[string]any{"tag": tag})
	}
	aspects["globalTags"] = map[string]any{"tags": tags}
	fields := []any{}
	for _, column := range d.columns {
		fields = append(fields, map[string]any{
			"fieldPath": column, "nativeDataType": "text", "type": map[string]any{"type": map[string]any{"com.linkedin.schema.StringType": map[string]any{}}},
		})
	}
	aspects["schemaMetadata"] = map[string]any{
		"schemaName": d.name, "platform": d.platform, "version": 0, "hash": "", "fields": fields,
		"platformSchema": map[string]any{"com.linkedin.schema.OtherSchema": map[string]any{"rawSchema": ""}},
	}
	texts := map[string]json.RawMessage{}
	for name, value := range aspects {
		text, err := json.Marshal(value)
		if err != nil {
			panic(err) // encoding maps and strings cannot fail
		}
		texts[name] = text
	}
	return texts
}

// madeDataset is a dataset with the values of its aspects.
type madeDataset struct {
	benchDataset
	values map[string]json.RawMessage
}

// make makes the datasets with the numbers from to to-1.
func (w searchWorkload) make(from, to int) []madeDataset {
	var made []madeDataset
	for i := from; i < to; i++ {
		d := w.dataset(i)
		made = append(made, madeDataset{d, d.aspects()})
	}
	return made
}

// searchParameters are the arguments of the i-th query, which all engines get.
type searchParameters struct{ words, rare, platform, owner, part, typed, path string }

func (w searchWorkload) parameters(i int) searchParameters {
	r := rand.New(rand.NewPCG(uint64(i), 99))
	word := func(list []string) string { return list[r.IntN(len(list))] }
	a, b := word(nameWords), word(nameWords)
	platform := platforms[skewed(r, len(platforms))]
	return searchParameters{
		words:    a + " " + b,
		rare:     fmt.Sprint(r.IntN(w.datasets)),
		platform: "urn:li:dataPlatform:" + platform,
		owner:    fmt.Sprintf("urn:li:corpuser:user%d", skewed(r, 2000)),
		part:     "_" + b + "_" + word(nameEnds) + "_" + fmt.Sprint(1+r.IntN(9)),
		typed:    word(nameShapes) + "_" + a[:2+r.IntN(len(a)-2)],
		path:     "/prod/" + platform,
	}
}
