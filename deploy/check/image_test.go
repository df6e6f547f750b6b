package check

import (
	"bytes"
	"encoding/json"
	"go/version"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/moby/buildkit/frontend/dockerfile/instructions"
	"github.com/moby/buildkit/frontend/dockerfile/parser"
	"github.com/moby/patternmatcher"
	"github.com/moby/patternmatcher/ignorefile"
)

// TestDockerfile: Docker's own parser accepts the file, its base images are pinned, every
// copied file exists, and the image runs as a user without privileges who owns the volume.
func TestDockerfile(t *testing.T) {
	file, err := parser.Parse(bytes.NewReader(read(t, "Dockerfile")))
	if err != nil {
		t.Fatal(err)
	}
	stages, _, err := instructions.Parse(file.AST, nil)
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]bool{}
	for _, stage := range stages {
		if !names[stage.BaseName] && (!strings.Contains(stage.BaseName, ":") || strings.HasSuffix(stage.BaseName, ":latest")) {
			t.Errorf("the base %s has no fixed tag", stage.BaseName)
		}
		names[stage.Name] = true
		for _, command := range stage.Commands {
			c, ok := command.(*instructions.CopyCommand)
			if !ok {
				continue
			}
			for _, source := range c.SourcePaths {
				if c.From == "" {
					exists(t, "Dockerfile", source)
				} else if !names[c.From] {
					t.Errorf("COPY --from=%s: there is no such stage before it", c.From)
				}
			}
		}
	}

	var user, volume string
	var owners []string
	healthy, authenticates := false, false
	for _, command := range stages[len(stages)-1].Commands {
		switch c := command.(type) {
		case *instructions.UserCommand:
			user = c.User
		case *instructions.VolumeCommand:
			volume = strings.Join(c.Volumes, " ")
		case *instructions.EnvCommand:
			authenticates = slices.ContainsFunc(c.Env, func(v instructions.KeyValuePair) bool { return v.Key == "HEADWATER_AUTH" && v.Value == "on" })
		case *instructions.HealthCheckCommand:
			healthy = slices.Equal(c.Health.Test[:3], []string{"CMD", "headwater", "health"})
		case *instructions.CopyCommand:
			owners = append(owners, c.DestPath+" "+c.Chown)
		case *instructions.RunCommand:
			t.Errorf("the last stage has no shell for %s", c)
		}
	}
	if user != "65532:65532" {
		t.Errorf("the user is %q", user)
	}
	if volume != "/data" || !slices.Contains(owners, volume+" "+user) {
		t.Errorf("the volume %q does not belong to the user %q: %q", volume, user, owners)
	}
	if !authenticates {
		t.Error("the server of the image listens on all addresses and serves everybody")
	}
	if !healthy {
		t.Error("there is no health check")
	}
}

// TestDockerIgnore: the build context of the image has every file that the binary is
// compiled from.
func TestDockerIgnore(t *testing.T) {
	patterns, err := ignorefile.ReadAll(bytes.NewReader(read(t, ".dockerignore")))
	if err != nil {
		t.Fatal(err)
	}
	ignored, err := patternmatcher.New(patterns)
	if err != nil {
		t.Fatal(err)
	}
	list := exec.Command("go", "list", "-deps", "-json=Dir,Module,GoFiles,EmbedFiles", "./cmd/headwater")
	list.Dir = root
	out, err := list.Output()
	if err != nil {
		t.Fatal(err)
	}
	top, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	files := []string{"go.mod", "go.sum", "Makefile"}
	for decoder := json.NewDecoder(bytes.NewReader(out)); decoder.More(); {
		var p struct {
			Dir                 string
			Module              *struct{ Main bool }
			GoFiles, EmbedFiles []string
		}
		if err := decoder.Decode(&p); err != nil {
			t.Fatal(err)
		}
		if p.Module == nil || !p.Module.Main {
			continue
		}
		for _, name := range slices.Concat(p.GoFiles, p.EmbedFiles) {
			path, err := filepath.Rel(top, filepath.Join(p.Dir, name))
			if err != nil {
				t.Fatal(err)
			}
			files = append(files, path)
		}
	}
	if len(files) < 200 {
		t.Fatalf("only %d files", len(files))
	}
	for _, path := range files {
		if match, err := ignored.MatchesOrParentMatches(path); err != nil || match {
			t.Errorf(".dockerignore leaves out %s, which the binary is built from (%v)", path, err)
		}
	}
	for _, path := range []string{".git/HEAD", "dist/headwater_dev_linux_amd64.tar.gz", "bin/headwater", "data/headwater.db"} {
		if match, _ := ignored.MatchesOrParentMatches(path); !match {
			t.Errorf(".dockerignore does not leave out %s", path)
		}
	}
}

// TestToolchain: go.mod accepts the version of Go that builds the image.
func TestToolchain(t *testing.T) {
	var required, built string
	for line := range strings.Lines(string(read(t, "go.mod"))) {
		if v, ok := strings.CutPrefix(line, "go "); ok {
			required = strings.TrimSpace(v)
		}
	}
	for line := range strings.Lines(string(read(t, "Dockerfile"))) {
		if v, ok := strings.CutPrefix(line, "FROM golang:"); ok {
			built = strings.Fields(v)[0]
		}
	}
	if !version.IsValid("go"+required) || !version.IsValid("go"+built) || version.Compare("go"+built, "go"+required) < 0 {
		t.Errorf("go.mod requires Go %q, the image is built with %q", required, built)
	}
}
