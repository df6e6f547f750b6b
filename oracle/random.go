package main

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// maker makes a random catalog. The same seed makes the same catalog.
type maker struct {
	*rand.Rand
	vocabulary []string
	platforms  []string
	made       map[string][]string // URNs by type
	columns    map[string][]string // paths by dataset
	position   float64             // place of the current entity among the entities of its type, from 0 to 1
}

func newMaker(seed uint64) *maker {
	r := &maker{Rand: rand.New(rand.NewPCG(seed, 15)), made: map[string][]string{}, columns: map[string][]string{}} //nolint:gosec // repeatable
	r.vocabulary = strings.Fields("orders salaries companies addresses boxes classes status analysis naïve Straße données ebfab24 HTTPServer " +
		"fctUsersCreated x2y s3Bucket 2024 v12 aB12cd metadata symptom sym Kunde größe order salary customers customerId id ID_url XMLHttp3 日本")
	syllables := strings.Fields("ka lo mi ra ten sol ver da pi qu est or an ie s es ing ma ne to")
	for len(r.vocabulary) < 400 {
		word := ""
		for range 1 + r.IntN(4) {
			word += pick(r, syllables)
		}
		r.vocabulary = append(r.vocabulary, word)
	}
	r.platforms = strings.Fields("hive kafka snowflake postgres s3 oddly")
	return r
}

func pick[T any](r *maker, from []T) T { return from[r.IntN(len(from))] }

// chance returns true with a probability of percent.
func (r *maker) chance(percent int) bool { return r.IntN(100) < percent }

// word returns a random word of the vocabulary. The first words are the most frequent.
func (r *maker) word() string {
	n := len(r.vocabulary)
	return r.vocabulary[min(r.IntN(n), r.IntN(n))]
}

// words returns some random words, joined with a text of between. Sometimes a word is
// repeated.
func (r *maker) words(least, most int, between ...string) string {
	var b strings.Builder
	last := ""
	for i := range least + r.IntN(most-least+1) {
		if i > 0 {
			b.WriteString(pick(r, between))
		}
		if last == "" || !r.chance(15) {
			last = r.word()
		}
		b.WriteString(last)
	}
	return b.String()
}

func (r *maker) prose() string { return r.words(1, 12, " ", " ", ", ", ". ", "/") }

// corner is how many datasets are near each other.
const corner = 100

// some returns at most n random entities of a type. Datasets, jobs and charts are mostly near
// the current entity and seldom far away, so that lineage has long paths but does not reach
// every entity.
func (r *maker) some(kind string, n int) []any {
	var found []any
	if known := r.made[kind]; len(known) > 0 {
		switch kind {
		case "dataset", "dataJob", "chart":
			corners := (len(r.made["dataset"]) + corner - 1) / corner
			if in := int(r.position * float64(corners)); r.IntN(300) > 0 {
				known = known[in*len(known)/corners : max((in+1)*len(known)/corners, in*len(known)/corners+1)]
			}
		}
		seen := map[string]bool{}
		for range r.IntN(n + 1) {
			if urn := pick(r, known); !seen[urn] {
				seen[urn] = true
				found = append(found, urn)
			}
		}
	}
	return found
}

func stamp() object { return object{"time": 1700000000000, "actor": "urn:li:corpuser:oracle"} }

// each returns a list with an object for every value. The value is in the member that the
// parameter name names; all objects also have the members of more.
func each(values []any, name string, more object) []any {
	list := []any{}
	for _, v := range values {
		o := object{name: v}
		for key, value := range more {
			o[key] = value
		}
		list = append(list, o)
	}
	return list
}

// shares has the number of entities of each type in a hundred.
var shares = []struct {
	kind    string
	percent int
}{
	{"corpuser", 3},
	{"corpGroup", 1},
	{"tag", 2},
	{"glossaryTerm", 3},
	{"domain", 1},
	{"container", 4},
	{"dataset", 60},
	{"dataFlow", 2},
	{"dataJob", 12},
	{"chart", 8},
	{"dashboard", 4},
}

