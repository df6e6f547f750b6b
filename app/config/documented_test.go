package config

import (
	"os"
	"regexp"
	"testing"

	"github.com/spf13/pflag"
)

// TestDocumented: docs/configuration.md has a row for each setting, and for nothing else.
func TestDocumented(t *testing.T) {
	text, err := os.ReadFile("../../docs/configuration.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string]bool{}
	for _, row := range regexp.MustCompile("(?m)^\\| `--([a-z-]+)` \\| `HEADWATER_").FindAllSubmatch(text, -1) {
		rows[string(row[1])] = true
	}
	flags := pflag.NewFlagSet("serve", pflag.ContinueOnError)
	Flags(flags)
	flags.VisitAll(func(f *pflag.Flag) {
		if !rows[f.Name] {
			t.Errorf("docs/configuration.md lacks a row for --%s", f.Name)
		}
		delete(rows, f.Name)
	})
	for name := range rows {
		t.Errorf("docs/configuration.md has a row for --%s, which is not a setting", name)
	}
}
