package headwater_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// figure is a number with a unit on a page of docs, with the words around it, and where it
// comes from.
type figure struct {
	page, words string
	// from is a file, and has is the line of the file that sets the number. An empty line means
	// that the number was measured, or is an example, for the reason in says.
	from, has string
	says      string
}

// figures are all numbers with a unit on the pages that promise something. docs/limits.md is not
// among these pages, because it is made from internal/limits.
var figures = []figure{
	{page: "operations", words: "asked at most every 15 seconds", from: "app/obs/holdings.go", has: "const probeEvery = 15 * time.Second"},
	{page: "operations", words: "lacks more than 50,000 changes |", from: "internal/limits/limits.go", has: "MaxIndexBehind   = 50_000"},
	{page: "operations", words: "among them 5, 10, 25, 50, 100, 250 and 500 ms, and 1, 2.5, 5 and 10 s", from: "internal/durations/durations.go", has: "0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10}"},
	{page: "operations", words: "a request waits up to 10 seconds and is then refused with 503", from: "internal/limits/limits.go", has: "LaneWait = 10 * time.Second"},
	{page: "operations", words: "wait for their turn, up to\n10 seconds", from: "internal/limits/shares.go", has: "CallerWait = 10 * time.Second"},
	{page: "operations", words: "does not read a piece of 32 KiB", from: "rest/sse/stream.go", has: "piece = 32 << 10"},
	{page: "operations", words: "within 30 seconds, its\nstream is closed", from: "internal/limits/limits.go", has: "StreamWrite = 30 * time.Second"},
	{page: "operations", words: "the heap may grow by 64 MiB between two", from: "app/app.go", has: "const heapRoom = 64 << 20"},
	{page: "operations", words: "arrives at less than 1 KiB a second", from: "internal/limits/limits.go", has: "MinBodyRate = 1 << 10"},
	{page: "operations", words: "a disk that needs 10 ms for this limits a\nsingle client to 100 writes a second", says: "an example: a hundred times 10 ms are a second"},
	{page: "operations", words: "More than 14.4 % of the requests take longer than 500 ms", from: "deploy/prometheus/alerts.yaml", has: "requests_slow:ratio_rate1h > 14.4 * 0.01"},
	{page: "operations", words: "more than 6 % over six hours", from: "deploy/prometheus/alerts.yaml", has: "requests_slow:ratio_rate6h > 6 * 0.01"},
	{page: "operations", words: "The objective is that 99 % take less", from: "deploy/prometheus/alerts.yaml", has: "requests_slow:ratio_rate1h > 14.4 * 0.01"},
	{page: "operations", words: "More than 1 % of the requests are answered with 500", from: "deploy/prometheus/alerts.yaml", has: "requests_failed:ratio_rate5m > 0.01"},
	{page: "operations", words: "The search index lacks more than 5,000 changes", from: "deploy/prometheus/alerts.yaml", has: "headwater_index_lag_changes > 5000"},
	{page: "operations", words: "The index lacks more than 50,000 changes, so writes", from: "internal/limits/limits.go", has: "MaxIndexBehind   = 50_000"},
	{page: "operations", words: "a follower that is more than 1,000 changes behind", from: "deploy/prometheus/alerts.yaml", has: "max by (job, follower) (headwater_follower_lag_changes) > 1000"},
	{page: "operations", words: "A follower is more than 10,000 changes behind", from: "deploy/prometheus/alerts.yaml", has: "expr: max by (job, follower) (headwater_follower_lag_changes) > 10000"},
	{page: "operations", words: "More than 10,000 proposals wait in Kafka", from: "deploy/prometheus/alerts.yaml", has: "headwater_kafka_proposals_lag) > 10000"},
	{page: "operations", words: "less than\n3 %. When it is full", from: "deploy/prometheus/alerts.yaml", has: "headwater_disk_free_bytes / headwater_disk_size_bytes < 0.03"},
	{page: "operations", words: "has been larger than 1 GiB for half an hour", from: "deploy/prometheus/alerts.yaml", has: `headwater_data_bytes{part="store_log"} > 1073741824`},
	{page: "operations", words: "four aspects each (2 KB of properties, 20 columns with descriptions", says: "measured: what the script before it loads"},
	{page: "operations", words: "57 MiB of JSON", says: "measured"},
	{page: "operations", words: "| embedded store | 96 MiB |", says: "measured"},
	{page: "operations", words: "| embedded index | 27 MiB |", says: "measured"},
	{page: "operations", words: "node for each column | 220 MiB |", says: "measured"},
	{page: "operations", words: "Two cores, 24 GiB, Linux", says: "measured: the machine"},
	{page: "operations", words: "is from 1,000 datasets", says: "measured"},
	{page: "operations", words: "had 75 MiB of memory after a restart, and 310 MiB", says: "measured"},
	{page: "operations", words: "about 40 MiB\nfor such a catalog", says: "measured"},
	{page: "operations", words: "and 65 MiB at most", says: "measured with rememberedNodes = 100_000 and rememberedEdges = 400_000"},
	{page: "operations", words: "cache up to 40 MiB of pages", from: "graphstore/embedded/points.go", has: "pointsCache = 40 << 10"},
	{page: "operations", words: "`--retention 20`, takes up to 21 times its size", from: "catalog/write/retention.go", has: "{Any, Any}: 20,"},
	{page: "operations", words: "at most 2 GiB)", from: "internal/intake/memory.go", has: "defaultMost  = 2 << 30"},
	{page: "operations", words: "`--search-memory` (32 MiB)", from: "internal/limits/limits.go", has: "DefaultSearchMemory = 32 << 20"},
	{page: "operations", words: "16 clients write 4.8 times as", says: "measured by make bench"},
	{page: "operations", words: "about 1 KiB for each dataset of\n2 KiB", says: "measured"},
	{page: "agents", words: "what is known of up to 20 entities", from: "internal/limits/agents.go", has: "MaxAgentNames = 20"},
	{page: "agents", words: "answers are small: 20 items unless", from: "internal/limits/agents.go", has: "DefaultAgentItems = 20"},
	{page: "agents", words: "at most 48 KiB", from: "internal/limits/agents.go", has: "MaxAgentAnswer = 48 << 10"},
	{page: "agents", words: "11,500 tokens (38 KB) together", says: "measured: counted with o200k_base"},
	{page: "agents", words: "28 rows with their statements have 1,760 tokens instead of 3,400, and 17 rows", says: "measured: counted with o200k_base"},
	{page: "agents", words: "the twelve tools are 3,300 tokens", says: "measured: counted with o200k_base"},
	{page: "agents", words: "95 of 100 calls of each tool took at most 4 to 27 ms; the target is 50 ms", says: "measured by make bench"},
	{page: "replicas", words: "at most every 15 seconds", from: "catalog/backgroundpauses.go", has: "RetryMost  = 15 * time.Second"},
	{page: "replicas", words: "at most 512 MiB of\nan answer", from: "internal/limits/requests.go", has: "MaxAnswerBytes = LineBodies * DefaultBodyBytes"},
	{page: "replicas", words: "at most 64 MiB of a batch of records", from: "internal/limits/limits.go", has: "DefaultBodyBytes = 64 << 20"},
	{page: "security", words: "after 10 for 15 minutes", from: "internal/limits/people.go", has: "MaxFailedSignIns     = 10"},
	{page: "security", words: "50 from one address are refused for 15 minutes", from: "internal/limits/people.go", has: "FailedSignInTime     = 15 * time.Minute"},
	{page: "security", words: "A caller is remembered for 500 ms", from: "access/gate.go", has: "const known = 500 * time.Millisecond"},
	{page: "security", words: "| passwords | 8 to 1024 bytes", from: "internal/limits/people.go", has: "MaxPasswordBytes = 1024"},
	{page: "security", words: "argon2id (19 MiB, 2 passes)", from: "access/people/hash.go", has: "Cost{Memory: 19 * 1024, Passes: 2, Threads: 1}"},
	{page: "security", words: "lets people sign up for 14 days", from: "internal/limits/people.go", has: "InviteTime = 14 * 24 * time.Hour"},
	{page: "security", words: "works once, within 24 hours", from: "internal/limits/people.go", has: "ResetTime = 24 * time.Hour"},
	{page: "security", words: "A session ends after 24 hours", from: "internal/limits/people.go", has: "SessionTime = 24 * time.Hour"},
	{page: "security", words: "after 8 hours without a request", from: "internal/limits/people.go", has: "SessionIdle = 8 * time.Hour"},
}