// catalog returns the changes that create n entities.
func (r *maker) catalog(n int) []op {
	var ops []op
	for i, delimiter := range []string{".", ".", ".", ".", "/", "__"} {
		ops = append(ops, op{upsert, "urn:li:dataPlatform:" + r.platforms[i], "dataPlatformInfo", object{
			"name": r.platforms[i], "displayName": strings.ToUpper(r.platforms[i]), "type": "OTHERS", "datasetNameDelimiter": delimiter,
		}})
	}
	for _, share := range shares {
		for i := range max(2, n*share.percent/100) {
			r.made[share.kind] = append(r.made[share.kind], r.urn(share.kind, i))
		}
	}
	for _, share := range shares {
		for i, urn := range r.made[share.kind] {
			r.position = float64(i) / float64(len(r.made[share.kind]))
			ops = append(ops, r.describe(urn)...)
		}
	}
	return ops
}

func (r *maker) urn(kind string, i int) string {
	name := fmt.Sprintf("%s_%d", r.words(1, 3, "_", ".", ""), i)
	switch kind {
	case "dataset":
		between := []string{".", "/", "__"}[r.IntN(3)]
		name = strings.Join([]string{r.word(), r.word(), name}, between)
		return fmt.Sprintf("urn:li:dataset:(urn:li:dataPlatform:%s,%s,%s)", pick(r, r.platforms), name, []string{"PROD", "PROD", "DEV", "UAT"}[r.IntN(4)])
	case "dataFlow":
		return "urn:li:dataFlow:(airflow," + name + ",prod)"
	case "dataJob":
		return "urn:li:dataJob:(" + pick(r, r.made["dataFlow"]) + "," + name + ")"
	case "chart", "dashboard":
		return "urn:li:" + kind + ":(" + pick(r, []string{"looker", "Superset"}) + "," + name + ")"
	}
	return "urn:li:" + kind + ":" + name
}

// describe returns the changes that write all aspects of an entity with new values.
func (r *maker) describe(urn string) []op {
	put := func(aspect string, value any) op { return op{upsert, urn, aspect, value} }
	var ops []op
	switch typeOf(urn) {
	case "corpuser":
		return []op{put("corpUserInfo", object{"active": true, "displayName": r.words(1, 2, " "), "email": r.word() + "@example.org"})}
	case "corpGroup":
		return []op{put("corpGroupInfo", object{"displayName": r.words(1, 3, " "), "admins": []any{}, "members": r.list("corpuser", 3), "groups": []any{}})}
	case "tag":
		return []op{put("tagProperties", object{"name": r.words(1, 2, " ", "-"), "description": r.prose()})}
	case "domain":
		return []op{put("domainProperties", object{"name": r.words(1, 2, " "), "description": r.prose()})}
	case "glossaryTerm":
		ops = append(ops, put("glossaryTermInfo", object{"name": r.words(1, 3, " "), "definition": r.prose(), "termSource": "INTERNAL"}))
		return append(ops, put("glossaryRelatedTerms", object{"isRelatedTerms": r.list("glossaryTerm", 2), "hasRelatedTerms": r.list("glossaryTerm", 2)}))
	case "container":
		ops = append(ops, put("containerProperties", object{"name": r.words(1, 2, "_"), "description": r.prose(), "customProperties": object{r.word(): r.word()}}))
		if parents := r.some("container", 1); len(parents) > 0 {
			ops = append(ops, put("container", object{"container": parents[0]}))
		}
	case "dataset":
		ops = r.dataset(urn)
	case "dataFlow":
		ops = append(ops, put("dataFlowInfo", object{"name": r.words(1, 3, "_"), "description": r.prose()}))
	case "dataJob":
		ops = r.job(urn)
	case "chart":
		ops = r.chart(urn)
	case "dashboard":
		ops = append(ops, put("dashboardInfo", object{
			"title": r.words(1, 4, " "), "description": r.prose(), "charts": r.list("chart", 3), "lastModified": object{"created": stamp(), "lastModified": stamp()},
			"chartEdges": each(r.some("chart", 2), "destinationUrn", nil), "datasets": r.list("dataset", 2),
		}))
	}
	return append(ops, r.marks(urn)...)
}

