package check

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// step is a step of a composite action.
type step struct {
	Name, Shell, Run string
	Env              map[string]string
}

// checkFlag is a flag on a line of headwater check.
var checkFlag = regexp.MustCompile(`(--[a-z][a-z-]*)`)

// TestCIFiles: the action and the job are YAML, and call headwater check with flags that it has.
func TestCIFiles(t *testing.T) {
	var action struct {
		Inputs map[string]struct{ Description string }
		Runs   struct {
			Using string
			Steps []step
		}
	}
	if err := yaml.Unmarshal(read(t, "deploy/ci/action.yml"), &action); err != nil {
		t.Fatal(err)
	}
	if action.Runs.Using != "composite" || len(action.Runs.Steps) != 3 {
		t.Errorf("%+v", action.Runs)
	}
	input := regexp.MustCompile(`\$\{\{ inputs\.([a-z-]+) \}\}`)
	for _, s := range action.Runs.Steps {
		if s.Shell != "bash" || s.Run == "" || strings.Contains(s.Run, "${{") {
			t.Errorf("the step %s must be bash, and take inputs from its environment", s.Name)
		}
		for _, value := range s.Env {
			if found := input.FindStringSubmatch(value); found != nil && action.Inputs[found[1]].Description == "" {
				t.Errorf("the step %s takes the input %s, which the action lacks", s.Name, found[1])
			}
		}
	}
	var jobs map[string]struct{ Script []string }
	if err := yaml.Unmarshal(read(t, "deploy/ci/gitlab.yml"), &jobs); err != nil {
		t.Fatal(err)
	}
	known := checkFlag.FindAllString(strings.NewReplacer(`"`, " ").Replace(declaredFlags(t)), -1)
	if len(known) < 15 {
		t.Fatalf("headwater check has the flags %v", known)
	}
	calls := 0
	for _, text := range []string{action.Runs.Steps[0].Run, strings.Join(jobs["headwater-check"].Script, "\n")} {
		_, call, found := strings.Cut(text, "headwater check")
		if !found {
			t.Errorf("it does not call headwater check: %s", text)
			continue
		}
		for _, flag := range checkFlag.FindAllString(call, -1) {
			calls++
			if !slices.Contains(known, flag) {
				t.Errorf("headwater check has no flag %s", flag)
			}
		}
	}
	if calls < 10 {
		t.Errorf("%d flags were compared", calls)
	}
	if marker := "<!-- headwater check -->"; !strings.Contains(string(read(t, "catalog/change/report/markdown.go")), marker) || !strings.Contains(action.Runs.Steps[1].Run, marker) {
		t.Error("the action must look for the marker that the comment begins with")
	}
}

// declaredFlags returns the flags that the source of the command declares.
func declaredFlags(t *testing.T) string {
	t.Helper()
	var flags []string
	for _, found := range regexp.MustCompile(`f\.StringVar\(&o\.\w+, "([a-z-]+)"`).FindAllStringSubmatch(string(read(t, "cmd/headwater/check/check.go")), -1) {
		flags = append(flags, "--"+found[1])
	}
	return strings.Join(flags, " ")
}