// numbers finds numbers with a unit; fences finds blocks, which other tests run.
var (
	numbers = regexp.MustCompile(`\b(\d[\d,.]*)[ \n-]?(%|(?:ms|milliseconds?|seconds?|minutes?|hours?|days?|bytes?|[KMGT]i?B|changes|items|entities|requests|times|proposals|versions|rows|records|webhooks|connections|characters|tokens|calls|messages|walks|columns|tools|datasets|clients|events|cores|writes|edges|words|attempts|letters|threads|servers|pages|files|aspects)\b)`)
	fences  = regexp.MustCompile("(?ms)^```.*?^```$")
	links   = regexp.MustCompile(`\]\([^)]*\)`)
)

// TestFiguresOfDocs: each number with a unit on the pages that promise something has a row,
// which names the line of the source that sets it; and each row is still true.
func TestFiguresOfDocs(t *testing.T) {
	for _, page := range []string{"security", "operations", "agents", "replicas"} {
		text, err := os.ReadFile(filepath.Join("docs", page+".md"))
		if err != nil {
			t.Fatal(err)
		}
		plain := links.ReplaceAllString(fences.ReplaceAllString(string(text), ""), "]")
		covered := plain
		for _, f := range figures {
			if f.page != page {
				continue
			}
			if !numbers.MatchString(f.words) {
				t.Errorf("the row %q has no number with a unit", f.words)
			}
			if !strings.Contains(plain, f.words) {
				t.Errorf("docs/%s.md does not say %q", page, f.words)
			}
			covered = strings.Replace(covered, f.words, "…", 1)
		}
		for _, place := range numbers.FindAllStringIndex(covered, -1) {
			t.Errorf("docs/%s.md says %q: add a row to figures that names the line of the source which sets the number", page, strings.ReplaceAll(covered[max(0, place[0]-60):place[1]], "\n", " "))
		}
	}
	for _, f := range figures {
		if !slices.Contains([]string{"security", "operations", "agents", "replicas"}, f.page) || (f.from == "") == (f.says == "") {
			t.Errorf("the row %q needs a page and either a source or a reason", f.words)
		}
		if f.from == "" {
			continue
		}
		source, err := os.ReadFile(f.from)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(spaces.ReplaceAllString(string(source), " "), spaces.ReplaceAllString(f.has, " ")) {
			t.Error(fmt.Errorf("%s has no longer %q, from which docs/%s.md says %q", f.from, f.has, f.page, f.words))
		}
	}
}

// spaces are the blanks with which gofmt aligns.
var spaces = regexp.MustCompile(`[ \t]+`)