// list is like some, but returns an empty list instead of nil.
func (r *maker) list(kind string, n int) []any { return append([]any{}, r.some(kind, n)...) }

// marks returns changes of the owners, tags, terms and domain of an entity.
func (r *maker) marks(urn string) []op {
	var ops []op
	put := func(percent int, aspect string, value any) {
		if r.chance(percent) {
			ops = append(ops, op{upsert, urn, aspect, value})
		}
	}
	owners := append(r.some("corpuser", 2), r.some("corpGroup", 1)...)
	put(60, "ownership", object{"owners": each(owners, "owner", object{"type": "DATAOWNER"}), "lastModified": stamp()})
	put(50, "globalTags", object{"tags": each(r.some("tag", 3), "tag", nil)})
	if typeOf(urn) != "container" || r.chance(50) {
		put(40, "glossaryTerms", object{"terms": each(r.some("glossaryTerm", 2), "urn", nil), "auditStamp": stamp()})
	}
	put(30, "domains", object{"domains": r.list("domain", 1)})
	put(10, "browsePaths", object{"paths": []any{"/" + r.word() + "/" + pick(r, r.vocabulary[30:60]), "/shared/" + pick(r, r.vocabulary[30:40]) + "/deep"}})
	return ops
}

func (r *maker) dataset(urn string) []op {
	put := func(aspect string, value any) op { return op{upsert, urn, aspect, value} }
	var paths []string
	var fields []any
	seen := map[string]bool{}
	for range r.IntN(5) {
		path := r.words(1, 2, "_", ".")
		if seen[path] {
			continue
		}
		seen[path] = true
		paths = append(paths, path)
		fields = append(fields, object{
			"fieldPath": path, "description": r.prose(), "nativeDataType": "string", "nullable": true, "recursive": false,
			"type": object{"type": object{"com.linkedin.schema.StringType": object{}}}, "globalTags": object{"tags": each(r.some("tag", 1), "tag", nil)},
		})
	}
	r.columns[urn] = paths
	ops := []op{put("datasetProperties", object{
		"name": r.words(1, 3, "_", " "), "description": r.prose(), "customProperties": object{r.word(): r.words(1, 2, " ")}, "tags": []any{},
	})}
	if len(fields) > 0 {
		ops = append(ops, put("schemaMetadata", object{
			"schemaName": "s", "platform": partsOf(urn)[0], "version": 0, "hash": "", "fields": fields,
			"platformSchema": object{"com.linkedin.schema.OtherSchema": object{"rawSchema": ""}},
		}))
	}
	if r.chance(25) {
		ops = append(ops, put("subTypes", object{"typeNames": []any{pick(r, []string{"table", "view", "topic"})}}))
	}
	if r.chance(25) {
		if parents := r.some("container", 1); len(parents) > 0 {
			ops = append(ops, put("container", object{"container": parents[0]}))
		}
	}
	if r.chance(70) {
		upstreams := r.some("dataset", 4)
		if r.chance(5) {
			upstreams = append(upstreams, "urn:li:dataset:(urn:li:dataPlatform:hive,never.written."+r.vocabulary[40+r.IntN(30)]+",PROD)")
		}
		ops = append(ops, put("upstreamLineage", object{
			"upstreams":           each(upstreams, "dataset", object{"type": "TRANSFORMED", "auditStamp": stamp()}),
			"fineGrainedLineages": r.fineGrained(upstreams, []any{urn}),
		}))
	}
	return ops
}

