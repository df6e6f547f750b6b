package executor_test

import (
	"encoding/base64"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/headwater-io/headwater/catalog/ingestion"
	"github.com/headwater-io/headwater/executor"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/internal/testing/testclock"
)

// TestSuccess: the client runs with the recipe, its report and its log come back, and it has nothing of the
// executor's environment but where its server is.
func TestSuccess(t *testing.T) {
	r := start(t, newQueue(aRun("one", plainRecipe)), `echo "args $*"; env; cat "$RECIPE"; pwd; echo '{"source":{"type":"file"}}' > "$REPORT"`, nil)
	o := r.await(t, "one")
	if o.Status != ingestion.StatusSuccess || o.Report != "{\"source\":{\"type\":\"file\"}}\n" || o.ReportType != ingestion.TaskIngest || o.Retry {
		t.Errorf("%+v", o)
	}
	for _, want := range []string{"args ingest run -c ", "recipe.json --report-to ", "DATAHUB_GMS_URL=http://127.0.0.1:8080", "DATAHUB_GMS_TOKEN=***TOKEN***", `"run_id": "urn:li:dataHubExecutionRequest:one"`, `"pipeline_name": "p"`, "no_proxy=", "The run succeeded."} {
		if !strings.Contains(o.Log, want) {
			t.Errorf("%q is not in the log\n%s", want, o.Log)
		}
	}
	for _, hidden := range []string{"OWN_SECRET", "token-of-the-executor"} {
		if strings.Contains(o.Log, hidden) {
			t.Errorf("%q is in the log\n%s", hidden, o.Log)
		}
	}
	if claim := r.claims[0]; claim.Worker != "tester" {
		t.Errorf("the claim is %+v", claim)
	}
}

// TestEnds: each way in which a client can end is told.
func TestEnds(t *testing.T) {
	for name, c := range map[string]struct {
		script, status, log string
		change              func(*executor.Options, *executor.Client)
		retry               bool
	}{
		"exit code":          {script: "echo no such table; exit 1", status: ingestion.StatusFailure, log: "no such table\nThe run failed: it ended with the exit code 1"},
		"signal":             {script: "kill -SEGV $$", status: ingestion.StatusFailure, log: "it was ended by the signal SIGSEGV", retry: true},
		"time":               {script: "echo begun; sleep 1000", status: ingestion.StatusTimeout, log: "begun\nThe run took longer than 200ms and was stopped.", change: func(o *executor.Options, _ *executor.Client) { o.Time = 200 * time.Millisecond }},
		"ignores TERM":       {script: "trap '' TERM; while :; do sleep 0.01; done", status: ingestion.StatusTimeout, log: "was stopped.", change: func(o *executor.Options, _ *executor.Client) { o.Time = 200 * time.Millisecond }},
		"memory":             {script: `python3 -c "` + "import time\nkept = []\nwhile True: kept.append(bytearray(b'x' * (4 << 20))); time.sleep(0.005)" + `"`, status: ingestion.StatusFailure, log: "and may use 100 MiB", change: func(_ *executor.Options, c *executor.Client) { c.Memory = 100 << 20 }},
		"ended from outside": {script: "echo begun; kill -TERM $PPID; sleep 1000", status: ingestion.StatusFailure, log: "begun\nThe run failed: it was asked to end from outside", retry: true},
		"no JSON":            {script: `echo nonsense > "$REPORT"`, status: ingestion.StatusSuccess, log: "The structured report is left out: it is not JSON."},
		"a link":             {script: `ln -s /etc/passwd "$REPORT"`, status: ingestion.StatusSuccess, log: "The structured report is left out"},
		"long report":        {script: fmt.Sprintf(`head -c %d /dev/zero > "$REPORT"`, limits.IngestionReport+1), status: ingestion.StatusSuccess, log: "The structured report is left out: it has 1048577 bytes"},
	} {
		t.Run(name, func(t *testing.T) {
			r := start(t, newQueue(aRun("one", plainRecipe)), c.script, c.change)
			o := r.await(t, "one")
			if o.Status != c.status || !strings.Contains(o.Log, c.log) || o.Report != "" || o.Retry != c.retry {
				t.Errorf("%+v", o)
			}
		})
	}
}

