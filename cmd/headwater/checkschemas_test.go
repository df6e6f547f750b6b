package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/headwater-io/headwater/cmd/headwater/internal/cli"
)

// TestCheckSchemaOfTopic: the schema of a topic in a file is compared with the schema that the catalog has of it, under
// the paths with types that the client's source of Kafka writes. The loss of a field certainly breaks the readers of
// the field.
func TestCheckSchemaOfTopic(t *testing.T) {
	server, dir := goldenServer(t), t.TempDir()
	const topic, table = "urn:li:dataset:(urn:li:dataPlatform:kafka,shop.orders,PROD)", "urn:li:dataset:(urn:li:dataPlatform:snowflake,shop.order_lines,PROD)"
	const sku = "[version=2.0].[type=Order].[type=array].[type=Line].lines.[type=string].sku"
	field := func(path, native string, nullable bool) string {
		return fmt.Sprintf(`{"fieldPath":%q,"nativeDataType":%q,"nullable":%t,"type":{"type":{"com.linkedin.schema.StringType":{}}}}`, path, native, nullable)
	}
	schema := func(name string, fields ...string) string {
		return `{"schemaName":"` + name + `","platform":"urn:li:dataPlatform:kafka","version":0,"hash":"","platformSchema":{"com.linkedin.schema.OtherSchema":{"rawSchema":""}},"fields":[` + strings.Join(fields, ",") + `]}`
	}
	column := func(dataset, path string) string { return "urn:li:schemaField:(" + dataset + "," + path + ")" }
	var lines strings.Builder
	for _, p := range []struct{ urn, aspect, value string }{
		{topic, "schemaMetadata", schema("orders", field("[version=2.0].[key=True].[type=string].id", "string", false), field("[version=2.0].[type=Order].[type=long].id", "id", false),
			field("[version=2.0].[type=Order].[type=array].[type=Line].lines", "lines", false), field(sku, "sku", false))},
		{table, "schemaMetadata", schema("order_lines", field("sku", "varchar", true), field("id", "varchar", true))},
		{table, "upstreamLineage", `{"upstreams":[{"dataset":"` + topic + `","type":"TRANSFORMED"}],"fineGrainedLineages":[
			{"upstreamType":"FIELD_SET","upstreams":["` + column(topic, sku) + `"],"downstreamType":"FIELD","downstreams":["` + column(table, "sku") + `"]},
			{"upstreamType":"FIELD_SET","upstreams":["` + column(topic, "[version=2.0].[type=Order].[type=long].id") + `"],"downstreamType":"FIELD","downstreams":["` + column(table, "id") + `"]}]}`},
	} {
		compact := strings.Join(strings.Fields(p.value), " ")
		fmt.Fprintf(&lines, `{"entityType":"dataset","entityUrn":%q,"changeType":"UPSERT","aspectName":%q,"aspect":{"json":%s}}`+"\n", p.urn, p.aspect, compact)
	}
	if code, out, errs := headwater(t, lines.String(), "ingest", "-", "--server", server); code != cli.ExitOK {
		t.Fatal(out, errs)
	}
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	avro := func(line string) string {
		return `{"type":"record","name":"Order","namespace":"shop","fields":[{"name":"id","type":"long"},{"name":"lines","type":{"type":"array","items":{"type":"record","name":"Line","fields":[` + line + `]}}}]}`
	}
	same, changed := write("same.avsc", avro(`{"name":"sku","type":"string"}`)), write("changed.avsc", avro(""))
	exported := filepath.Join(dir, "catalog.json")
	if code, _, errs := headwater(t, "", "check", "export", exported, "--server", server); code != cli.ExitOK {
		t.Fatal(errs)
	}
	for _, catalog := range [][]string{{"--server", server}, {"--catalog", exported}} {
		ask := func(args ...string) (int, string) {
			code, out, errs := headwater(t, "", slices.Concat([]string{"check"}, args, catalog, []string{"-o", "json"})...)
			if code != cli.ExitOK && code != cli.ExitRefused {
				t.Error(errs)
			}
			return code, out
		}
		if code, out := ask("--head", same, "--dataset", "shop.orders"); code != cli.ExitOK || !strings.Contains(out, `"changes": []`) {
			t.Errorf("%v exit %d: %s", catalog, code, out)
		}
		for _, args := range [][]string{
			{"--head", changed, "--dataset", "shop.orders"},
			{"--head", changed, "--dataset", topic},
			{"--head", changed, "--dataset", "shop.Order=shop.orders"},
			{"--base", same, "--head", changed, "--dataset", "shop.orders"},
		} {
			code, out := ask(args...)
			var said struct {
				Changes []struct{ Kind, Column, URN, Path string }
				Certain []struct{ URN, Why string }
			}
			if err := json.Unmarshal([]byte(out), &said); err != nil {
				t.Fatal(out)
			}
			if code != cli.ExitRefused || len(said.Changes) != 1 || said.Changes[0].Column != "lines.sku" || said.Changes[0].URN != topic || said.Changes[0].Path != sku || len(said.Certain) != 1 || said.Certain[0].URN != table {
				t.Errorf("%v %v exit %d: %s", args, catalog, code, out)
			}
		}
	}
}

// TestCheckSchemaFiles: files of schemas are read by their kinds, alone and from a directory; a flag that does not fit is told.
func TestCheckSchemaFiles(t *testing.T) {
	files := filepath.Join("..", "..", "catalog", "schemafile", "testdata")
	for _, name := range []string{"order.avsc", "order.schema.json", "shop.openapi.json", "order.binpb"} {
		path := filepath.Join(files, name)
		if code, out, errs := headwater(t, "", "check", "--base", path, "--head", path); code != cli.ExitOK {
			t.Errorf("%s exit %d: %s%s", name, code, out, errs)
		}
	}
	schemas := t.TempDir()
	for name, text := range map[string]string{"a.avsc": `{"type":"record","name":"A","fields":[{"name":"x","type":"int"}]}`, "b/b.json": `{"title":"B","type":"object","properties":{"y":{"type":"string"}}}`, "c.yaml": "rules: []\n"} {
		path := filepath.Join(schemas, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	empty := filepath.Join(t.TempDir(), "tables.json")
	if err := os.WriteFile(empty, []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	code, out, errs := headwater(t, "", "check", "--base", empty, "--head", schemas, "--dataset", "A=shop.a", "--dataset", "b=shop.b", "--platform", "kafka")
	if code != cli.ExitOK || !strings.Contains(out, "shop.a is new") || !strings.Contains(out, "shop.b is new") {
		t.Errorf("exit %d: %s%s", code, out, errs)
	}
	avro := filepath.Join(files, "order.avsc")
	for _, one := range []struct {
		args []string
		want string
	}{
		{[]string{"--head", schemas, "--dataset", "shop.a"}, `must name one of the schemas, as SCHEMA=DATASET: A, b`},
		{[]string{"--head", avro, "--dataset", "shop.Ordr=orders"}, `no file has a schema "shop.Ordr" (did you mean shop.Order?)`},
		{[]string{"--head", avro, "--dataset", "shop.Order="}, "names no dataset"},
		{[]string{"--head", avro, "--dataset", "urn:li:tag:a"}, "is not the URN of a dataset"},
		{[]string{"--head", empty, "--dataset", "orders"}, "for files of schemas, and none was read"},
	} {
		code, out, errs := headwater(t, "", append([]string{"check", "--base", empty}, one.args...)...)
		if code != cli.ExitUsage || !strings.Contains(errs, one.want) {
			t.Errorf("%v exit %d: %s%s, want %q", one.args, code, out, errs, one.want)
		}
	}
}
