package check

import (
	"path"
	"regexp"
	"strings"
	"testing"
)

var (
	link  = regexp.MustCompile(`\]\(([^)#\s]+)(#[^)\s]*)?\)`)
	named = regexp.MustCompile(`(?:^|[\s` + "`" + `(=])((?:deploy|compose|\.github|docs|e2e|internal|cmd)/[\w./-]*\w)`)
)

// documents are the pages about building, deploying and operating Headwater.
var documents = []string{
	"docs/deployment.md", "docs/dependencies.md", "docs/decisions/0059-releases.md", "compose/README.md",
	"SECURITY.md", "CHANGELOG.md", ".github/PULL_REQUEST_TEMPLATE.md", "Makefile",
	"deploy/systemd/headwater.service", "deploy/systemd/headwater.env", "compose/docker-compose.yaml", "compose/env.example",
}

// TestDocuments: every file that a page links or names exists, and every make target that
// it calls exists.
func TestDocuments(t *testing.T) {
	known, names := targets(t), 0
	for _, document := range documents {
		text := string(read(t, document))
		for _, match := range link.FindAllStringSubmatch(text, -1) {
			if strings.Contains(match[1], "://") || strings.HasPrefix(match[1], "mailto:") {
				continue
			}
			names++
			exists(t, document, path.Join(path.Dir(document), match[1]))
		}
		for _, match := range named.FindAllStringSubmatch(text, -1) {
			names++
			// The reader makes compose/.env.
			if match[1] != "compose/.env" {
				exists(t, document, match[1])
			}
		}
		for _, match := range regexp.MustCompile("`make ([a-z-]+)").FindAllStringSubmatch(text, -1) {
			if !known[match[1]] {
				t.Errorf("%s calls make %s, which does not exist", document, match[1])
			}
		}
	}
	if names < 30 {
		t.Errorf("only %d names of files were found", names)
	}
}

// TestVersions: the manifests run the newest version in the change log.
func TestVersions(t *testing.T) {
	newest := regexp.MustCompile(`(?m)^## \[(\d+\.\d+\.\d+)\]`).FindStringSubmatch(string(read(t, "CHANGELOG.md")))
	if newest == nil {
		t.Fatal("the change log has no version")
	}
	for _, file := range glob(t, "deploy/kubernetes/*/kustomization.yaml") {
		if !strings.Contains(string(read(t, file)), "newTag: "+newest[1]+"\n") {
			t.Errorf("%s does not run version %s", file, newest[1])
		}
	}
}
