package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// schema is a client's schema that changes tagProperties, adds an aspect with annotations
// of all kinds, and adds an entity type.
const schema = `[
{"type":"record","name":"TagProperties","namespace":"com.linkedin.pegasus2avro.tag","Aspect":{"name":"tagProperties"},"fields":[
  {"name":"name","type":"string","Searchable":{"fieldType":"WORD_GRAM","v3":{"x":1}}},
  {"name":"colorHex","type":["null","int"],"default":null},
  {"name":"shape","type":"string"}]},
{"type":"record","name":"ThingKey","namespace":"com.linkedin.pegasus2avro.metadata.key","fields":[{"name":"id","type":"string"}],
 "Aspect":{"name":"thingKey","keyForEntity":"thing","entityCategory":"CORE","entityAspects":["thingInfo","status"]}},
{"type":"record","name":"ThingInfo","namespace":"com.linkedin.pegasus2avro.thing","Aspect":{"name":"thingInfo","schemaVersion":3},"fields":[
  {"name":"kind","type":{"type":"enum","name":"ThingKind","symbols":["A","B"]},"default":"A"},
  {"name":"owners","type":{"type":"array","items":{"type":"record","name":"ThingOwner","fields":[
    {"name":"owner","type":"string","Urn":"Urn","Searchable":{"fieldName":"inside"},"Relationship":{"name":"MadeBy","entityTypes":["corpuser"]}}]}},
   "Searchable":{"/*/owner":{"fieldName":"makers","fieldType":"URN"}}},
  {"name":"labels","type":{"type":"map","values":{"type":"array","items":"string"}},"default":{},"Searchable":{"/$key":{"fieldType":"MAP_ARRAY"}}},
  {"name":"properties","type":{"type":"map","values":"string"},"default":{},"Searchable":{"/*":{"queryByDefault":true}}},
  {"name":"next","type":["null","com.linkedin.pegasus2avro.thing.ThingInfo"],"default":null},
  {"name":"seen","type":"long","Searchable":{"/time":{"fieldType":"DATETIME"}}}]}
]`

// install makes a package of a client, and a copy of the committed tables.
func install(t *testing.T) (pkg, tables string) {
	t.Helper()
	dir := t.TempDir()
	pkg, tables = filepath.Join(dir, "datahub"), filepath.Join(dir, "tables")
	if err := os.CopyFS(tables, os.DirFS("../../tables")); err != nil {
		t.Fatal(err)
	}
	for path, text := range map[string]string{
		filepath.Join(pkg, "metadata", "schema.avsc"):                 schema,
		filepath.Join(dir, "acryl_datahub-9.1.dist-info", "METADATA"): "Name: acryl-datahub\nVersion: 9.1\n",
	} {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return pkg, tables
}

func TestUnion(t *testing.T) {
	pkg, tables := install(t)
	var report bytes.Buffer
	if err := run(pkg, "", tables, &report); err != nil {
		t.Fatal(err)
	}
	read := func(table string) string {
		text, err := os.ReadFile(filepath.Join(tables, table+".json"))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	for table, lines := range map[string][]string{
		"release": {`{"package":"acryl-datahub","version":"9.1"}`},
		"entities": {
			`{"aspects":["thingInfo","status"],"category":"core","keyAspect":"thingKey","keyRecord":"<prefix>.metadata.key.ThingKey","name":"thing","timeseriesAspects":[]}`,
			`"name":"dataset"`,
		},
		"aspects": {`{"isKey":true,"kind":"versioned","name":"thingKey","record":"<prefix>.metadata.key.ThingKey"}`, `"name":"thingInfo","record":"<prefix>.thing.ThingInfo","schemaVersion":3}`},
		"records": {
			// The type of a field stays, newly required fields are optional, and removed
			// fields stay.
			`{"name":"colorHex","optional":true,"type":"string"},{"name":"shape","optional":true,"type":"string"},{"name":"description","optional":true,"type":"string"}`,
			`{"default":"A","name":"kind","optional":false,"type":"enum<ThingKind>"},{"name":"owners","optional":false,"type":"array<ThingOwner>"},{"default":{},"name":"labels","optional":false,"type":"map<string,array<string>>"}`,
			`{"name":"next","optional":true,"type":"ThingInfo"}`,
		},
		"relationships": {`"destinationEntityTypes":["corpuser"],"extra":{},"fieldPath":"owners/*/owner","isLineage":false,"isUpstream":true,"relationship":"MadeBy","sourceEntities":["thing"],"valueType":"urn"}`},
		"searchable": {
			`"fieldPath":"owners/*/owner","fieldType":"URN","flags":{},"indexField":"makers"`,
			`"fieldPath":"labels/$key","fieldType":"MAP_ARRAY","flags":{},"indexField":"labels"`,
			`"fieldPath":"properties","fieldType":"KEYWORD","flags":{"queryByDefault":true},"indexField":"properties","queryByDefaultEffective":true,"valueType":"map<string,string>"`,
			`"fieldPath":"seen","fieldType":"DATETIME","flags":{},"indexField":"seen"`,
			`"aspect":"tagProperties","entities":["tag"],"fieldPath":"name","fieldType":"WORD_GRAM","flags":{}`,
		},
	} {
		for _, line := range lines {
			if !strings.Contains(read(table), line) {
				t.Errorf("%s lacks %s", table, line)
			}
		}
	}
	if strings.Contains(read("searchable"), `"indexField":"inside"`) {
		t.Error("an annotation counts although an outer one replaces it")
	}
	for _, said := range []string{"colorHex: the type is string", "shape: the client requires this new field", "description: the client does not have it any more"} {
		if !strings.Contains(report.String(), said) {
			t.Errorf("not reported: %s", said)
		}
	}
	before := read("records") + read("searchable") + read("relationships") + read("entities") + read("aspects") + read("snapshots")
	if err := run(pkg, "", tables, &report); err != nil {
		t.Fatal(err)
	}
	if after := read("records") + read("searchable") + read("relationships") + read("entities") + read("aspects") + read("snapshots"); after != before {
		t.Error("the second run changes the tables")
	}
}

// TestInstalledClient: the committed tables contain the model of the client from which they
// were made. HEADWATER_CLIENT_PACKAGE is the client's folder datahub.
func TestInstalledClient(t *testing.T) {
	pkg := os.Getenv("HEADWATER_CLIENT_PACKAGE")
	if pkg == "" {
		t.Skip("HEADWATER_CLIENT_PACKAGE is not set")
	}
	_, tables := install(t)
	var report bytes.Buffer
	if err := run(pkg, "", tables, &report); err != nil {
		t.Fatal(err)
	}
	files, err := os.ReadDir(tables)
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		want, err := os.ReadFile(filepath.Join("../../tables", file.Name()))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(filepath.Join(tables, file.Name())); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s changes: %v", file.Name(), err)
		}
	}
}

func TestRefusals(t *testing.T) {
	pkg, tables := install(t)
	for name, err := range map[string]error{
		"no package":       run("", "", tables, &bytes.Buffer{}),
		"another package":  run(t.TempDir(), "", tables, &bytes.Buffer{}),
		"no such schema":   run(t.TempDir(), "1.0", tables, &bytes.Buffer{}),
		"no such tables":   run(pkg, "1.0", t.TempDir(), &bytes.Buffer{}),
		"an unknown place": run(filepath.Join(pkg, "metadata"), "1.0", tables, &bytes.Buffer{}),
	} {
		if err == nil {
			t.Errorf("%s is accepted", name)
		}
	}
}
