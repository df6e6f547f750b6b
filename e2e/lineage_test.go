package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/headwater-io/headwater/internal/testing/testclock"
	"github.com/headwater-io/headwater/internal/testing/testservers"
)

const (
	rawRefunds = "urn:li:dataset:(urn:li:dataPlatform:snowflake,analytics.raw.refunds,PROD)"
	martOrders = "urn:li:dataset:(urn:li:dataPlatform:snowflake,analytics.marts.orders,PROD)"
	board      = "urn:li:dashboard:(looker,board)"
)

// lineageQuestions returns requests about the sample catalog, for every backend.
func lineageQuestions() []string {
	var list []string
	get := func(path, urn, query string) {
		list = append(list, "GET "+path+"/"+url.QueryEscape(urn)+"?"+query)
	}
	for _, urn := range []string{rawRefunds, martOrders, board, "urn:li:dataJob:(urn:li:dataFlow:(airflow,build_marts,prod),build_revenue_daily)", "urn:li:chart:(looker,margin)"} {
		for _, direction := range []string{"UPSTREAM", "DOWNSTREAM"} {
			get("/lineage", urn, "direction="+direction+"&count=1000&paths=5&edges=true")
			get("/lineage", urn, "direction="+direction+"&columns=true&count=1000&paths=5&edges=true")
			get("/lineage", urn, "direction="+direction+"&hops=2&mergeSiblings=true&paths=2")
			get("/lineage", urn, "direction="+direction+"&start=2&count=3&removed=stop")
			get("/lineage", urn, "direction="+direction+"&reach=3")
		}
		get("/impact", urn, "")
		get("/impact", urn, "format=csv&hops=3")
		get("/lineage", urn, "platforms=snowflake&types=dataset&count=1000&paths=0")
		get("/lineage", urn, "direction=DOWNSTREAM&owners=mira.castel&paths=0")
		get("/lineage", urn, "direction=UPSTREAM&tags=PII&domains=finance&paths=0")
	}
	get("/impact", rawRefunds, "column=amount")
	get("/impact", "urn:li:schemaField:("+rawRefunds+",amount)", "")
	get("/lineage", rawRefunds, "startTimeMillis=1&endTimeMillis=2&direction=DOWNSTREAM")
	for _, body := range []string{
		`{"urn":"` + rawRefunds + `","direction":"DOWNSTREAM","maxHops":3,"count":1000}`, `{"urn":"` + martOrders + `","direction":"UPSTREAM"}`,
		`{"urn":"urn:li:dataset:(urn:li:dataPlatform:x,unknown,PROD)","direction":"UPSTREAM"}`,
	} {
		list = append(list, "POST /relationships?action=getLineage "+body)
	}
	for _, body := range []string{
		`{"urn":"` + rawRefunds + `","direction":"DOWNSTREAM","input":"*","count":1000}`,
		`{"urn":"` + rawRefunds + `","direction":"DOWNSTREAM","input":"board","entities":["dashboard"]}`,
		`{"urn":"` + rawRefunds + `","direction":"DOWNSTREAM","input":"*","filter":{"or":[{"and":[{"field":"degree","values":["1","2"]},{"field":"platform","value":"urn:li:dataPlatform:snowflake"}]}]}}`,
	} {
		list = append(list, "POST /entities?action=searchAcrossLineage "+body)
	}
	get("/openapi/timeline/v1", martOrders, "categories=TAG,OWNER,TECHNICAL_SCHEMA,LINEAGE")
	return list
}

