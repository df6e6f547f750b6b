package main

import (
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// tables are the model's tables, to which union adds a client's model.
type tables struct {
	entities, aspects, records, snapshots map[string]row
	searchable, edges                     []row
	release                               string
	report                                io.Writer

	// byShort has the records and enums by their names without packages.
	byShort map[string]string
	// annotated has the client's annotations by "<record>#<field>".
	annotated map[string]map[string]any
}

// files returns the tables by file name, each with the column that identifies its rows.
func (t *tables) files() map[string]struct {
	key  string
	rows *map[string]row
} {
	return map[string]struct {
		key  string
		rows *map[string]row
	}{
		"entities": {"name", &t.entities}, "aspects": {"name", &t.aspects}, "records": {"name", &t.records}, "snapshots": {"snapshot", &t.snapshots},
	}
}

func readTables(dir string) (*tables, error) {
	t := &tables{}
	for name, file := range t.files() {
		rows, err := readRows(filepath.Join(dir, name+".json"))
		if err != nil {
			return nil, err
		}
		*file.rows = make(map[string]row, len(rows))
		for _, r := range rows {
			(*file.rows)[text(r, file.key)] = r
		}
	}
	var err error
	if t.searchable, err = readRows(filepath.Join(dir, "searchable.json")); err != nil {
		return nil, err
	}
	t.edges, err = readRows(filepath.Join(dir, "relationships.json"))
	return t, err
}

func (t *tables) write(dir string) error {
	for name, file := range t.files() {
		var rows []row
		for _, key := range slices.Sorted(maps.Keys(*file.rows)) {
			rows = append(rows, (*file.rows)[key])
		}
		if err := writeRows(filepath.Join(dir, name+".json"), rows); err != nil {
			return err
		}
	}
	if err := writeRows(filepath.Join(dir, "searchable.json"), t.searchable); err != nil {
		return err
	}
	if err := writeRows(filepath.Join(dir, "relationships.json"), t.edges); err != nil {
		return err
	}
	line, err := encode(row{"package": "acryl-datahub", "version": t.release})
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "release.json"), append(line, '\n'), 0o644)
}

func (t *tables) say(format string, args ...any) { fmt.Fprintf(t.report, format+"\n", args...) }

// legacy matches the client's records of snapshots and of the unions of their aspects.
var legacy = regexp.MustCompile(`^<prefix>\.metadata\.(snapshot|aspect)\.|\.MetadataChangeEvent$`)

// union adds a client's model to the tables.
func (t *tables) union(c *client) {
	t.annotated = map[string]map[string]any{}
	for _, name := range c.order {
		if !legacy.MatchString(name) {
			t.addRecord(c, name)
		}
	}
	t.byShort = map[string]string{}
	for name, r := range t.records {
		if text(r, "kind") != "typeref" {
			t.byShort[short(name)] = name
		}
	}
	for _, name := range c.order {
		if info, ok := c.types[name]["Aspect"].(map[string]any); ok {
			t.addAspect(name, info)
		}
	}
	for _, name := range c.order {
		if strings.HasPrefix(name, neutralPrefix+"metadata.snapshot.") {
			t.addSnapshot(c, name)
		}
	}
	for _, e := range t.entities {
		series := []any{}
		for _, name := range texts(e["aspects"]) {
			if text(t.aspects[name], "kind") == "timeseries" {
				series = append(series, name)
			}
		}
		e["timeseriesAspects"] = series
	}
	t.addAnnotations()
}

func (t *tables) addRecord(c *client, name string) {
	node := c.types[name]
	kind := strings.Replace(text(node, "type"), "error", "record", 1)
	former := t.records[name]
	r := row{"name": name, "kind": kind}
	if symbols, ok := node["symbols"].([]any); ok {
		r["symbols"] = t.symbols(name, symbols, former)
	}
	if size, ok := node["size"]; ok {
		r["size"] = size
	}
	if _, ok := node["fields"]; ok {
		fields := []any{}
		seen := map[string]bool{}
		for _, f := range objects(node["fields"]) {
			field := c.field(f)
			fields = append(fields, t.fieldOf(name, field, former))
			seen[text(field, "name")] = true
			t.annotated[name+"#"+text(field, "name")] = map[string]any{"Searchable": f["Searchable"], "Relationship": f["Relationship"]}
		}
		for _, f := range objects(former["fields"]) {
			if !seen[text(f, "name")] {
				t.say("%s.%s: the client does not have it any more; it stays, optional", name, text(f, "name"))
				f["optional"] = true
				fields = append(fields, f)
			}
		}
		r["fields"] = fields
	}
	t.records[name] = r
}

// symbols returns the symbols of an enum, and adds the symbols that only the tables have.
func (t *tables) symbols(name string, symbols []any, former row) []any {
	for _, symbol := range texts(former["symbols"]) {
		if !slices.Contains(texts(any(symbols)), symbol) {
			t.say("%s: the client does not have the symbol %s any more; it stays", name, symbol)
			symbols = append(symbols, symbol)
		}
	}
	return symbols
}

// fieldOf returns the new row of a field, changed so that all formerly valid values stay
// valid.
func (t *tables) fieldOf(record string, field, former row) row {
	_, hasDefault := field["default"]
	for _, f := range objects(former["fields"]) {
		if text(f, "name") != text(field, "name") {
			continue
		}
		if before, now := text(f, "type"), text(field, "type"); before != now {
			if withoutMarks(before) != withoutMarks(now) {
				t.say("%s.%s: the type is %s, the client has %s; it stays", record, text(field, "name"), before, now)
			}
			field["type"] = before
		}
		if f["optional"] == true && field["optional"] != true && !hasDefault {
			t.say("%s.%s: the client requires it; it stays optional", record, text(field, "name"))
			field["optional"] = true
		}
		if before, ok := f["default"]; ok && !hasDefault && field["optional"] != true {
			field["default"] = before
		}
		return field
	}
	if former != nil && field["optional"] != true && !hasDefault {
		t.say("%s.%s: the client requires this new field; it is optional", record, text(field, "name"))
		field["optional"] = true
	}
	return field
}

