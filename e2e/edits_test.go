package e2e

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// TestEditsAtTheCommandLine: on both stores, the editing verbs write to the aspects for
// people's edits, as the actor of the command. A dry run and a refused edit write nothing.
func TestEditsAtTheCommandLine(t *testing.T) {
	const (
		table  = "urn:li:dataset:(urn:li:dataPlatform:hive,shop.orders,PROD)"
		schema = `{"schemaName":"s","platform":"urn:li:dataPlatform:hive","version":0,"hash":"","platformSchema":{"com.linkedin.schema.OtherSchema":{"rawSchema":""}},"fields":[{"fieldPath":"paid","nativeDataType":"int","type":{"type":{"com.linkedin.schema.NumberType":{}}}}]}`
	)
	for _, b := range backends() {
		t.Run(b.name, func(t *testing.T) {
			s := start(t, b.flags(t)...)
			for _, p := range [][3]string{
				{table, "schemaMetadata", schema},
				{"urn:li:corpuser:ada", "corpUserInfo", `{"active":true,"displayName":"Ada Wren"}`},
				{"urn:li:tag:PII", "tagProperties", `{"name":"PII"}`},
				{"urn:li:glossaryTerm:Revenue", "glossaryTermInfo", `{"name":"Revenue","definition":"money","termSource":"INTERNAL"}`},
				{"urn:li:domain:d1", "domainProperties", `{"name":"Sales"}`},
			} {
				s.propose("UPSERT", p[0], p[1], p[2], "setup")
			}
			s.awaitIndex(time.Minute)
			before := s.exported(t, filepath.Join(t.TempDir(), "before.jsonl"))
			edits := [][]string{
				{"tag", "shop.orders", "PII"},
				{"tag", "orders.paid", "PII"},
				{"term", "orders.paid", "Revenue"},
				{"describe", "orders.paid", "In euros."},
				{"describe", "orders", "What is ordered."},
				{"own", "orders", "Ada Wren", "--as", "technical"},
				{"domain", "orders", "Sales"},
			}
			for _, args := range edits {
				if out := s.run(t, append(args, "--dry-run")...); !strings.Contains(out, "would change: ") {
					t.Errorf("a dry run of %v: %s", args, out)
				}
			}
			refused := map[string]int{
				"tag shop.order PII": 3, "tag orders.pad PII": 3, "tag orders PI": 3, "tag orders urn:li:tag:none": 3, "own orders urn:li:corpuser:none": 3,
				"domain orders Sale": 3, "tag urn:li:tag:none PII": 3, "domain orders.paid Sales": 1, "describe corpuser:ada tall": 1,
			}
			for line, code := range refused {
				if got := s.exitCode(t, strings.Fields(line)...); got != code {
					t.Errorf("%s: exit %d", line, got)
				}
			}
			if diff := cmp.Diff(before, s.exported(t, filepath.Join(t.TempDir(), "after.jsonl"))); diff != "" {
				t.Errorf("dry runs and refused edits wrote something:\n%s", diff)
			}
			for _, args := range edits {
				for _, says := range []string{"changed: ", "nothing changes: "} {
					if out := s.run(t, append(args, "--actor", "Ada Wren")...); !strings.HasPrefix(out, says) {
						t.Errorf("%v: %s", args, out)
					}
				}
			}
			s.states(table, map[string]string{
				"globalTags": "urn:li:tag:PII", "ownership": "urn:li:ownershipType:__system__technical_owner", "domains": "urn:li:domain:d1",
				"editableDatasetProperties": "What is ordered.", "editableSchemaMetadata": "In euros.",
			})
			for _, args := range [][]string{
				{"tag", "orders", "PII", "--remove"},
				{"tag", "orders.paid", "PII", "--remove"},
				{"own", "orders", "ada", "--remove"},
				{"domain", "orders", "--remove"},
				{"describe", "orders", "--remove"},
				{"describe", "orders.paid", "--remove"},
			} {
				if out := s.run(t, args...); !strings.HasPrefix(out, "changed: ") {
					t.Errorf("%v: %s", args, out)
				}
			}
			s.states(table, map[string]string{
				"globalTags": `"tags":[]`, "ownership": `"owners":[]`, "domains": `"domains":[]`,
				"editableSchemaMetadata": `{"editableSchemaFieldInfo":[{"fieldPath":"paid","globalTags":{"tags":[]},"glossaryTerms":{"auditStamp":{"actor":"urn:li:corpuser:ada"`,
			})
		})
	}
}

// states checks that aspects of an entity contain certain texts.
func (s *server) states(urn string, want map[string]string) {
	s.t.Helper()
	for aspect, part := range want {
		status, answer := s.send(http.MethodGet, "/openapi/v3/entity/dataset/"+url.PathEscape(urn)+"/"+aspect, "")
		text, err := json.Marshal(answer)
		if status != http.StatusOK || err != nil || !strings.Contains(string(text), part) {
			s.t.Errorf("%s: %d %v %s", aspect, status, err, text)
		}
	}
}

// exitCode runs the program against the server and returns the exit code.
func (s *server) exitCode(t *testing.T, args ...string) int {
	t.Helper()
	path, err := binary()
	if err != nil {
		t.Fatal(err)
	}
	err = exec.Command(path, append(args, "--server", s.base)...).Run()
	var failed *exec.ExitError
	if err != nil && !errors.As(err, &failed) {
		t.Fatal(err)
	}
	if failed == nil {
		return 0
	}
	return failed.ExitCode()
}
