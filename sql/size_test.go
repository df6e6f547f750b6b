package sql_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"
)

// maxGrowth is by how many bytes reading SQL may make the program larger.
const maxGrowth = 8 << 20

// withoutSQL has the packages that the program needs anyway; withSQL reads SQL besides.
const (
	withoutSQL = `package main

import (
	_ "compress/gzip"
	_ "crypto/sha256"
	_ "encoding/json"
	_ "net/http"
	_ "regexp"

	_ "github.com/headwater-io/headwater/internal/jsontree"
	_ "github.com/headwater-io/headwater/internal/recent"
	_ "github.com/headwater-io/headwater/internal/tasks"
)

func main() {}
`
	withSQL = `package main

import (
	"context"
	_ "compress/gzip"
	_ "crypto/sha256"
	_ "encoding/json"
	"fmt"
	_ "net/http"
	"os"
	_ "regexp"
	"time"

	_ "github.com/headwater-io/headwater/internal/jsontree"
	_ "github.com/headwater-io/headwater/internal/recent"
	_ "github.com/headwater-io/headwater/internal/tasks"
	"github.com/headwater-io/headwater/sql/lineage"
	"github.com/headwater-io/headwater/sql/parser"
	"github.com/headwater-io/headwater/sql/reads"
)

func main() {
	p := parser.New(os.Args[1])
	r := &lineage.Reader{Parser: p}
	statements, err := r.Read(context.Background(), os.Args[2], lineage.Settings{})
	fmt.Println(statements, err)
	reading, err := reads.NewTexts(p).Reader(time.Now(), time.Now).Read(context.Background(), nil, &reads.Tables{}, nil)
	fmt.Println(reading, err)
}
`
)

// TestGrowthOfTheProgram: reading SQL makes the program larger by no more than maxGrowth, and by the size
// that docs/sql.md names.
func TestGrowthOfTheProgram(t *testing.T) {
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	size := func(name, program string) int64 {
		source, overlay, built := filepath.Join(folder, name+".go"), filepath.Join(folder, name+".json"), filepath.Join(folder, name)
		replaced, err := json.Marshal(map[string]any{"Replace": map[string]string{filepath.Join(root, "sql", "sizeof"+name, "main.go"): source}})
		if err != nil {
			t.Fatal(err)
		}
		for file, text := range map[string][]byte{source: []byte(program), overlay: replaced} {
			if err := os.WriteFile(file, text, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		build := exec.Command("go", "build", "-trimpath", "-ldflags", "-s -w", "-overlay", overlay, "-o", built, "./sql/sizeof"+name)
		build.Dir, build.Env = root, append(os.Environ(), "CGO_ENABLED=0")
		if out, err := build.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		about, err := os.Stat(built)
		if err != nil {
			t.Fatal(err)
		}
		return about.Size()
	}
	growth := size("with", withSQL) - size("without", withoutSQL)
	t.Logf("reading SQL adds %d bytes", growth)
	if growth > maxGrowth {
		t.Errorf("reading SQL adds %d bytes to the program, which must be %d at most", growth, maxGrowth)
	}
	page, err := os.ReadFile(filepath.Join(root, "docs", "sql.md"))
	if err != nil {
		t.Fatal(err)
	}
	said := regexp.MustCompile(`adds ([0-9.]+) MB to the program`).FindSubmatch(page)
	if said == nil {
		t.Fatal("docs/sql.md does not say how much reading SQL adds to the program")
	}
	if documented, err := strconv.ParseFloat(string(said[1]), 64); err != nil || documented < float64(growth)/1e6-0.25 || documented > float64(growth)/1e6+0.25 {
		t.Errorf("docs/sql.md says that reading SQL adds %s MB to the program; it adds %.1f MB", said[1], float64(growth)/1e6)
	}
}
