package e2e

import (
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// customModel writes the model in docs/custom-models.md to a file.
func customModel(t *testing.T) string {
	t.Helper()
	var example *block
	for _, p := range documents(t) {
		for _, b := range p.blocks {
			if name, tested := b.is("tested by"); tested && name == "TestCustomModel" {
				example = b
			}
		}
	}
	if example == nil {
		t.Fatal("docs/custom-models.md has no model")
	}
	path := filepath.Join(t.TempDir(), "robots.json")
	if err := os.WriteFile(path, []byte(example.text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestCustomModelServed adds an entity type and an aspect that the code does not know, and
// finds them over every interface: REST in both forms, search, GraphQL, lineage, the tools
// for agents and the page.
func TestCustomModelServed(t *testing.T) {
	model := customModel(t)
	for _, b := range backends() {
		t.Run(b.name, func(t *testing.T) {
			s := start(t, append(b.flags(t), "--model", model)...)
			const (
				robot = "urn:li:robot:R2"
				floor = "urn:li:dataset:(urn:li:dataPlatform:hive,acme.floor,PROD)"
			)
			expect := func(answer, want any, path ...any) {
				t.Helper()
				if got := at(answer, path...); got != want {
					t.Errorf("%v is %v, want %v, in %v", path, got, want, answer)
				}
			}
			ask := func(method, target, body string) any {
				t.Helper()
				status, answer := s.send(method, target, body)
				if status != http.StatusOK {
					t.Fatalf("%s %s: %d %v", method, target, status, answer)
				}
				return answer
			}
			ask("POST", "/openapi/v3/entity/dataset?async=false", `[{"urn":"`+floor+`","freshness":{"value":{"hours":7}}}]`)
			ask("POST", "/aspects?action=ingestProposal", `{"proposal":{"entityType":"robot","entityUrn":"`+robot+`","changeType":"UPSERT","aspectName":"robotInfo",
				"aspect":{"contentType":"application/json","value":"{\"name\":\"Sweeper of the hall\",\"reads\":[\"`+floor+`\"]}"}}}`)
			s.awaitIndex(time.Minute)

			expect(ask("GET", "/openapi/v3/entity/robot/"+robot, ""), "Sweeper of the hall", "robotInfo", "value", "name")
			expect(ask("GET", "/openapi/v3/entity/robot", ""), 1.0, "totalCount")
			expect(ask("GET", "/openapi/v3/entity/dataset/"+url.PathEscape(floor)+"/freshness", ""), 7.0, "value", "hours")
			expect(ask("GET", "/entitiesV2/"+url.QueryEscape(robot)+"?aspects=List(robotInfo)", ""), "Sweeper of the hall", "aspects", "robotInfo", "value", "name")
			if status, answer := s.send("POST", "/openapi/v3/entity/robot?async=false", `[{"urn":"urn:li:robot:R3","robotInfo":{"value":{"reads":[]}}}]`); status != http.StatusBadRequest {
				t.Errorf("a robot without its name is answered with %d %v", status, answer)
			}

			expect(ask("POST", "/entities?action=search", `{"input":"sweeper","entity":"robot","start":0,"count":10}`), robot, "value", "entities", 0, "entity")
			expect(ask("POST", "/entities?action=searchAcrossEntities", `{"input":"hall sweep","entities":[],"start":0,"count":10}`), robot, "value", "entities", 0, "entity")

			found := ask("POST", "/api/graphql", `{"query":"{entity(urn:\"`+robot+`\"){urn type} searchAcrossEntities(input:{query:\"sweeper\"}){searchResults{entity{urn}}} dataset(urn:\"`+floor+`\"){lineage(input:{direction:DOWNSTREAM}){relationships{type entity{urn}}}}}"}`)
			expect(found, "OTHER", "data", "entity", "type")
			expect(found, robot, "data", "searchAcrossEntities", "searchResults", 0, "entity", "urn")
			expect(found, robot, "data", "dataset", "lineage", "relationships", 0, "entity", "urn")

			expect(ask("GET", "/lineage/"+url.PathEscape(robot)+"?direction=UPSTREAM", ""), floor, "entities", 0, "urn")
			expect(ask("GET", "/impact/"+url.PathEscape(floor), ""), "Sweeper of the hall", "entities", 0, "name")

			session := agent(t, s.overHTTP())
			for _, call := range []struct {
				tool string
				args map[string]any
			}{{"search", map[string]any{"query": "sweeper"}}, {"entities", map[string]any{"names": []string{robot}}}, {"lineage", map[string]any{"of": floor, "direction": "downstream"}}} {
				answer, refused := answerTo(t, session, call.tool, call.args)
				if text := fmt.Sprint(answer); refused != "" || !strings.Contains(text, "Sweeper of the hall") {
					t.Errorf("the tool %s answers %s%s", call.tool, refused, text)
				}
			}

			t.Run("page", func(t *testing.T) {
				browserFor(t).run(t, flowsMarked("@stores"), "HEADWATER_CUSTOM_URL="+s.base)
			})
		})
	}
}
