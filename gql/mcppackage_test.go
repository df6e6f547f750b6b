package gql_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/vektah/gqlparser/v2"
)

// testedMCPServer is the release of the official MCP server whose documents are
// validated.
const testedMCPServer = "0.8.0"

// otherServers mark the lines that the MCP server sends only to other servers: to cloud
// servers, and to servers that have newer members.
var otherServers = []string{"#[CLOUD]", "#[NEWER_GMS]"}

// withoutOthers returns a document as the MCP server sends it to an open-source server.
func withoutOthers(text string) string {
	lines := slices.DeleteFunc(strings.Split(text, "\n"), func(line string) bool {
		return slices.ContainsFunc(otherServers, func(mark string) bool { return strings.Contains(line, mark) })
	})
	return strings.Join(lines, "\n")
}

// TestMCPServerPackage validates every GraphQL document of the official MCP server. Each
// document is validated as a whole, because the MCP server sends it as a whole.
func TestMCPServerPackage(t *testing.T) {
	schema, operations := loadSchema(t), 0
	for _, d := range packageTexts(t, installed(t, "mcp_server_datahub-"+testedMCPServer, "mcp_server_datahub")) {
		doc, errs := gqlparser.LoadQueryWithRules(schema, withoutOthers(d.Text), nil)
		if errs != nil {
			t.Errorf("%s: %s", d.Source, reasonsOf(errs))
			continue
		}
		operations += len(doc.Operations)
	}
	if operations < 35 {
		t.Errorf("only %d operations were found", operations)
	}
	t.Logf("%d operations are valid", operations)
}
