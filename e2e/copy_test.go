package e2e

import (
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/headwater-io/headwater/internal/testing/testservers"
)

// elapsed matches the duration in the output of a command.
var elapsed = regexp.MustCompile(`in [\d.]+(ms|s)\b`)

// ofTypes matches the number of entity types in the output of a copy.
var ofTypes = regexp.MustCompile(`entities of (\d+) types compared`)

// TestDocumentedCopy runs the copy in docs/coming-from-datahub.md: of the sample, with over
// 20 entity types, into an empty server.
func TestDocumentedCopy(t *testing.T) {
	p, blocks := documented(t, "docs/coming-from-datahub.md")
	if len(blocks) != 1 {
		t.Fatalf("%s has %d blocks of this test", p.name, len(blocks))
	}
	from, to := start(t, "--data", t.TempDir(), "--sample"), start(t, "--data", t.TempDir())
	for _, step := range blocks[0].steps() {
		arguments, ok := strings.CutPrefix(step.command, "headwater ")
		if !ok {
			t.Fatalf("%s:%d: %s", p.name, blocks[0].line, step.command)
		}
		addresses := strings.NewReplacer(documentedServer, from.base, "http://127.0.0.1:9090", to.base)
		printed, stderr, err := local(t, strings.Fields(addresses.Replace(arguments))...)
		if err != nil {
			t.Fatalf("%s: %v: %s", step.command, err, stderr)
		}
		printed = strings.ReplaceAll(printed, from.base, documentedServer)
		if diff := cmp.Diff(tidy(elapsed.ReplaceAllString(step.output, "in …")), tidy(elapsed.ReplaceAllString(printed, "in …"))); diff != "" {
			t.Errorf("%s:%d: the page (-) shows not what is printed (+):\n%s\n%s", p.name, blocks[0].line, diff, printed)
		}
		counted := ofTypes.FindStringSubmatch(printed)
		if counted == nil {
			t.Fatal(printed)
		}
		if types, err := strconv.Atoi(counted[1]); err != nil || types <= 20 {
			t.Errorf("%d types are shown, %v", types, err)
		}
	}
}

// TestCopyBetweenStores copies the sample from the embedded store to Neo4j and back. The
// copies must give the same answers as their source.
func TestCopyBetweenStores(t *testing.T) {
	uri := testservers.Neo4j(t)
	wipe(t, uri)
	source := start(t, "--data", t.TempDir(), "--sample")
	for _, urn := range []string{rawRefunds, "urn:li:tag:PII"} {
		source.propose("UPSERT", urn, "status", `{"removed":true}`, "cleaned")
	}
	for _, flags := range [][]string{append([]string{"--graph", uri}, typesenseFlags(testservers.Typesense(t))...), {"--data", t.TempDir()}} {
		target := start(t, flags...)
		differences := filepath.Join(t.TempDir(), "differences.jsonl")
		printed := target.run(t, "copy", source.base, "--differences", differences)
		if !strings.Contains(printed, " 0 differences") {
			t.Fatal(printed)
		}
		if second := target.run(t, "copy", source.base); !strings.Contains(second, "0 aspects and 0 time-series values written, 0 differences") {
			t.Error(second)
		}
		target.awaitIndex(time.Minute)
		for _, input := range []string{"orders", "platform:snowflake", "assertion"} {
			if diff := cmp.Diff(source.found(input), target.found(input)); diff != "" {
				t.Errorf("%s finds other entities in the copy:\n%s", input, diff)
			}
		}
		source = target
	}
}