// TestLineageAgrees compares the answers of all backends about the sample catalog, except
// for the times at which edges were written.
func TestLineageAgrees(t *testing.T) {
	var first map[string]any
	for _, b := range backends() {
		answers := map[string]any{}
		s := start(t, append(b.flags(t), "--sample")...)
		s.awaitIndex(time.Minute)
		for _, question := range lineageQuestions() {
			parts := strings.SplitN(question, " ", 3)
			body := ""
			if len(parts) == 3 {
				body = parts[2]
			}
			status, answer := s.send(parts[0], parts[1], body)
			if status != http.StatusOK {
				t.Errorf("%s: %s: %d %v", b.name, question, status, answer)
			}
			answers[question] = timeless(answer)
		}
		s.stop()
		if first == nil {
			first = answers
			continue
		}
		for question, answer := range answers {
			if diff := cmp.Diff(first[question], answer); diff != "" {
				t.Errorf("%s on %s (-embedded +it):\n%s", question, b.name, diff)
			}
		}
	}
	if t.Failed() {
		return
	}
	counts := 0
	for _, answer := range first {
		if entities, ok := at(answer, "entities").([]any); ok {
			counts += len(entities)
		}
	}
	if counts < 300 {
		t.Errorf("all answers together have %d entities", counts)
	}
}

// timeless removes the times at which the catalog itself was written, and orders hits with
// the same score by their URNs.
func timeless(answer any) any {
	switch v := answer.(type) {
	case map[string]any:
		for _, name := range []string{"since", "until", "timestamp", "auditStamp", "statedAt", "at"} {
			delete(v, name)
		}
		for name := range v {
			v[name] = timeless(v[name])
		}
		if _, search := v["metadata"]; search {
			delete(v, "metadata") // metadata repeats the hits
			if hits, ok := v["entities"].([]any); ok {
				slices.SortFunc(hits, func(a, b any) int { return strings.Compare(fmt.Sprint(at(a, "entity")), fmt.Sprint(at(b, "entity"))) })
				for _, hit := range hits {
					delete(hit.(map[string]any), "matchedFields")
				}
			}
		}
	case []any:
		for i := range v {
			v[i] = timeless(v[i])
		}
	}
	return answer
}

// TestLineageOfThePast changes the lineage of a mart in a run. It asks about the lineage
// before, about the present one and about the difference, over REST and on the command
// line.
func TestLineageOfThePast(t *testing.T) {
	for _, b := range backends() {
		t.Run(b.name, func(t *testing.T) {
			s := start(t, append(b.flags(t), "--sample")...)
			before := time.Now().UnixMilli()
			testclock.Await(t, "the next millisecond", func() bool { return time.Now().UnixMilli() > before })
			status, answer := s.send(http.MethodPost, "/aspects?action=ingestProposal", `{"proposal":{"entityType":"dataset","entityUrn":"`+martOrders+`","changeType":"UPSERT","aspectName":"upstreamLineage",
				"aspect":{"value":"{\"upstreams\":[{\"dataset\":\"`+rawRefunds+`\",\"type\":\"COPY\"}]}","contentType":"application/json"},"systemMetadata":{"runId":"rewire","lastObserved":5}}}`,
				"X-RestLi-Protocol-Version", "2.0.0", "X-DataHub-Actor", "urn:li:corpuser:ada")
			if status != http.StatusOK {
				t.Fatalf("%d %v", status, answer)
			}
			ups := func(query string) []string {
				status, answer := s.send(http.MethodGet, "/lineage/"+url.QueryEscape(martOrders)+"?types=dataset&hops=1&"+query, "")
				var list []string
				entities, _ := at(answer, "entities").([]any)
				for _, e := range entities {
					list = append(list, at(e, "name").(string))
				}
				if status != http.StatusOK {
					t.Errorf("%s: %d %v", query, status, answer)
				}
				return list
			}
			if got := ups(""); !slices.Equal(got, []string{"refunds"}) {
				t.Errorf("now: %v", got)
			}
			if got := ups(fmt.Sprintf("asOf=%d", before)); !slices.Equal(got, []string{"stg_order_lines", "stg_orders", "stg_refunds"}) {
				t.Errorf("before: %v", got)
			}
			_, diff := s.send(http.MethodGet, fmt.Sprintf("/lineage-diff/%s?before=%d&hops=1", url.QueryEscape(martOrders), before), "")
			if ended, _ := at(diff, "edgesEnded").([]any); len(ended) != 3 || at(ended[0], "untilRun") != "rewire" || at(ended[0], "untilActor") != "urn:li:corpuser:ada" {
				t.Errorf("ended: %v", at(diff, "edgesEnded"))
			}
			if added, _ := at(diff, "edgesAdded").([]any); len(added) != 1 || at(added[0], "sinceRun") != "rewire" || at(added[0], "upstream") != rawRefunds {
				t.Errorf("added: %v", at(diff, "edgesAdded"))
			}
			shown := s.run(t, "lineage", martOrders, "--hops", "1", "--diff", fmt.Sprint(before))
			for _, line := range []string{"~ refunds  dataset snowflake analytics.raw.refunds  (1 hop, was 2)", "run rewire", "- stg_refunds  ", "~ stg_orders  dataset snowflake analytics.staging.stg_orders  (2 hops, was 1)"} {
				if !strings.Contains(shown, line) {
					t.Errorf("the diff lacks %q:\n%s", line, shown)
				}
			}
			tree := s.run(t, "lineage", martOrders, "--as-of", fmt.Sprint(before), "--hops", "1")
			if !strings.Contains(tree, "├─ stg_orders  ") || strings.Contains(tree, "raw.refunds") {
				t.Errorf("the tree of before:\n%s", tree)
			}
			s.stop()
		})
	}
}

