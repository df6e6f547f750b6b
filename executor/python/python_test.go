package python_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/headwater-io/headwater/executor/python"
	"github.com/headwater-io/headwater/internal/limits"
)

// fakeUV is a uv that makes an environment with the types file and postgres, and notes its calls in $NOTES.
const fakeUV = `#!/bin/sh
echo "$*" >> "$PIP_NOTES"
case "$1" in
venv)
  for dir; do :; done
  mkdir -p "$dir/bin" && echo '#!/bin/sh' > "$dir/bin/datahub" && chmod +x "$dir/bin/datahub"
  ;;
pip)
  while [ "$1" != --python ]; do shift; done
  info="$(dirname "$2")/../lib/python3.11/site-packages/acryl_datahub-1.dist-info"
  mkdir -p "$info" "$info/../datahub"
  printf '[console_scripts]\nmysql = no\n[datahub.ingestion.source.plugins]\nfile = a:B\npostgres = c:D\n\n[other]\nmysql = no\n' > "$info/entry_points.txt"
  echo "x==1" > "$info/../datahub/constraints.txt"
  case "$PIP_REFUSES$*" in yes*--constraint*) echo "no version of x==1"; exit 1;; esac
  if [ -e "$PIP_NOTES.kill" ]; then rm "$PIP_NOTES.kill"; kill -9 $$; fi
  head -c 1000 /dev/zero > "$info/content"
  ;;
esac
`