// fineGrained returns entries of fine-grained lineage between columns of datasets.
func (r *maker) fineGrained(from, to []any) []any {
	entries := []any{}
	for range r.IntN(3) {
		upstreams, downstreams := r.columnsOf(from), r.columnsOf(to)
		if len(upstreams) == 0 || len(downstreams) == 0 {
			continue
		}
		entries = append(entries, object{
			"upstreamType": "FIELD_SET", "downstreamType": "FIELD", "upstreams": upstreams, "downstreams": downstreams, "confidenceScore": 1,
		})
	}
	return entries
}

// columnsOf returns one or two columns of datasets.
func (r *maker) columnsOf(datasets []any) []any {
	var found []any
	seen := map[string]bool{}
	for range 1 + r.IntN(2) {
		if len(datasets) == 0 {
			return nil
		}
		urn := pick(r, datasets).(string)
		if paths := r.columns[urn]; len(paths) > 0 {
			if c := columnOf(urn, pick(r, paths)); !seen[c] {
				seen[c] = true
				found = append(found, c)
			}
		}
	}
	return found
}

func (r *maker) job(urn string) []op {
	inputs, outputs := r.some("dataset", 3), r.some("dataset", 2)
	return []op{
		{upsert, urn, "dataJobInfo", object{"name": r.words(1, 3, "_"), "description": r.prose(), "type": object{"string": "SQL"}}},
		{upsert, urn, "dataJobInputOutput", object{
			"inputDatasets": append([]any{}, inputs...), "outputDatasets": append([]any{}, outputs...), "inputDatajobs": r.list("dataJob", 2),
			"inputDatasetEdges": each(r.some("dataset", 1), "destinationUrn", nil), "fineGrainedLineages": r.fineGrained(inputs, outputs),
		}},
	}
}

func (r *maker) chart(urn string) []op {
	inputs := r.some("dataset", 3)
	ops := []op{{upsert, urn, "chartInfo", object{
		"title": r.words(1, 4, " "), "description": r.prose(), "lastModified": object{"created": stamp(), "lastModified": stamp()},
		"inputs": each(inputs, "string", nil),
	}}}
	fields := []any{}
	for _, c := range r.columnsOf(inputs) {
		path := partsOf(c.(string))[1]
		fields = append(fields, object{"schemaFieldUrn": c, "schemaField": object{
			"fieldPath": path, "nativeDataType": "string", "nullable": false, "recursive": false,
			"type": object{"type": object{"com.linkedin.schema.StringType": object{}}},
		}})
	}
	if len(fields) > 0 {
		ops = append(ops, op{upsert, urn, "inputFields", object{"fields": fields}})
	}
	return ops
}

// changes returns later changes of the catalog.
func (r *maker) changes() []op {
	var ops []op
	for _, share := range shares {
		for i, urn := range r.made[share.kind] {
			r.position = float64(i) / float64(len(r.made[share.kind]))
			switch n := r.IntN(100); {
			case n < 30:
				ops = append(ops, r.describe(urn)...)
			case n < 36 && share.kind != "domain":
				ops = append(ops, op{upsert, urn, "status", object{"removed": true}})
				if n < 32 {
					ops = append(ops, op{upsert, urn, "status", object{"removed": false}})
				}
			case n < 40 && len(r.marksOf(urn)) > 0:
				ops = append(ops, op{kind: deleteAspect, urn: urn, aspect: pick(r, r.marksOf(urn))})
			case n < 42:
				ops = append(ops, op{kind: deleteEntity, urn: urn})
				if n == 41 {
					ops = append(ops, r.describe(urn)...)
				}
			}
		}
	}
	return ops
}

// marksOf returns the aspects of an entity that may be deleted.
func (r *maker) marksOf(urn string) []string {
	switch typeOf(urn) {
	case "dataset":
		return []string{"upstreamLineage", "schemaMetadata", "globalTags", "ownership"}
	case "dataJob":
		return []string{"dataJobInputOutput", "globalTags"}
	case "chart":
		return []string{"inputFields", "ownership"}
	}
	return nil
}