// run runs a verb of the built binary against the server and returns its output.
func (s *server) run(t *testing.T, args ...string) string {
	t.Helper()
	path, err := binary()
	if err != nil {
		t.Fatal(err)
	}
	var out, failure bytes.Buffer
	cmd := exec.Command(path, append(args, "--server", s.base)...)
	cmd.Stdout, cmd.Stderr = &out, &failure
	if err := cmd.Run(); err != nil {
		t.Errorf("headwater %s: %v: %s", strings.Join(args, " "), err, &failure)
	}
	return out.String()
}

// TestLineageOfConnectors loads files of real connectors, and compares one hop from every
// dataset with the dataset's aspect.
func TestLineageOfConnectors(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(testservers.Root(), "..", "shared", "data", "sources", "*.json"))
	if err != nil || len(files) == 0 {
		t.Skip("the reference data is not here")
	}
	files = append(files, filepath.Join(testservers.Root(), "..", "shared", "data", "bootstrap_mce.json"))
	for _, b := range backends() {
		t.Run(b.name, func(t *testing.T) {
			s := start(t, b.flags(t)...)
			s.run(t, append([]string{"ingest"}, files...)...)
			compared, columns := s.compareOneHop(t)
			t.Logf("%d datasets, %d of them with column lineage", compared, columns)
			if compared < 20 || columns < 5 {
				t.Errorf("%d datasets with lineage and %d with lineage of columns are too few to say anything", compared, columns)
			}
			s.stop()
		})
	}
}

// compareOneHop compares the walk from every dataset with upstreams with its aspect. It
// returns the number of datasets and of columns.
func (s *server) compareOneHop(t *testing.T) (compared, columns int) {
	t.Helper()
	s.awaitIndex(time.Minute)
	page := s.action("list", `{"entity":"dataset","start":0,"count":10000}`)
	urns, _ := at(page, "entities").([]any)
	for _, urn := range urns {
		_, entity := s.send(http.MethodGet, "/entitiesV2/"+url.QueryEscape(urn.(string))+"?aspects=List(upstreamLineage)", "")
		value := at(entity, "aspects", "upstreamLineage", "value")
		if value == nil {
			continue
		}
		wanted := map[string]bool{}
		upstreams, _ := at(value, "upstreams").([]any)
		for _, u := range upstreams {
			wanted[at(u, "dataset").(string)] = true
		}
		s.wantOneHop(t, urn.(string), "types=dataset", wanted)
		compared++
		byColumn := map[string]map[string]bool{}
		fine, _ := at(value, "fineGrainedLineages").([]any)
		for _, entry := range fine {
			downs, _ := at(entry, "downstreams").([]any)
			ups, _ := at(entry, "upstreams").([]any)
			for _, down := range downs {
				for _, up := range ups {
					if !strings.HasPrefix(up.(string), "urn:li:schemaField:") {
						continue
					}
					if byColumn[down.(string)] == nil {
						byColumn[down.(string)] = map[string]bool{}
					}
					byColumn[down.(string)][up.(string)] = true
				}
			}
		}
		for column, ups := range byColumn {
			s.wantOneHop(t, column, "", ups)
		}
		if len(byColumn) > 0 {
			columns++
		}
	}
	return compared, columns
}

