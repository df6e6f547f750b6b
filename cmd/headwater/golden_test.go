package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/delivery"
	"github.com/headwater-io/headwater/catalog/failed"
	"github.com/headwater-io/headwater/catalog/services"
	"github.com/headwater-io/headwater/catalog/webhooks"
	"github.com/headwater-io/headwater/cmd/headwater/internal/cli"
	"github.com/headwater-io/headwater/gql"
	"github.com/headwater-io/headwater/graphstore/embedded"
	"github.com/headwater-io/headwater/internal/hooksend"
	"github.com/headwater-io/headwater/internal/testing/testcatalog"
	"github.com/headwater-io/headwater/rest"
)

var update = flag.Bool("update", false, "write the golden files")

// goldenOrders is the dataset that most golden commands are about.
const goldenOrders = "urn:li:dataset:(urn:li:dataPlatform:snowflake,shop.marts.orders,PROD)"

// goldenSecret is the secret of webhooks.
const goldenSecret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"

// golden has the tested command lines, by verb. The output of a verb's lines is compared
// with testdata/golden/<name>.golden. The lines of a verb run in order on a catalog of
// their own. DIR stands for a temporary directory. SOURCE stands for this catalog in lines
// of copy, whose --server is an empty catalog.
var golden = map[string][]string{
	"get": {
		"get shop.marts.orders", "get " + goldenOrders + " --stated", "get urn:li:dashboard:(looker,sales)", "get urn:li:chart:(looker,paid)",
		"get urn:li:dataJob:(urn:li:dataFlow:(airflow,nightly,PROD),copy_orders)", "get urn:li:corpuser:ada", "get urn:li:corpGroup:data",
		"get urn:li:tag:PII", "get urn:li:glossaryTerm:Revenue", "get urn:li:domain:sales", "get urn:li:container:marts", "get urn:li:tag:hostile",
		"get urn:li:tag:PII -o json", "get urn:li:tag:hostile -a tagProperties -o json", "get " + goldenOrders + " -a ownership",
		"get " + goldenOrders + " -a ownership --version 1", "get " + goldenOrders + " -a ownership --version 1 -o json",
		"get shop.public.orders", "get shop.public.orders -a datasetProfile", "get shop.public.orders -a operation", "get shop.public.orders -a datasetProfile --version 1",
		"get " + goldenOrders + " --as-of 2026-11-01T12:00:00Z", "get " + goldenOrders + " --as-of 2026-10-01", "get urn:li:tag:PII --as-of 2026-11-02 -o json", "get urn:li:chart:(looker,paid) -o json",
		"get urn:li:tag:none", "get urn:li:tag:none -o json",
	},
	"search": {
		"search orders", "search tags:PII", "search shop --limit 2", "search nosuch", "search --type tag", "search Revenue --facets",
		"search orders --limit 1 -o json", "search nosuch -o json",
		"search snowflake orders paid", "search snowflake orders paid --as-typed=false", "search what is the paid nosuch",
		"search snowflake orders nosuch --as-typed --type dataset --limit 1 -o json",
	},
	"columns": {
		"columns --personal", "columns order", "columns --tag PII --platform snowflake --domain Sales --owner ada", "columns --dataset shop.public.orders --limit 1", "columns --start 99",
		"columns nosuch", "columns id --column-type nosuch", "columns --personal --format csv", "columns order --limit 1 -o json", "columns --personal --limit 1 -o json",
		"columns --tag PI", "columns --platform nosuch", "columns --limit 10001 -o json", "columns -f xml",
	},
	"unused": {
		"unused shop.public.orders", "unused shop.public.orders --all --days 3650 -o json", "unused nosuch", "unused orders --query x", "unused --days 0",
	},
	"lineage": {
		"lineage " + goldenOrders, "lineage " + goldenOrders + " --downstream", "lineage " + goldenOrders + " --urns", "lineage " + goldenOrders + " --columns",
		"lineage " + goldenOrders + " --format mermaid", "lineage " + goldenOrders + " --format dot", "lineage " + goldenOrders + " --diff 2026-10-01",
		"lineage " + goldenOrders + " -o json --hops 1", "lineage " + goldenOrders + " -o json --diff 2026-10-01 --hops 1",
	},
	"impact": {
		"impact " + goldenOrders, "impact " + goldenOrders + " --column paid", "impact urn:li:dashboard:(looker,sales)",
		"impact " + goldenOrders + " --format csv", "impact " + goldenOrders + " -o json", "impact " + goldenOrders + " --column paid -o json",
		"impact " + goldenOrders + " --column pid -o json",
	},
	"timeline": {
		"timeline " + goldenOrders + " --start 2026-01-01", "timeline " + goldenOrders + " --start 2026-01-01 --category technical_schema --all",
		"timeline " + goldenOrders + " --start 2026-01-01 --category owner -o json", "timeline " + goldenOrders + " --start 2026-01-01 --end 2026-01-02",
	},
	"changes": {
		"changes " + goldenOrders + " --since 2026-01-01", "changes " + goldenOrders + " --since 2026-11-01 --category owner -o json", "changes " + goldenOrders + " --since 2026-01-01 --count 1",
		"changes " + goldenOrders + " --since 2099-01-01", "changes " + goldenOrders, "changes shop.marts.order --since 2026-01-01",
	},
	"restore": {
		"tag shop.marts.revenue PII", "restore shop.marts.revenue --as-of 2026-11-02 --dry-run", "restore shop.marts.revenue --as-of 2026-11-02 --aspect globalTags --dry-run -o json",
		"restore shop.marts.revenue --as-of 2026-11-02 --aspect globalTags --yes", "restore shop.marts.revenue --as-of 2026-11-02 --aspect globalTags --yes",
		"restore shop.marts.revenue --as-of yesterday", "restore shop.marts.revenue", "restore shop.marts.revenue --as-of 2020-01-01 --yes",
	},
	"runs list": {"runs list", "runs list -o json", "runs list --start 7", "runs list --bookkeeping"},
	"runs show": {"runs show nightly", "runs show nightly -o json", "runs show nothing -o json"},
	"runs rollback": {
		"runs rollback nightly --dry-run", "runs rollback nightly --dry-run -o json", "runs rollback nightly --yes", "timeline " + goldenOrders + " --start 2026-11-02",
		"runs list", "runs show nightly", "runs rollback setup --yes -o json",
	},
	"tag": {
		"tag shop.marts.revenue PII --dry-run", "get urn:li:dataset:(urn:li:dataPlatform:snowflake,shop.marts.revenue,PROD) -a globalTags", "tag shop.marts.revenue PII", "tag shop.marts.revenue PII",
		"tag shop.marts.orders.paid PII -o json", "tag shop.marts.orders.paid PII --remove --dry-run", "tag " + goldenOrders + " urn:li:tag:PII --remove -o json", "tag shop.marts.orders PI", "tag shop.marts.order PII -o json",
		"tag urn:li:tag:none PII", "tag shop.marts.orders urn:li:tag:none -o json", "tag shop.marts.orders",
	},
	"term": {"term shop.marts.revenue Revenue -n", "term shop.marts.revenue Revenue", "term shop.marts.revenue Revenue --remove -o json", "term shop.marts.revenue Revenu"},
	"own": {
		"own shop.marts.revenue ada --as technical --dry-run", "own shop.marts.revenue ada --as technical", "own shop.marts.revenue ada corpGroup:data --as data-steward -o json", "own shop.marts.revenue ada --as technical --remove", "own shop.marts.revenue ada --remove",
		"own shop.marts.revenue ada --as technicl", "own shop.marts.orders.paid ada", "own shop.marts.revenue PII",
	},
	"domain": {"domain shop.marts.revenue Sales --dry-run", "domain shop.marts.revenue Sales", "domain shop.marts.revenue --remove", "domain shop.marts.revenue --remove -o json", "domain shop.marts.revenue Sale", "domain shop.marts.revenue"},
	"describe": {
		"describe shop.marts.revenue money --dry-run", "describe shop.marts.revenue money", "describe shop.marts.revenue --file testdata/describe.md", "describe shop.marts.revenue --remove -o json", "describe shop.marts.revenue --remove",
		"describe shop.marts.orders.paid money -o json", "describe shop.marts.orders.paid --remove", "describe tag:PII private", "describe corpuser:ada tall", "describe shop.marts.revenue", "describe shop.marts.revenue money --remove", "describe shop.marts.revenue --file testdata/none.md",
	},
	"delete": {
		"delete tag:PII -o json", "delete urn:li:tag:PII --dry-run", "delete urn:li:tag:PII", "get urn:li:tag:PII", "delete urn:li:tag:PII --undo -o json",
		"delete urn:li:tag:PII --hard --references --yes", "delete urn:li:tag:hostile --hard --yes -o json", "delete urn:li:tag:none -o json",
	},
	"ingest": {
		"ingest testdata/nightly.jsonl --run-id again", "ingest testdata/nightly.jsonl --run-id again -o json", "ingest testdata/nightly.jsonl --dry-run",
		"ingest testdata/bad.jsonl --run-id again", "ingest testdata/bad.jsonl --run-id again -o json", "ingest testdata/none.jsonl -o json",
	},
	"sql": {
		"sql testdata/report.sql --dialect postgres --schema testdata/tables.json", "sql testdata/report.sql --dialect postgres -o json", "sql --log testdata/log.csv --dialect postgres", "sql --log testdata/log.csv --dialect postgres -o json",
		"sql testdata/none.sql --dialect postgres -o json", "sql testdata/report.sql", "sql testdata/report.sql --dialect postgre", "sql testdata/report.sql --dialect postgres --schema testdata/report.sql",
	},
	"check": {
		"check --base testdata/check/base.json --head testdata/check/head.json --dialect snowflake", "check --head testdata/check/head.json --dialect snowflake --policy testdata/check/policy.yaml -o json",
		"check --base testdata/check/base.sql --head testdata/check/head.sql --dialect postgres", "check --base testdata/check/base.sql --head testdata/check/head.sql --dialect postgres --policy testdata/check/policy.yaml",
		"check --base testdata/check/base.sql --head testdata/check/base.sql --dialect postgres -o json", "check --base testdata/check/base.sql --head testdata/check/head.sql --dialect postgres --policy testdata/check/policybad.yaml",
		"check --base testdata/check/base.sql --head testdata/check/head.sql --dialect postgre", "check --base testdata/check/none.sql --head testdata/check/head.sql --dialect postgres -o json", "check --base testdata/check/base.sql --head testdata/golden --dialect postgres",
		"check --base testdata/check/base.json",
	},
	"announced list": {
		"announced list", "check --head testdata/check/head.json --dialect snowflake --policy testdata/check/policy.yaml --announce --pull-request https://git.example/shop/orders/pull/7 --author Ada",
		"announced list", "announced list --state announced,arrived --dataset shop.marts.orders -o json", "announced list --state arived", "announced list --limit 201 -o json",
	},
	"announced show": {
		"check --head testdata/check/head.json --dialect snowflake --policy testdata/check/policy.yaml --announce --pull-request https://git.example/shop/orders/pull/7 --days 30 -o json",
		"announced show https://git.example/shop/orders/pull/7", "announced show https://git.example/shop/orders/pull/7 -o json", "announced show https://git.example/shop/orders/pull/8", "announced show urn:li:announcedChange:none -o json", "announced show",
	},
	"announced withdraw": {
		"check --head testdata/check/head.json --dialect snowflake --announce --pull-request https://git.example/shop/orders/pull/7", "announced withdraw https://git.example/shop/orders/pull/7 --reason closed",
		"announced show https://git.example/shop/orders/pull/7", "announced withdraw https://git.example/shop/orders/pull/7 -o json", "announced withdraw urn:li:announcedChange:none",
		"check --head testdata/check/head.json --dialect snowflake --announce", "check --head testdata/check/head.json --dialect snowflake --author Ada", "check --head testdata/check/head.json --dialect snowflake --announce --pull-request orders#7",
	},
	"check export": {
		"check export DIR/catalog.json", "check export DIR/catalog.json -o json", "check --base testdata/check/base.json --head testdata/check/head.json --dialect snowflake --catalog DIR/catalog.json", "check --head testdata/check/head.json --catalog testdata/check/base.json", "check export",
	},
	"ingest openlineage": {
		"ingest openlineage testdata/openlineage/events.ndjson", "ingest openlineage testdata/openlineage -o json", "ingest openlineage testdata/none.ndjson", "ingest openlineage",
	},
	"ingest source": {
		"ingest source testdata/source/nolineage.yml --run-id again", "ingest source testdata/source/nolineage.yml --run-id again -o json", "ingest source testdata/source/sqlite.yml --test",
		"ingest source testdata/source/nolineage.yml --dry-run",
		"ingest source testdata/source/unknown.yml", "ingest source testdata/source/snowflake.yml --dry-run", "ingest source testdata/source/variable.yml", "ingest source testdata/none.yml", "ingest source testdata/source/nofile.yml --test", "ingest source",
	},
	"ingest dbt": {
		"ingest dbt ../../catalog/dbt/testdata/v10 --run-id again", "ingest dbt ../../catalog/dbt/testdata/v10 --run-id again -o json",
		"ingest dbt ../../catalog/dbt/testdata/v11 --env dev --platform-instance north --target-platform-instance barn --no-tests --dry-run",
		"ingest dbt ../../catalog/dbt/testdata/v11 --recipe testdata/dbt.yml --env dev --dry-run",
		"ingest dbt testdata", "ingest dbt testdata/nightly.jsonl", "ingest dbt testdata/none", "ingest dbt ../../catalog/dbt/testdata/v10 --platform dbt", "ingest dbt ../../catalog/dbt/testdata/v10 --env P,D",
		"ingest dbt ../../catalog/dbt/testdata/v10 --run-results ../../catalog/dbt/testdata/v10/manifest.json -o json", "ingest dbt ../../catalog/dbt/testdata/v10 --sources testdata/none.json",
	},
	"export":           {"export DIR/catalog.jsonl.gz", "export DIR/catalog.jsonl.gz -o json"},
	"import":           {"export DIR/catalog.jsonl.gz", "import DIR/catalog.jsonl.gz", "import DIR/catalog.jsonl.gz -o json", "import DIR/none -o json"},
	"copy":             {"copy SOURCE --dry-run", "copy SOURCE", "copy SOURCE -o json", "copy SOURCE", "copy SOURCE --dry-run --in-flight 0", "copy ftp://x -o json"},
	"reindex":          {"reindex", "reindex -o json"},
	"followers list":   {"followers list", "followers list -o json"},
	"followers remove": {"followers remove kafca", "followers remove kafka", "followers list", "followers remove kafka -o json"},
	"policies list":    {"policies list", "policies apply testdata/policies.yaml", "policies list", "policies list -o json"},
	"policies show":    {"policies apply testdata/policies.yaml", "policies show hr-is-closed", "policies show hr-is-closed -o json", "policies show nothing"},
	"policies apply": {
		"policies apply testdata/policies.yaml --dry-run", "policies apply testdata/policies.yaml", "policies apply testdata/policies.yaml", "policies apply testdata/policies2.yaml -o json",
		"policies apply testdata/policies2.yaml --prune", "policies apply testdata/policiesbad.yaml",
	},
	"policies diff":   {"policies diff testdata/policies.yaml", "policies apply testdata/policies.yaml", "policies diff testdata/policies.yaml", "policies diff testdata/policies2.yaml --prune -o json"},
	"secrets new-key": {"secrets new-key DIR/secrets.key", "secrets new-key DIR/secrets.key -o json"},
	"secrets rotate":  {"secrets rotate", "secrets rotate -o json"},
	"policies test":   {"policies test testdata/policies.yaml", "policies test testdata/policies2.yaml", "policies test testdata/policies2.yaml -o json"},
	"policies explain": {
		"policies explain ada MANAGE_POLICIES", "policies apply testdata/policies.yaml", "policies explain ada EDIT_ENTITY_TAGS urn:li:domain:sales", "policies explain ada READ urn:li:domain:sales",
		"policies explain ada EDIT_ENTITY_DOCS urn:li:tag:PII", "policies explain ada EDIT_ENTITY_TAGS urn:li:domain:sales -o json", "policies explain ada EDIT_ENTITY_DOCS urn:li:tag:PII -o json", "policies explain ada EDIT_ENTITY_TAG", "policies explain ada",
	},
	"token create": {"token create laptop", "token create laptop --for ages", "token create laptop --role Editor", "token create laptop --service-account Nightly --role Owner", "token create laptop -o json"},
	"token list":   {"token list", "token list -o json", "token list --all"},
	"token revoke": {"token revoke nothing", "token revoke nothing -o json"},
	"audit": {
		"audit", "audit --limit 1 -o json", "audit --kind refused,signIn", "audit --actor ada", "audit --entity urn:li:tag:PII --since 2026-11-01 --until 2026-11-01T12:00:00Z", "delete urn:li:tag:hostile --hard --yes -o json", "audit --kind delete",
		"audit --refused -o json", "audit --kind nosuch", "audit --limit 0", "audit --since soon -o json",
	},
	"proposals failed": {"proposals failed", "proposals failed --limit 1 -o json", "proposals failed --limit 0"},
	"backup create":    {"backup create DIR/a.db --data DIR/data", "backup create DIR/b.db --data DIR/data -o json", "backup create DIR/b.db --data DIR/data -o json"},
	"backup verify":    {"backup create DIR/a.db --data DIR/data", "backup verify DIR/a.db", "backup verify DIR/a.db -o json"},
	"backup restore":   {"backup create DIR/a.db --data DIR/data", "backup restore DIR/a.db --data DIR/x", "backup restore DIR/a.db --data DIR/y -o json"},
	"webhooks list":    {"webhooks list", "webhooks create https://hooks.example.com/x --id one --type dataset", "webhooks list", "webhooks list -o json"},
	"webhooks create":  {"webhooks create https://hooks.example.com/x --id one --secret " + goldenSecret, "webhooks create https://hooks.example.com/x --id two --kind upsert --aspect status --urn urn:li:tag:* --secret " + goldenSecret + " -o json", "webhooks create http://10.1.2.3/", "webhooks create https://hooks.example.com/x --aspect statsu -o json"},
	"webhooks delete":  {"webhooks create https://hooks.example.com/x --id one --secret " + goldenSecret, "webhooks delete on --yes", "webhooks delete one --yes -o json", "webhooks list"},
	"webhooks dead":    {"webhooks create https://hooks.example.com/x --id one --secret " + goldenSecret, "webhooks dead one", "webhooks dead one -o json"},
	"webhooks replay":  {"webhooks create https://hooks.example.com/x --id one --secret " + goldenSecret, "webhooks replay one", "webhooks replay one -o json", "webhooks replay one none", "webhooks replay"},
	"webhooks update": {
		"webhooks create https://hooks.example.com/x --id one --type dataset --secret " + goldenSecret, "webhooks update one --url https://hooks.example.com/y",
		"webhooks update one --description feeds --format feed --actor data --actor urn:li:corpuser:ada -o json", "webhooks update one", "webhooks update one --actor ada --format change", "webhooks update on --url x -o json",
	},
	"webhooks enable":  {"webhooks create https://hooks.example.com/x --id one --secret " + goldenSecret, "webhooks enable one", "webhooks enable one -o json"},
	"webhooks disable": {"webhooks create https://hooks.example.com/x --id one --secret " + goldenSecret, "webhooks disable one", "webhooks disable one -o json"},
	"webhooks test": {
		"webhooks create https://hooks.example.com/x --id one --secret " + goldenSecret, "webhooks create https://hooks.example.com/broken --id two --secret " + goldenSecret,
		"webhooks test one", "webhooks test one -o json", "webhooks test two", "webhooks test two -o json", "webhooks test three",
	},
	"webhooks discard": {"webhooks create https://hooks.example.com/x --id one --secret " + goldenSecret, "webhooks discard one --yes", "webhooks discard one --yes -o json", "webhooks discard one none --yes", "webhooks discard one -o json"},
	"feed list":        {"feed list --actor ada", "feed list --actor ada --limit 1 -o json", "feed list --actor ada --end 2026-11-01", "feed list", "feed list --actor ada --start soon", "feed list --actor tag:PII"},
	"feed subscribe": {
		"feed subscribe shop.marts.revenue --actor ada", "feed subscribe shop.marts.revenue --actor data --category tag,owner --direct -o json", "feed subscribe nosuch --actor ada",
		"feed subscribe shop.marts.revenue --actor ada --category tags",
	},
	"feed unsubscribe":   {"feed subscribe shop.marts.revenue --actor ada", "feed unsubscribe shop.marts.revenue --actor ada", "feed subscribe shop.marts.revenue --actor ada", "feed unsubscribe shop.marts.revenue --actor ada -o json", "feed unsubscribe shop.marts.revenue --actor ada"},
	"feed subscriptions": {"feed subscriptions --actor ada", "feed subscribe shop.marts.revenue --actor ada --category schema", "feed subscribe shop.marts.revenue --actor ada --category technical_schema", "feed subscriptions --actor ada", "feed subscriptions --actor ada -o json"},
	"health":             {"health", "health -o json", "health --live", "health --live -o json"},
	"version":            {"version", "version -o json"},
	"errors": {
		"get", "get -o json", "jump -o json", "get x --nothing -o json", "get x -o xml", "get urn:li:tag:x --server http://127.0.0.1:1 -o json",
		"search --filter nofield=x -o json", "runs rollback nightly -o json", "get orders", "get orders -o json", "get shop.marts.order -o json",
	},
}