// TestWrongRecipes: a recipe that cannot run fails with the reason, and starts no process.
func TestWrongRecipes(t *testing.T) {
	for recipe, want := range map[string]string{
		`{}`:                              "has no source",
		`{"source":{"type":"my.Source"}}`: "is not the name of a registered type",
		`{"source":{"type":"file","config":{"p":"${A} ${B}"}}}`: "the secrets A, B, which the catalog does not have",
	} {
		r := start(t, newQueue(aRun("one", recipe)), `echo it ran`, nil)
		if o := r.await(t, "one"); o.Status != ingestion.StatusFailure || !strings.Contains(o.Log, want) || strings.Contains(o.Log, "it ran") {
			t.Errorf("%s: %+v", recipe, o)
		}
	}
	for argument, value := range map[string]string{"extra_pip_requirements": `["x"]`, "extra_env_vars": `{"LD_PRELOAD":"x"}`} {
		run := aRun("one", plainRecipe)
		run.ExtraArgs = map[string]string{argument: value}
		r := start(t, newQueue(run), `echo it ran`, nil)
		if o := r.await(t, "one"); o.Status != ingestion.StatusFailure || !strings.Contains(o.Log, "--allow-code") {
			t.Errorf("%s: %+v", argument, o)
		}
	}
	run := aRun("one", `{"source":{"type":"my.Source"}}`)
	run.ExtraArgs = map[string]string{"extra_env_vars": `{"MINE":"yes"}`}
	r := start(t, newQueue(run), `echo "it has $MINE"`, func(o *executor.Options, _ *executor.Client) { o.AllowCode = true })
	if o := r.await(t, "one"); o.Status != ingestion.StatusSuccess || !strings.Contains(o.Log, "it has yes") {
		t.Errorf("%+v", o)
	}
}

// TestSecrets: the values of secrets are in the environment of the run and nowhere else.
func TestSecrets(t *testing.T) {
	q := newQueue(aRun("one", `{"source":{"type":"file","config":{"password":"${PASSWORD}","user":"${USER_NAME:-nobody}"}}}`))
	q.secrets = []ingestion.Secret{{Name: "PASSWORD", Value: "correct horse"}, {Name: "OTHER", Value: "not named"}}
	r := start(t, q, `cat "$RECIPE"; echo "it is $PASSWORD"; printf 'correct '; sleep 0.1; echo horse; printf %s "$PASSWORD" | base64; env; echo "{\"said\":\"$PASSWORD\"}" > "$REPORT"; sleep 0.1`, nil)
	o := r.await(t, "one")
	if o.Status != ingestion.StatusSuccess {
		t.Fatalf("%+v", o)
	}
	for _, text := range []string{o.Log, o.Report, r.told()} {
		for _, hidden := range []string{"correct horse", base64.StdEncoding.EncodeToString([]byte("correct horse"))[:12], "not named"} {
			if strings.Contains(text, hidden) {
				t.Errorf("%q is in\n%s", hidden, text)
			}
		}
	}
	if !strings.Contains(o.Log, "it is ***PASSWORD***") || !strings.Contains(o.Log, `"password": "${PASSWORD}"`) || !strings.Contains(o.Report, "***PASSWORD***") {
		t.Errorf("the log is\n%s", o.Log)
	}
}