func (s *server) wantOneHop(t *testing.T, urn, query string, wanted map[string]bool) {
	t.Helper()
	delete(wanted, urn) // a walk does not reach its own start
	_, answer := s.send(http.MethodGet, "/lineage/"+url.QueryEscape(urn)+"?hops=1&count=10000&paths=0&removed=show&"+query, "")
	got := map[string]bool{}
	entities, _ := at(answer, "entities").([]any)
	for _, e := range entities {
		got[at(e, "urn").(string)] = true
	}
	if diff := cmp.Diff(wanted, got); diff != "" {
		t.Errorf("upstream of %s (-aspect +walk):\n%s", urn, diff)
	}
}

// TestLineageVerbs tests the output forms of the verbs.
func TestLineageVerbs(t *testing.T) {
	s := start(t, "--data", t.TempDir(), "--sample")
	defer s.stop()
	var page struct {
		Total    int
		Entities []struct{ URN string }
	}
	if err := json.Unmarshal([]byte(s.run(t, "lineage", board, "--format", "json", "--type", "dataset", "--platform", "snowflake")), &page); err != nil || page.Total < 5 {
		t.Errorf("json: %+v %v", page, err)
	}
	for form, wanted := range map[string]string{
		"dot":     `"` + martOrders + `" [label="orders (dataset)"];`,
		"mermaid": "flowchart LR\n  n0[\"Board overview (dashboard)\"]\n",
		"tree":    "└─ ",
	} {
		if text := s.run(t, "lineage", board, "--upstream", "--format", form); !strings.Contains(text, wanted) {
			t.Errorf("%s lacks %q:\n%s", form, wanted, text)
		}
	}
	if text := s.run(t, "lineage", board, "--columns", "--hops", "2"); !strings.Contains(text, "[SQL, confidence 0.9]") {
		t.Errorf("columns:\n%s", text)
	}
	if text := s.run(t, "impact", rawRefunds, "--column", "amount"); !strings.Contains(text, "27 entities depend on refunds.amount: 27 possibly") || !strings.Contains(text, "nobody states by which columns") || !strings.Contains(text, "Whom to notify (9)") {
		t.Errorf("impact:\n%s", text)
	}
	table := s.run(t, "impact", rawRefunds, "--format", "csv")
	if !strings.HasPrefix(table, "urn,type,name,platform,degree,effect,columns,owners,emails,exists,removed,because,why\n") || strings.Count(table, "\n") < 6 {
		t.Errorf("csv:\n%s", table)
	}
	if text := s.run(t, "timeline", martOrders, "--category", "technical_schema"); !strings.Contains(text, "  technical_schema  Column net_amount was renamed to net_revenue") {
		t.Errorf("timeline:\n%s", text)
	}
	path, err := binary()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		code int
		args []string
	}{
		{3, []string{"lineage", "urn:li:dataset:(urn:li:dataPlatform:x,unknown,PROD)"}},
		{3, []string{"impact", "urn:li:dataset:(urn:li:dataPlatform:x,unknown,PROD)"}},
		{2, []string{"lineage", board, "--format", "picture"}},
		{2, []string{"lineage", board, "--diff", "2026-01-01", "--format", "dot"}},
		{2, []string{"lineage", board, "--upstream", "--downstream"}},
		{2, []string{"impact", board, "--format", "xls"}},
		{1, []string{"lineage", board, "--as-of", "yesterday"}},
		{1, []string{"timeline", board, "--category", "weather"}},
	} {
		cmd := exec.Command(path, append(c.args, "--server", s.base)...)
		out, _ := cmd.CombinedOutput() // the test checks the exit code
		if cmd.ProcessState.ExitCode() != c.code {
			t.Errorf("%v ends with %d, %d is wanted: %s", c.args, cmd.ProcessState.ExitCode(), c.code, out)
		}
	}
}
