package check

import (
	"bytes"
	"io"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/rhysd/actionlint"
	"go.yaml.in/yaml/v3"
)

// TestWorkflows: actionlint accepts the workflows.
func TestWorkflows(t *testing.T) {
	files := glob(t, ".github/workflows/*.yml")
	for i := range files {
		files[i] = filepath.Join(root, files[i])
	}
	var out bytes.Buffer
	linter, err := actionlint.NewLinter(&out, &actionlint.LinterOptions{})
	if err != nil {
		t.Fatal(err)
	}
	problems, err := linter.LintFiles(files, nil)
	if err != nil || len(problems) > 0 {
		t.Errorf("%v\n%s", err, out.String())
	}
}

var (
	target = regexp.MustCompile(`(?m)^([a-z][a-z-]*):`)
	// matches commands, and not words in comments
	called = regexp.MustCompile(`(?m)^(?:\s*- run: |\s*RUN |\s*)make ([a-z][a-z-]*)`)
	uses   = regexp.MustCompile(`(?m)uses: (\S+)`)
	pinned = regexp.MustCompile(`^[\w-]+/[\w/-]+@v\d+\.\d+\.\d+$`)
)

// targets returns the targets of the Makefile.
func targets(t *testing.T) map[string]bool {
	t.Helper()
	known := map[string]bool{}
	for _, match := range target.FindAllStringSubmatch(string(read(t, "Makefile")), -1) {
		known[match[1]] = true
	}
	return known
}

// TestTargets: the targets that CI calls exist, actions have exact versions, and "make
// help" has a line for every target.
func TestTargets(t *testing.T) {
	known, calls := targets(t), 0
	for _, file := range append(glob(t, ".github/workflows/*.yml"), ".ci/run", "Dockerfile") {
		text := string(read(t, file))
		for _, match := range called.FindAllStringSubmatch(text, -1) {
			calls++
			if !known[match[1]] {
				t.Errorf("%s calls make %s, which does not exist", file, match[1])
			}
		}
		for _, match := range uses.FindAllStringSubmatch(text, -1) {
			if local, ok := strings.CutPrefix(match[1], "./"); ok {
				exists(t, file, local)
			} else if !pinned.MatchString(match[1]) {
				t.Errorf("%s uses %s: name an exact version", file, match[1])
			}
		}
	}
	if calls < 8 {
		t.Errorf("only %d calls of make were found", calls)
	}
	help := exec.Command("make", "--no-print-directory", "help")
	help.Dir = root
	out, err := help.Output()
	if err != nil {
		t.Fatal(err)
	}
	for name := range known {
		if !regexp.MustCompile(`(?m)^` + name + ` `).Match(out) {
			t.Errorf("make help does not list %s", name)
		}
	}
}

// TestForms: the forms of issues and the file of dependabot are valid YAML with the members
// that GitHub requires.
func TestForms(t *testing.T) {
	for _, file := range glob(t, ".github/ISSUE_TEMPLATE/*.yml") {
		var form struct {
			Name, Description string
			Title             string
			Labels            []string
			Body              []map[string]any
			BlankIssues       *bool `yaml:"blank_issues_enabled"`
			ContactLinks      []struct {
				Name, URL, About string
			} `yaml:"contact_links"`
		}
		decodeStrict(t, file, &form)
		if filepath.Base(file) == "config.yml" {
			if form.BlankIssues == nil || len(form.ContactLinks) == 0 {
				t.Errorf("%s: %+v", file, form)
			}
			continue
		}
		if form.Name == "" || form.Description == "" || len(form.Body) == 0 {
			t.Errorf("%s lacks a name, a description or a body", file)
		}
	}
	var updates struct {
		Version int
		Updates []struct {
			Ecosystem string `yaml:"package-ecosystem"`
			Directory string
			Schedule  map[string]string
			Groups    map[string]any
			Limit     int `yaml:"open-pull-requests-limit"`
		}
	}
	decodeStrict(t, ".github/dependabot.yml", &updates)
	if updates.Version != 2 || len(updates.Updates) < 3 {
		t.Errorf("dependabot: %+v", updates)
	}
	modules := map[string]bool{}
	for _, u := range updates.Updates {
		exists(t, ".github/dependabot.yml", strings.TrimPrefix(u.Directory, "/"))
		modules[u.Directory] = modules[u.Directory] || u.Ecosystem == "gomod"
	}
	for _, pattern := range []string{"go.mod", "deploy/*/go.mod", "deploy/*/*/go.mod"} {
		for _, file := range glob(t, pattern) {
			if directory := path.Join("/", path.Dir(file)); !modules[directory] {
				t.Errorf("dependabot does not look after %s", directory)
			}
		}
	}
}

func decodeStrict(t *testing.T, file string, into any) {
	t.Helper()
	decoder := yaml.NewDecoder(bytes.NewReader(read(t, file)))
	decoder.KnownFields(true)
	if err := decoder.Decode(into); err != nil && err != io.EOF {
		t.Fatalf("%s: %v", file, err)
	}
}
