package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/headwater-io/headwater/cmd/headwater/internal/cli"
)

// TestCheckFormsAndProperties: the forms that ask about a dropped column, and the structured properties that the column
// has, are told with their names. Forms and properties of other columns are not.
func TestCheckFormsAndProperties(t *testing.T) {
	server, dir := goldenServer(t), t.TempDir()
	const table = "urn:li:dataset:(urn:li:dataPlatform:postgres,att.orders,PROD)"
	const stamp = `{"time":1,"actor":"urn:li:corpuser:ada"}`
	schema := `{"schemaName":"orders","platform":"urn:li:dataPlatform:postgres","version":0,"hash":"","platformSchema":{"com.linkedin.schema.OtherSchema":{"rawSchema":""}},"fields":[%s]}`
	var fields []string
	for _, name := range []string{"id", "note"} {
		fields = append(fields, `{"fieldPath":"`+name+`","nativeDataType":"int","nullable":true,"type":{"type":{"com.linkedin.schema.NumberType":{}}}}`)
	}
	prompt := func(column string) string {
		return `{"id":"p","lastModified":` + stamp + `,"fieldAssociations":{"completedFieldPrompts":[{"fieldPath":"` + column + `","lastModified":` + stamp + `}],"incompleteFieldPrompts":[]}}`
	}
	form := func(urn, column string) string {
		return `{"urn":"` + urn + `","incompletePrompts":[],"completedPrompts":[` + prompt(column) + `]}`
	}
	property := `{"properties":[{"propertyUrn":"urn:li:structuredProperty:att.retention","values":[{"double":30}]}]}`
	var lines strings.Builder
	for _, p := range []struct{ entity, urn, aspect, value string }{
		{"form", "urn:li:form:att-review", "formInfo", `{"name":"Review","type":"COMPLETION","prompts":[]}`},
		{"structuredProperty", "urn:li:structuredProperty:att.retention", "propertyDefinition", `{"qualifiedName":"att.retention","displayName":"Retention","valueType":"urn:li:dataType:datahub.number","cardinality":"SINGLE","entityTypes":["urn:li:entityType:datahub.schemaField"]}`},
		{"dataset", table, "schemaMetadata", fmt.Sprintf(schema, strings.Join(fields, ","))},
		{"dataset", table, "forms", `{"incompleteForms":[],"completedForms":[` + form("urn:li:form:att-review", "note") + `,` + form("urn:li:form:att-other", "id") + `],"verifications":[]}`},
		{"schemaField", "urn:li:schemaField:(" + table + ",note)", "structuredProperties", property},
	} {
		fmt.Fprintf(&lines, `{"entityType":%q,"entityUrn":%q,"changeType":"UPSERT","aspectName":%q,"aspect":{"json":%s}}`+"\n", p.entity, p.urn, p.aspect, p.value)
	}
	if code, out, errs := headwater(t, lines.String(), "ingest", "-", "--server", server); code != cli.ExitOK {
		t.Fatal(out, errs)
	}
	script := filepath.Join(dir, "1.sql")
	if err := os.WriteFile(script, []byte("alter table att.orders drop column note;\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, out, errs := headwater(t, "", "check", "--head", script, "--dialect", "postgres", "--server", server, "-o", "json")
	var said struct {
		Forms      []struct{ URN, Name, Column string }
		Properties []struct{ URN, Name, Column string } `json:"structuredProperties"`
	}
	if err := json.Unmarshal([]byte(out), &said); err != nil {
		t.Fatal(out, errs)
	}
	if len(said.Forms) != 1 || said.Forms[0].Name != "Review" || said.Forms[0].Column != "note" || len(said.Properties) != 1 || said.Properties[0].Name != "Retention" {
		t.Errorf("%+v %s", said, out)
	}
}
