package headwater_test

import (
	"cmp"
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
)

var updatePicture = flag.Bool("update-picture", false, "draw the picture of the rooms in ARCHITECTURE.md")

const (
	pictureBegins = "<!-- tested by TestPictureOfRooms -->\n```mermaid\n"
	pictureEnds   = "```\n"
)

// TestPictureOfRooms compares the picture of the rooms in ARCHITECTURE.md with the imports of
// their programs.
func TestPictureOfRooms(t *testing.T) {
	text, err := os.ReadFile("ARCHITECTURE.md")
	if err != nil {
		t.Fatal(err)
	}
	before, rest, found := strings.Cut(string(text), pictureBegins)
	picture, after, ended := strings.Cut(rest, pictureEnds)
	if !found || !ended {
		t.Fatal("ARCHITECTURE.md has no picture of the rooms")
	}
	drawn := drawRooms(readImports(t))
	if picture == drawn {
		return
	}
	if !*updatePicture {
		t.Fatalf("the picture of the rooms is not that of the imports; go test . -run TestPictureOfRooms -update-picture draws it:\n%s", drawn)
	}
	if err := os.WriteFile("ARCHITECTURE.md", []byte(before+pictureBegins+drawn+pictureEnds+after), 0o600); err != nil {
		t.Fatal(err)
	}
}

// drawRooms draws the rooms and the folders of Kafka, each with those that it imports. An import that also
// follows from other imports is left out: the picture shows the layers.
func drawRooms(files []file) string {
	arrows := map[string]map[string]bool{}
	for _, f := range files {
		if !isDrawn(f.folder) || f.isTest() {
			continue
		}
		if arrows[f.folder] == nil {
			arrows[f.folder] = map[string]bool{}
		}
		for _, imported := range f.imports {
			if name, ours := strings.CutPrefix(imported, module); ours && isDrawn(name) {
				arrows[f.folder][name] = true
			}
		}
	}
	var picture strings.Builder
	picture.WriteString("flowchart TD\n")
	for _, folder := range slices.SortedFunc(maps.Keys(arrows), func(a, b string) int { return cmp.Compare(nodeOf(a), nodeOf(b)) }) {
		var ends []string
		for end := range arrows[folder] {
			if !reachedOtherwise(arrows, folder, end) {
				ends = append(ends, nodeOf(end))
			}
		}
		slices.Sort(ends)
		if len(ends) == 0 {
			fmt.Fprintf(&picture, "  %s\n", nodeOf(folder))
			continue
		}
		fmt.Fprintf(&picture, "  %s --> %s\n", nodeOf(folder), strings.Join(ends, " & "))
	}
	return picture.String()
}

// isDrawn reports whether the picture has a folder.
func isDrawn(folder string) bool {
	return slices.Contains(groups["rooms"], folder) || strings.HasPrefix(folder, "kafka/")
}

// nodeOf is the name of a folder in the picture, in which a room has no prefix.
func nodeOf(folder string) string {
	return strings.ReplaceAll(strings.TrimPrefix(folder, "catalog/"), "/", "-")
}

// reachedOtherwise reports whether a folder reaches another one by way of a third.
func reachedOtherwise(arrows map[string]map[string]bool, from, to string) bool {
	seen := map[string]bool{}
	var reaches func(at string) bool
	reaches = func(at string) bool {
		if at == to {
			return true
		}
		if seen[at] {
			return false
		}
		seen[at] = true
		for next := range arrows[at] {
			if reaches(next) {
				return true
			}
		}
		return false
	}
	for next := range arrows[from] {
		if next != to && reaches(next) {
			return true
		}
	}
	return false
}

// TestDrawRooms draws a small picture.
func TestDrawRooms(t *testing.T) {
	got := drawRooms([]file{
		{"catalog/write/a.go", "catalog/write", []string{module + "catalog", module + "graphstore"}},
		{"catalog/transfer/a.go", "catalog/transfer", []string{module + "catalog/write"}},
		{"catalog/replica/a.go", "catalog/replica", []string{module + "catalog/transfer", module + "catalog/write"}},
		{"catalog/replica/a_test.go", "catalog/replica", []string{module + "catalog/search"}},
		{"kafka/replicas/a.go", "kafka/replicas", []string{module + "catalog/replica"}},
	})
	want := "flowchart TD\n  kafka-replicas --> replica\n  replica --> transfer\n  transfer --> write\n  write\n"
	if got != want {
		t.Errorf("drawn:\n%swant:\n%s", got, want)
	}
}