// TestCancel: a run that people cancel is ended with all its processes.
func TestCancel(t *testing.T) {
	r := start(t, newQueue(aRun("one", plainRecipe)), `setsid sleep 1000 & echo $! > "$HOME/../../../pid"; echo begun; wait`, nil)
	testclock.Await(t, "progress", func() bool { return strings.Contains(r.told(), "begun") })
	text, err := os.ReadFile(filepath.Join(r.dir, "pid"))
	if err != nil {
		t.Fatal(err)
	}
	r.set(func() { r.cancel = true })
	if o := r.await(t, "one"); o.Status != ingestion.StatusCancelled || !strings.Contains(o.Log, "The run was cancelled.") {
		t.Errorf("%+v", o)
	}
	if pid, err := strconv.Atoi(strings.TrimSpace(string(text))); err != nil || isRunning(pid) {
		t.Errorf("the process %s still runs", text)
	}
}

// isRunning reports whether a process runs.
func isRunning(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err == nil && !strings.Contains(string(stat), ") Z")
}

// TestStop: an executor that is stopped ends its runs, and says that another attempt may help.
func TestStop(t *testing.T) {
	r := start(t, newQueue(aRun("one", plainRecipe), aRun("two", plainRecipe), aRun("three", plainRecipe)), `echo begun; sleep 1000`, nil)
	testclock.Await(t, "two runs", func() bool { return strings.Count(r.told(), "begun") >= 2 })
	r.end(t)
	for _, lease := range []string{"one", "two"} {
		if o, ended := r.outcome(lease); !ended || o.Status != ingestion.StatusFailure || !o.Retry || !strings.Contains(o.Log, "the executor was stopped") {
			t.Errorf("%s: %+v", lease, o)
		}
	}
	if _, ended := r.outcome("three"); ended {
		t.Error("a third run has begun")
	}
}

// TestLost: a run whose lease is lost is stopped, and its end is not told.
func TestLost(t *testing.T) {
	r := start(t, newQueue(aRun("one", plainRecipe)), `echo $$ > "$HOME/../../../pid"; echo begun; exec sleep 1000`, nil)
	testclock.Await(t, "progress", func() bool { return strings.Contains(r.told(), "begun") })
	text, err := os.ReadFile(filepath.Join(r.dir, "pid"))
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	r.set(func() { r.gone = true })
	testclock.Await(t, "the end of the process", func() bool { return !isRunning(pid) })
	r.set(func() { r.gone = false })
	r.end(t)
	if o, ended := r.outcome("one"); ended {
		t.Errorf("the end was told: %+v", o)
	}
}

