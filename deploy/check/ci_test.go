package check

import (
	"os"
	"os/exec"
	"path/filepath"
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
		if !strings.Contains(text, "headwater check") {
			t.Errorf("it does not call headwater check: %s", text)
		}
		for _, flag := range checkFlag.FindAllString(text, -1) {
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

// TestActionAnnounces: the step of the action, and the job, announce a change only if they are told to, with the pull request and its
// author. A program in the place of headwater writes down how it was called.
func TestActionAnnounces(t *testing.T) {
	var action struct{ Runs struct{ Steps []step } }
	if err := yaml.Unmarshal(read(t, "deploy/ci/action.yml"), &action); err != nil {
		t.Fatal(err)
	}
	var jobs map[string]struct{ Script []string }
	if err := yaml.Unmarshal(read(t, "deploy/ci/gitlab.yml"), &jobs); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "headwater"), []byte("#!/bin/sh\nprintf '<%s>' \"$@\" > called\nexit 6\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	called := func(script string, environment ...string) string {
		t.Helper()
		command := exec.CommandContext(t.Context(), "bash", "-e", "-c", script)
		command.Dir = dir
		command.Env = append([]string{"PATH=" + dir + ":" + os.Getenv("PATH"), "GITHUB_OUTPUT=" + filepath.Join(dir, "output"), "BASE=base", "HEAD=target"}, environment...)
		_ = command.Run() // a change that is refused
		text, err := os.ReadFile(filepath.Join(dir, "called"))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	const pull, announced = "https://git.example/a/pull/1", "<--announce><--pull-request><https://git.example/a/pull/1><--author><Ada Wren>"
	for _, one := range []struct {
		script      string
		environment []string
		announces   bool
	}{
		{action.Runs.Steps[0].Run, []string{"ANNOUNCE=true", "PULL_REQUEST=" + pull, "AUTHOR=Ada Wren"}, true},
		{action.Runs.Steps[0].Run, []string{"ANNOUNCE=false", "PULL_REQUEST=" + pull, "AUTHOR=Ada Wren"}, false},
		{action.Runs.Steps[0].Run, []string{"ANNOUNCE=true", "PULL_REQUEST="}, false}, // of no pull request
		{strings.Join(jobs["headwater-check"].Script, "\n"), []string{"HEADWATER_ANNOUNCE=1", "CI_MERGE_REQUEST_PROJECT_URL=https://git.example/a", "CI_MERGE_REQUEST_IID=1", "GITLAB_USER_NAME=Ada Wren"}, true},
		{strings.Join(jobs["headwater-check"].Script, "\n"), nil, false},
	} {
		got := called(one.script, one.environment...)
		want := strings.ReplaceAll(announced, pull, "https://git.example/a/-/merge_requests/1")
		if strings.Contains(got, announced) != one.announces && strings.Contains(got, want) != one.announces || strings.Contains(got, "--announce") != one.announces {
			t.Errorf("%v: %s", one.environment, got)
		}
		if !strings.HasPrefix(got, "<check><--base>") || !strings.Contains(got, "<--markdown><headwater.md>") || strings.Contains(got, "<>") {
			t.Errorf("%v: %s", one.environment, got)
		}
	}
}

// declaredFlags returns the flags that the source of the command declares.
func declaredFlags(t *testing.T) string {
	t.Helper()
	var flags []string
	for _, found := range regexp.MustCompile(`f\.(?:String|Bool|Int)Var\(&o\.[\w.]+, "([a-z-]+)"`).FindAllStringSubmatch(string(read(t, "cmd/headwater/check/check.go")), -1) {
		flags = append(flags, "--"+found[1])
	}
	return strings.Join(flags, " ")
}