// environments returns environments that are built by the fake, and the file with its calls.
func environments(t *testing.T, o python.Options) (*python.Environments, string) {
	t.Helper()
	bin, notes := t.TempDir(), filepath.Join(t.TempDir(), "notes")
	if err := os.WriteFile(filepath.Join(bin, "uv"), []byte(fakeUV), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
	t.Setenv("PIP_NOTES", notes)
	t.Setenv("SECRET_OF_EXECUTOR", "x")
	if o.Dir == "" {
		o.Dir = t.TempDir()
	}
	o.Environ, o.Supervisor = os.Environ(), []string{os.Args[0], "supervise"}
	return python.New(o), notes
}

func text(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return string(b)
}

// TestBuild: an environment is built once, also when several runs want it at once, with the constraints of the
// client, and used again.
func TestBuild(t *testing.T) {
	e, notes := environments(t, python.Options{})
	var wait sync.WaitGroup
	for range 4 {
		wait.Go(func() {
			var log bytes.Buffer
			taken, err := e.Take(t.Context(), python.Wanted{Type: "postgres"}, &log)
			if err != nil {
				t.Errorf("%v\n%s", err, &log)
				return
			}
			defer taken.Release()
			if _, err := os.Stat(taken.Program); err != nil || taken.Version != python.DefaultVersion {
				t.Errorf("%+v, %v", taken, err)
			}
		})
	}
	wait.Wait()
	calls := text(t, notes)
	if strings.Count(calls, "venv ") != 1 || strings.Count(calls, "pip ") != 2 {
		t.Errorf("the calls are\n%s", calls)
	}
	for _, want := range []string{"--no-deps acryl-datahub==" + python.DefaultVersion, "datahub/constraints.txt acryl-datahub[datahub-rest,postgres]==" + python.DefaultVersion, "--relocatable"} {
		if !strings.Contains(calls, want) {
			t.Errorf("%q is not in\n%s", want, calls)
		}
	}
}

// TestOptions: constraints, wheels, plugins and requirements reach the build.
func TestOptions(t *testing.T) {
	constraints := filepath.Join(t.TempDir(), "c.txt")
	if err := os.WriteFile(constraints, []byte("x==1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	e, notes := environments(t, python.Options{Constraints: constraints, Wheels: "/wheels"})
	taken, err := e.Take(t.Context(), python.Wanted{Type: "postgres", Version: "1.5.0", Plugins: []string{"dbt"}, Requirements: []string{"memray"}}, os.Stderr)
	if err != nil {
		t.Fatal(err)
	}
	taken.Release()
	if calls := text(t, notes); !strings.Contains(calls, "--no-index --find-links /wheels --constraint "+constraints+" acryl-datahub[datahub-rest,postgres,dbt]==1.5.0 memray\n") || strings.Contains(calls, "--no-deps") {
		t.Errorf("the calls are\n%s", calls)
	}
}

// TestUnavailableLibraries: where the libraries with which the client was tested cannot be had, the newest that fit
// are used, unless somebody has named constraints.
func TestUnavailableLibraries(t *testing.T) {
	t.Setenv("PIP_REFUSES", "yes")
	e, notes := environments(t, python.Options{})
	var log bytes.Buffer
	taken, err := e.Take(t.Context(), python.Wanted{Type: "postgres"}, &log)
	if err != nil {
		t.Fatal(err)
	}
	taken.Release()
	if calls := text(t, notes); strings.Count(calls, "pip ") != 3 || !strings.Contains(log.String(), "can be had") {
		t.Errorf("the calls are\n%s\nthe log is\n%s", calls, &log)
	}
	constraints := filepath.Join(t.TempDir(), "c.txt")
	if err := os.WriteFile(constraints, []byte("x==1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	e, _ = environments(t, python.Options{Constraints: constraints})
	if _, err := e.Take(t.Context(), python.Wanted{Type: "postgres"}, &log); err == nil {
		t.Error("constraints of somebody are left out")
	}
}

// TestKilledBuild: a killed build leaves nothing that is taken for an environment, and the next build
// removes its files.
func TestKilledBuild(t *testing.T) {
	e, notes := environments(t, python.Options{})
	if err := os.WriteFile(notes+".kill", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := e.Take(t.Context(), python.Wanted{Type: "postgres"}, os.Stderr); err == nil || !strings.Contains(err.Error(), "SIGKILL") {
		t.Fatalf("a killed build gives %v", err)
	}
	left := filepath.Join(e.Dir, "building", "postgres-"+python.DefaultVersion)
	if kept, _ := filepath.Glob(filepath.Join(e.Dir, "environments", "*")); len(kept) != 0 {
		t.Errorf("%q is kept", kept)
	}
	taken, err := e.Take(t.Context(), python.Wanted{Type: "postgres"}, os.Stderr)
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Release()
	// The directory that a killed process leaves has the name of the environment, and an end of its own.
	name := filepath.Base(filepath.Dir(filepath.Dir(taken.Program)))
	remains := filepath.Join(e.Dir, "building", name+".123")
	if err := os.MkdirAll(filepath.Join(remains, "env"), 0o700); err != nil {
		t.Fatal(err)
	}
	taken.Release()
	if err := os.RemoveAll(filepath.Dir(filepath.Dir(taken.Program))); err != nil {
		t.Fatal(err)
	}
	second, err := e.Take(t.Context(), python.Wanted{Type: "postgres"}, os.Stderr)
	if err != nil {
		t.Fatal(err)
	}
	second.Release()
	if _, err := os.Stat(remains); !os.IsNotExist(err) {
		t.Errorf("%s is left (%v), %s", remains, err, left)
	}
}

// TestRoom: beyond the bound, the environment that was not used for longest is removed, but none that is used.
func TestRoom(t *testing.T) {
	e, _ := environments(t, python.Options{Disk: 3500})
	take := func(version string) *python.Taken {
		t.Helper()
		taken, err := e.Take(t.Context(), python.Wanted{Type: "file", Version: version}, os.Stderr)
		if err != nil {
			t.Fatal(err)
		}
		return taken
	}
	used := take("1.1.0") // stays in use
	second := take("1.2.0")
	second.Release()
	take("1.3.0").Release()
	take("1.4.0").Release()
	for name, c := range map[string]struct {
		taken *python.Taken
		kept  bool
	}{"used": {used, true}, "oldest": {second, false}} {
		if _, err := os.Stat(c.taken.Program); (err == nil) != c.kept {
			t.Errorf("%s: %v", name, err)
		}
	}
	used.Release()
	if python.New(python.Options{}).Disk != limits.DefaultEnvironmentBytes {
		t.Error("the default of the bound is another one")
	}
}

// TestUnknown: a name that cannot be an environment is refused with the nearest name.
func TestUnknown(t *testing.T) {
	e, notes := environments(t, python.Options{})
	for _, c := range []struct {
		wanted python.Wanted
		want   string
	}{
		{python.Wanted{Type: "postgers"}, "did you mean postgres"},
		{python.Wanted{Type: "../x"}, "not the name of a type"},
		{python.Wanted{Type: "file", Version: "1.0; rm"}, "not one of PyPI"},
		{python.Wanted{Type: "file", Version: "https://x/y.whl"}, "not one of PyPI"},
		{python.Wanted{Type: "file", Plugins: []string{"a b"}}, "not the name of a type"},
	} {
		if _, err := e.Take(t.Context(), c.wanted, os.Stderr); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v", c.wanted, err)
		}
	}
	if calls := text(t, notes); calls != "" {
		t.Errorf("something was built: %s", calls)
	}
	if _, err := e.Take(t.Context(), python.Wanted{Type: "postgre", Version: "1.1.0"}, os.Stderr); err == nil || !strings.Contains(err.Error(), "did you mean postgres") {
		t.Errorf("a type that the installed client lacks: %v", err)
	}
}

// TestPrepared: a prepared environment is found by type and version, and nothing is built.
func TestPrepared(t *testing.T) {
	dir := t.TempDir()
	e, notes := environments(t, python.Options{Prepared: dir})
	if _, err := e.Take(t.Context(), python.Wanted{Type: "postgres"}, os.Stderr); err == nil || !strings.Contains(err.Error(), "postgres, "+python.DefaultVersion+", the directory itself") {
		t.Errorf("an error without a prepared environment: %v", err)
	}
	for _, place := range []string{"", "postgres-1.2.3", "1.2.3", "mysql", python.DefaultVersion} {
		if err := os.MkdirAll(filepath.Join(dir, place, "bin"), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, place, "bin", "datahub"), nil, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for wanted, want := range map[[2]string]string{
		{"postgres", "1.2.3"}: "postgres-1.2.3", {"mysql", "1.2.3"}: "1.2.3", {"mysql", ""}: "mysql", {"file", ""}: python.DefaultVersion, {"file", "9.9"}: "", {"../..", "1.2.3"}: "",
	} {
		taken, err := e.Take(t.Context(), python.Wanted{Type: wanted[0], Version: wanted[1]}, os.Stderr)
		if err != nil || taken.Program != filepath.Join(dir, want, "bin", "datahub") {
			t.Errorf("%q: %+v, %v", wanted, taken, err)
		}
	}
	if calls := text(t, notes); calls != "" {
		t.Errorf("something was built: %s", calls)
	}
}

// TestCancelledBuild: a build ends with its run.
func TestCancelledBuild(t *testing.T) {
	e, _ := environments(t, python.Options{})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := e.Take(ctx, python.Wanted{Type: "postgres"}, os.Stderr); err == nil {
		t.Error("a cancelled build succeeds")
	}
}

// TestNoSecretsInBuilds: builds do not get the environment of the executor.
func TestNoSecretsInBuilds(t *testing.T) {
	e, _ := environments(t, python.Options{})
	show := filepath.Join(t.TempDir(), "uv")
	if err := os.WriteFile(show, []byte("#!/bin/sh\nenv\nexit 1\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", filepath.Dir(show)+":"+os.Getenv("PATH"))
	var log bytes.Buffer
	if _, err := e.Take(t.Context(), python.Wanted{Type: "postgres"}, &log); err == nil || !strings.Contains(err.Error(), "a command failed: uv venv --quiet ended with exit code 1") {
		t.Errorf("%v", err)
	}
	if !strings.Contains(log.String(), "PIP_NOTES=") || strings.Contains(log.String(), "SECRET_OF_EXECUTOR") {
		t.Errorf("the environment of a build is\n%s", &log)
	}
}