// TestAway: while the server cannot be reached, runs go on, and the server learns of their end when it can be
// reached again.
func TestAway(t *testing.T) {
	r := start(t, newQueue(aRun("one", plainRecipe)), `echo begun; while [ ! -e "$HOME/../../../go" ]; do sleep 0.01; done; echo done`, nil)
	testclock.Await(t, "progress", func() bool { return strings.Contains(r.told(), "begun") })
	r.set(func() { r.away = true })
	if err := os.WriteFile(filepath.Join(r.dir, "go"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	asked := 0
	r.set(func() { asked = r.asked })
	testclock.Await(t, "claims in vain", func() (more bool) { r.set(func() { more = r.asked > asked+3 }); return more })
	r.set(func() { r.away = false; r.waiting = append(r.waiting, aRun("two", plainRecipe)) })
	for _, lease := range []string{"one", "two"} {
		if o := r.await(t, lease); o.Status != ingestion.StatusSuccess || !strings.Contains(o.Log, "done") {
			t.Errorf("%+v", o)
		}
	}
}

// TestFlood: little of a log of a gigabyte is kept, and little is sent while the run goes on.
func TestFlood(t *testing.T) {
	r := start(t, newQueue(aRun("one", plainRecipe)), `echo first; head -c 100000000 /dev/zero | tr '\0' 'x'; echo; echo last`, nil)
	o := r.await(t, "one")
	if o.Status != ingestion.StatusSuccess || len(o.Log) > limits.IngestionLog || !strings.Contains(o.Log, "first\n") || !strings.Contains(o.Log, "are left out here") || !strings.Contains(o.Log, "\nlast\nThe run succeeded.") {
		t.Errorf("%d bytes with the status %s: %.200s", len(o.Log), o.Status, o.Log)
	}
	r.set(func() { // the lease is renewed until the server has taken the end
		for _, told := range r.progress {
			if len(told) > limits.IngestionProgress {
				t.Errorf("%d bytes were told", len(told))
			}
		}
	})
}

// TestParallel: no more runs go on at once than the executor may have.
func TestParallel(t *testing.T) {
	var runs []*ingestion.Run
	for i := range 6 {
		runs = append(runs, aRun(fmt.Sprint(i), plainRecipe))
	}
	r := start(t, newQueue(runs...), `cd "$HOME/../../.." && touch "at$$" && ls at* | wc -l && sleep 0.1 && rm "at$$"`, nil)
	for i := range runs {
		o := r.await(t, fmt.Sprint(i))
		most := fmt.Sprintf("\n%d\n", limits.DefaultRunsAtOnce+1)
		if o.Status != ingestion.StatusSuccess || strings.Contains(o.Log, most) {
			t.Errorf("%+v", o)
		}
	}
}

// TestBounds: the processes of a run have the bounds that the limits name.
func TestBounds(t *testing.T) {
	r := start(t, newQueue(aRun("one", plainRecipe)), `echo "files $(ulimit -n), size $(ulimit -f), core $(ulimit -c)"`, nil)
	const block = 512
	want := fmt.Sprintf("files %d, size %d, core 0", limits.RunFiles, limits.RunFileBytes/block)
	if o := r.await(t, "one"); !strings.Contains(o.Log, want) {
		t.Errorf("%q is not in\n%s", want, o.Log)
	}
}

// TestNative: a source that the program reads itself runs as a child of the program, unless the recipe needs the
// client, or the source asks for it.
func TestNative(t *testing.T) {
	file := filepath.Join(t.TempDir(), "records.json")
	if err := os.WriteFile(file, []byte("[]"), 0o600); err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(t.TempDir(), "program")
	if err := os.WriteFile(program, []byte("#!/bin/sh\necho \"native $*\"; env\nfor one; do [ \"$before\" = --report ] && echo '{\"basic_connectivity\":{}}' > \"$one\"; before=$one; done\n[ \"$one\" = --test ] && exit 1\nexit 0\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	change := func(o *executor.Options, c *executor.Client) {
		o.Runners = []executor.Runner{&executor.Native{
			Program: program, Cache: "/cache", Supervisor: c.Supervisor,
			Unknown: func(kind string, config map[string]any) ([]string, bool) {
				if config["odd"] != nil {
					return []string{"odd"}, true
				}
				return nil, kind == "sqlite"
			},
		}, c}
	}
	for name, c := range map[string]struct {
		recipe, runner, version, task string
		want                          []string
	}{
		"native":        {recipe: `{"source":{"type":"sqlite","config":{}}}`, want: []string{"native ingest source ", "--cache-dir /cache\n", "HEADWATER_SERVER=http://127.0.0.1:8080", "HEADWATER_TOKEN=***TOKEN***"}},
		"test":          {recipe: `{"source":{"type":"sqlite"}}`, task: ingestion.TaskTestConnection, want: []string{"--test\n", "The run succeeded."}},
		"file":          {recipe: `{"source":{"type":"file","config":{"path":"` + file + `"}}}`, want: []string{"native ingest " + file + " --run-id=urn:li:dataHubExecutionRequest:one"}},
		"next door":     {recipe: `{"pipeline_name":"next","source":{"type":"catalog","config":{"server":"http://next:8080","delete_at_most":"50"}}}`, want: []string{"native copy http://next:8080 --delete-at-most=50 --pipeline-name=next\n"}},
		"no such file":  {recipe: `{"source":{"type":"file","config":{"path":"` + file + `.x"}}}`, want: []string{"client ingest run"}},
		"more settings": {recipe: `{"source":{"type":"file","config":{"path":"` + file + `","aspect":"x"}}}`, want: []string{"client ingest run"}},
		"other type":    {recipe: `{"source":{"type":"mysql"}}`, want: []string{"client ingest run"}},
		"unknown":       {recipe: `{"source":{"type":"sqlite","config":{"odd":1}}}`, want: []string{"client ingest run"}},
		"transformers":  {recipe: `{"source":{"type":"sqlite"},"transformers":[{"type":"add_domain"}]}`, want: []string{"client ingest run"}},
		"version":       {recipe: `{"source":{"type":"sqlite"}}`, version: "1.2.3", want: []string{"client ingest run"}},
		"asked client":  {recipe: `{"source":{"type":"sqlite"}}`, runner: "client", want: []string{"client ingest run"}},
		"asked native":  {recipe: `{"source":{"type":"sqlite"}}`, runner: "native", version: "1.2.3", want: []string{"native ingest source"}},
		"asked in vain": {recipe: `{"source":{"type":"mysql"}}`, runner: "native", want: []string{"nothing here runs sources of the type mysql; sources of the type mysql are not read without Python; its argument headwater.runner"}},
	} {
		t.Run(name, func(t *testing.T) {
			run := aRun("one", c.recipe)
			run.Version, run.ExtraArgs = c.version, map[string]string{"headwater.runner": c.runner}
			if c.task != "" {
				run.Task = c.task
			}
			r := start(t, newQueue(run), `echo "client $*"`, change)
			o := r.await(t, "one")
			for _, want := range c.want {
				if !strings.Contains(o.Log, want) {
					t.Errorf("%q is not in\n%s", want, o.Log)
				}
			}
		})
	}
}

// TestTask: for a test of a connection, the executor starts the client's test, and the report has the test's name.
func TestTask(t *testing.T) {
	run := aRun("one", plainRecipe)
	run.Task, run.Debug = ingestion.TaskTestConnection, true
	r := start(t, newQueue(run), `echo "args $*"; echo '{"basic_connectivity":{"capable":true}}' > "$REPORT"`, nil)
	if o := r.await(t, "one"); o.ReportType != ingestion.TaskTestConnection || !strings.Contains(o.Log, "args --debug ingest run") || !strings.Contains(o.Log, "--test-source-connection") || o.Report == "" {
		t.Errorf("%+v", o)
	}
}

// TestRemains: an executor ends the runs of a killed executor and removes its files, and touches nothing of a
// running executor.
func TestRemains(t *testing.T) {
	shared := t.TempDir()
	change := func(o *executor.Options, _ *executor.Client) { o.Dir = shared }
	dead := filepath.Join(shared, "process-dead", "run-1")
	if err := os.MkdirAll(dead, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dead, "lease"), []byte("of the dead"), 0o600); err != nil {
		t.Fatal(err)
	}
	q := newQueue(aRun("one", plainRecipe))
	first := start(t, q, `while [ ! -e "$HOME/../../../go" ]; do sleep 0.01; done; ls "$RECIPE"`, change)
	testclock.Await(t, "the first executor", func() bool {
		found, _ := filepath.Glob(filepath.Join(shared, "process-*", "run-*", "work", "recipe.json"))
		return len(found) == 1
	})
	if o, ended := first.outcome("of the dead"); !ended || o.Status != ingestion.StatusFailure || !o.Retry || !strings.Contains(o.Log, "its executor was killed") {
		t.Errorf("the run of the killed executor: %+v", o)
	}
	second := start(t, newQueue(aRun("two", plainRecipe)), `echo done`, change)
	second.await(t, "two")
	if _, err := os.Stat(dead); !os.IsNotExist(err) {
		t.Errorf("%s is left: %v", dead, err)
	}
	if err := os.WriteFile(filepath.Join(shared, "go"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if o := first.await(t, "one"); o.Status != ingestion.StatusSuccess {
		t.Errorf("%+v", o)
	}
}