// withoutGolden has the verbs without a golden file, with the reasons.
var withoutGolden = map[string]string{
	"completion bash":       "the script is cobra's; TestCompletion tests what it completes",
	"completion zsh":        "the script is cobra's; TestCompletion tests what it completes",
	"completion fish":       "the script is cobra's; TestCompletion tests what it completes",
	"completion powershell": "the script is cobra's; TestCompletion tests what it completes",
	"serve":                 "it runs until it is stopped; its lines are tested in the folder app",
	"executor":              "it runs until it is stopped; TestExecutorsAreKilled in the folder e2e runs it",
	"follow":                "it runs until it is stopped, as serve does; TestReplica in e2e runs it",
	"browser":               "its server must keep its graph in Neo4j; browser_test.go has what it prints, as JSON too",
	"token rotate-keys":     "it changes a file and asks no server; TestRotateKeys has what it prints, as JSON too",
	"mcp":                   "it speaks the Model Context Protocol; what it says is tested in mcp_test.go and e2e",
}

// TestGolden compares the output of each verb with its golden file.
func TestGolden(t *testing.T) {
	t.Setenv("COLUMNS", "80")
	t.Setenv(cli.ActorVariable, "")
	for name, lines := range golden {
		t.Run(name, func(t *testing.T) {
			url, dir := goldenServer(t), t.TempDir()
			if strings.HasPrefix(name, "backup") { // backup reads files of a store, not a server
				store, err := embedded.Open(context.Background(), embedded.Options{Dir: filepath.Join(dir, "data")})
				if err == nil {
					err = store.Close()
				}
				if err != nil {
					t.Fatal(err)
				}
			}
			source := url
			if name == "copy" {
				url = newServer(t, nil)
			}
			var got bytes.Buffer
			for _, line := range lines {
				told := goldenCommand(strings.ReplaceAll(line, "SOURCE", source), url, dir)
				got.WriteString(strings.ReplaceAll(told, source, "http://SOURCE"))
			}
			file := filepath.Join("testdata", "golden", strings.ReplaceAll(name, " ", "_")+".golden")
			if *update {
				if err := os.WriteFile(file, got.Bytes(), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(want, got.Bytes()) {
				t.Errorf("the output differs from %s; run the test with -update and look at the difference:\n%s", file, firstDifference(string(want), got.String()))
			}
		})
	}
}

// goldenCommand runs a command line, and returns its output and its exit code as text.
func goldenCommand(line, url, dir string) string {
	var out, errs, told bytes.Buffer
	args := strings.Fields(strings.ReplaceAll(line, "DIR", dir))
	if !strings.Contains(line, "--server") && !strings.HasPrefix(line, "jump") && !strings.HasPrefix(line, "backup") && !strings.HasPrefix(line, "secrets new-key") && !strings.HasPrefix(line, "sql ") && !strings.Contains(line, ".sql ") && !strings.Contains(line, "--catalog") {
		args = append(args, "--server", url)
	}
	if plainIngest := strings.HasPrefix(line, "ingest") && !strings.HasPrefix(line, "ingest dbt") && !strings.HasPrefix(line, "ingest source") && !strings.HasPrefix(line, "ingest openlineage"); plainIngest {
		args = append(args, "--state-dir", dir)
	}
	code := run(context.Background(), args, strings.NewReader(""), &out, &errs)
	fmt.Fprintf(&told, "$ headwater %s\n%s", line, out.String())
	if errs.Len() > 0 {
		fmt.Fprintf(&told, "[standard error]\n%s", errs.String())
	}
	fmt.Fprintf(&told, "[exit %d]\n\n", code)
	return scrubbed(strings.ReplaceAll(strings.ReplaceAll(told.String(), url, "http://SERVER"), dir, "DIR"))
}

// scrubs replace the parts of the output that differ in every run.
var scrubs = []struct {
	pattern *regexp.Regexp
	by      string
}{
	{regexp.MustCompile(`in [0-9.]+(µs|ms|s)\b`), "in 1ms"},
	{regexp.MustCompile(`(the key |"key": ")[0-9a-f]{12}`), "${1}KEY"},
	{regexp.MustCompile(`whsec_[A-Za-z0-9+/=]{44}`), "whsec_SECRET"},
	{regexp.MustCompile(`"time":\d+\},"lastModified":\{"actor":"urn:li:corpuser:dbt_ingestion","time":\d+`), `"time":1793520000000},"lastModified":{"actor":"urn:li:corpuser:dbt_ingestion","time":1793520000000`},
	{regexp.MustCompile(`"elapsedMillis": \d+`), `"elapsedMillis": 1`},
	{regexp.MustCompile(`"lastObserved": \d{2,}`), `"lastObserved": 1793520000000`},
	{regexp.MustCompile(`(commit"?:? +"?)([0-9a-f]{7,40})?`), "${1}COMMIT"},
	{regexp.MustCompile(`"lag": \d+`), `"lag": 0`},
	{regexp.MustCompile(`"sha256": "[0-9a-f]{64}"`), `"sha256": "CHECKSUM"`},
	{regexp.MustCompile(`"bytes": \d+`), `"bytes": 1048576`},
	{regexp.MustCompile(`schema \d+, [0-9.]+ MiB`), "schema 1, 1.0 MiB"},
	{regexp.MustCompile(`"schema": \d+`), `"schema": 1`},
	{regexp.MustCompile(`[A-Z2-7]{8}-(\d{12})`), "SERVERID-$1"},
	{regexp.MustCompile(`"requestId": "[A-Z2-7]+"`), `"requestId": "ID"`},
	{regexp.MustCompile(`go1\.[0-9.]+`), "go1.x"},
	{regexp.MustCompile(`(linux|darwin)/(amd64|arm64)`), "OS/ARCH"},
	{regexp.MustCompile(`"(graph|catalog|id|registryVersion)": "[0-9a-f.-]{7,}"`), `"$1": "ID"`},
}

func scrubbed(text string) string {
	for _, s := range scrubs {
		text = s.pattern.ReplaceAllString(text, s.by)
	}
	return text
}

// goldenServer serves a small catalog whose data was written on two days.
func goldenServer(t *testing.T) string {
	t.Helper()
	var now atomic.Int64
	c, policies := testcatalog.WithPolicies(t, func() time.Time { return time.UnixMilli(now.Load()).UTC() })
	trail := testcatalog.NewTrail(t, func() time.Time { return time.UnixMilli(now.Load()).UTC() })
	server := httptest.NewServer(rest.New(rest.Options{Catalog: c, Version: "1.2.3", Audit: trail, Policies: policies, GraphQL: gql.New(gql.Options{Catalog: c, Policies: policies})}))
	t.Cleanup(server.Close)
	for i, file := range []string{"setup", "nightly"} {
		now.Store(time.Date(2026, 11, 1+i, 3, 0, 0, 0, time.UTC).UnixMilli())
		if code, out, stderr := headwater(t, "", "ingest", "testdata/"+file+".jsonl", "--server", server.URL, "--state-dir", t.TempDir(), "--in-flight", "1"); code != cli.ExitOK {
			t.Fatal(out + stderr)
		}
	}
	now.Add(time.Hour.Milliseconds())
	c.Webhooks.Sender = goldenReceivers{c.Webhooks.Sender}
	followOnce(t, c)
	err := c.Failed.Store(t.Context(), []failed.Proposal{
		{Topic: "MetadataChangeProposal_v1", Partition: 3, Offset: 17, Error: "the record cannot be read"},
		{Topic: "MetadataChangeProposal_v1", Partition: 3, Offset: 19, URN: "urn:li:tag:PII", Aspect: "tagProperty", Error: "there is no aspect tagProperty"},
	})
	if err != nil {
		t.Fatal(err)
	}
	return server.URL
}

// goldenReceivers accept every request, except for webhooks whose URL ends with /broken.
type goldenReceivers struct{ webhooks.Sender }

func (goldenReceivers) Send(_ context.Context, m *hooksend.Message) (hooksend.Answer, error) {
	if strings.HasSuffix(m.URL, "/broken") {
		return hooksend.Answer{Status: http.StatusInternalServerError, Text: "out of order"}, nil
	}
	return hooksend.Answer{Status: http.StatusNoContent}, nil
}

// followOnce adds a follower whose stored position is after the first page of the change
// log. It also fills the feeds with that page.
func followOnce(t *testing.T, c *services.Services) {
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	err := c.Delivery.Run(ctx, delivery.Worker{Name: "kafka", Deliver: func(_ context.Context, changes []catalog.Change) error {
		stop()
		return c.Feed.Deliver(t.Context(), changes)
	}})
	if err != nil {
		t.Fatal(err)
	}
}

func firstDifference(want, got string) string {
	wanted, have := strings.Split(want, "\n"), strings.Split(got, "\n")
	for i := range min(len(wanted), len(have)) {
		if wanted[i] != have[i] {
			return fmt.Sprintf("line %d\n- %s\n+ %s", i+1, wanted[i], have[i])
		}
	}
	return fmt.Sprintf("%d lines instead of %d", len(have), len(wanted))
}

// TestEveryVerbHasGolden: every verb has a golden file, with text output and JSON output.
// Otherwise its output could change unnoticed.
func TestEveryVerbHasGolden(t *testing.T) {
	var verbs []string
	var walk func(c *cobra.Command, path []string)
	walk = func(c *cobra.Command, path []string) {
		for _, sub := range c.Commands() {
			walk(sub, append(slices.Clone(path), sub.Name()))
		}
		if !c.HasSubCommands() && !c.Hidden { // hidden commands are for shells
			verbs = append(verbs, strings.Join(path, " "))
		}
	}
	walk(newRoot(&cli.Environment{}), nil)
	for _, verb := range verbs {
		reason, excepted := withoutGolden[verb]
		lines := golden[verb]
		switch {
		case excepted && (reason == "" || lines != nil):
			t.Errorf("%s: an exception has a reason, and no golden file", verb)
		case excepted:
		case !slices.ContainsFunc(lines, func(l string) bool { return strings.HasPrefix(l, verb) && !cli.AsksForJSON(strings.Fields(l)) }):
			t.Errorf("%s has no golden output for people", verb)
		case !slices.ContainsFunc(lines, func(l string) bool { return strings.HasPrefix(l, verb) && cli.AsksForJSON(strings.Fields(l)) }):
			t.Errorf("%s has no golden JSON", verb)
		}
	}
	for verb := range withoutGolden {
		if !slices.Contains(verbs, verb) {
			t.Errorf("there is no verb %s", verb)
		}
	}
}

// TestGoldenIsClean: golden files contain no control character that a terminal would
// interpret, although the name of one entity has some.
func TestGoldenIsClean(t *testing.T) {
	files, err := filepath.Glob("testdata/golden/*.golden")
	if err != nil || len(files) < len(golden) {
		t.Fatal(files, err)
	}
	hostile := regexp.MustCompile(`[\x00-\x08\x0b-\x1f\x7f\x{80}-\x{9f}\x{202a}-\x{202e}]`)
	seen := false
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if at := hostile.FindIndex(text); at != nil {
			t.Errorf("%s contains %q", file, text[at[0]:at[1]])
		}
		seen = seen || bytes.Contains(text, []byte("�]0;owned"))
	}
	if !seen {
		t.Error("the hostile name is in no golden file")
	}
}