// marks matches the notations of texts with a known form.
var marks = regexp.MustCompile(`\burn(<\w+>)?|\bur[li]\b`)

func withoutMarks(typ string) string { return marks.ReplaceAllString(typ, "string") }

func (t *tables) addAspect(record string, info map[string]any) {
	name, kind := text(info, "name"), "versioned"
	if text(info, "type") == "timeseries" {
		kind = "timeseries"
	}
	entity := text(info, "keyForEntity")
	if former := t.aspects[name]; former != nil {
		if text(former, "kind") != kind || text(former, "record") != record {
			t.say("aspect %s: the client has another kind or record; it stays", name)
		}
	} else {
		t.aspects[name] = row{"name": name, "record": record, "kind": kind, "isKey": entity != ""}
	}
	if version := info["schemaVersion"]; version != nil {
		t.aspects[name]["schemaVersion"] = version
	}
	if entity == "" {
		return
	}
	aspects := texts(info["entityAspects"])
	for _, aspect := range texts(t.entities[entity]["aspects"]) {
		if !slices.Contains(aspects, aspect) {
			aspects = append(aspects, aspect)
		}
	}
	e := row{"name": entity, "keyAspect": name, "keyRecord": record, "aspects": anyList(aspects), "category": nil}
	if category := text(info, "entityCategory"); category != "" && category != "_unset_" {
		e["category"] = strings.ToLower(category)
	}
	if former := t.entities[entity]; former != nil && text(former, "keyAspect") != name {
		t.say("entity %s: the client has the key aspect %s; %s stays", entity, name, text(former, "keyAspect"))
		e["keyAspect"], e["keyRecord"] = former["keyAspect"], former["keyRecord"]
	}
	t.entities[entity] = e
}

func (t *tables) addSnapshot(c *client, name string) {
	node := c.types[name]
	entity, _ := node["Entity"].(map[string]any)
	var members []any
	for _, f := range objects(node["fields"]) {
		if list, ok := f["type"].(map[string]any); ok && text(f, "name") == "aspects" {
			members, _ = list["array"].([]any)
		}
	}
	s := row{"snapshot": name, "entity": text(entity, "name"), "keyAspect": text(entity, "keyAspect")}
	rows := []any{}
	has := map[string]bool{}
	for _, record := range texts(any(members)) {
		info, _ := c.types[record]["Aspect"].(map[string]any)
		rows = append(rows, row{"aspect": text(info, "name"), "unionMember": record})
		has[text(info, "name")] = true
	}
	for _, m := range objects(t.snapshots[name]["aspects"]) {
		if !has[text(m, "aspect")] {
			rows = append(rows, m)
		}
	}
	s["aspects"] = rows
	t.snapshots[name] = s
}

// addAnnotations adds the client's annotations about search and edges. Rows that the client
// no longer has stay.
func (t *tables) addAnnotations() {
	var searchable, edges []row
	for _, name := range slices.Sorted(maps.Keys(t.aspects)) {
		record := text(t.aspects[name], "record")
		for _, f := range t.annotations("Searchable", record) {
			if f.value != nil {
				searchable = append(searchable, t.searchRow(name, f))
			}
		}
		for _, f := range t.annotations("Relationship", record) {
			if len(f.value) > 0 {
				edges = append(edges, t.edgeRow(name, f))
			}
		}
	}
	t.searchable = t.merged(t.searchable, searchable, "entities", "aspect", "fieldPath", "indexField")
	t.edges = t.merged(t.edges, edges, "sourceEntities", "aspect", "fieldPath", "relationship")
}

// merged returns a table in which new rows replace rows with the same keys. Other new rows come after the
// rows of their aspects.
func (t *tables) merged(former, now []row, entities string, keys ...string) []row {
	keyOf := func(r row) string {
		parts := make([]string, len(keys))
		for i, key := range keys {
			parts[i] = text(r, key)
		}
		return strings.Join(parts, " ")
	}
	fresh := map[string]row{}
	for _, r := range now {
		fresh[keyOf(r)] = r
	}
	var rows []row
	known := map[string]bool{}
	for _, r := range former {
		key := keyOf(r)
		known[key] = true
		if n, ok := fresh[key]; ok {
			r = n
		} else {
			t.say("%s: the client does not have this annotation any more; it stays", key)
			r[entities] = t.entitiesOf(text(r, "aspect"))
		}
		rows = append(rows, r)
	}
	for _, r := range now {
		if key := keyOf(r); !known[key] {
			known[key] = true
			rows = append(rows, r)
		}
	}
	slices.SortStableFunc(rows, func(a, b row) int { return strings.Compare(text(a, "aspect"), text(b, "aspect")) })
	return rows
}

// entitiesOf returns the entity types that have an aspect, sorted.
func (t *tables) entitiesOf(aspect string) []any {
	entities := []any{}
	for _, name := range slices.Sorted(maps.Keys(t.entities)) {
		e := t.entities[name]
		if text(e, "keyAspect") == aspect || slices.Contains(texts(e["aspects"]), aspect) {
			entities = append(entities, name)
		}
	}
	return entities
}

func anyList(list []string) []any {
	items := make([]any, len(list))
	for i := range list {
		items[i] = list[i]
	}
	return items
}
