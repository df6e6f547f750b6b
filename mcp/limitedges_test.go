package mcp_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/headwater-io/headwater/internal/limits"
)

// TestLimitsOfArguments: a tool accepts arguments up to its limits, and refuses larger ones.
func TestLimitsOfArguments(t *testing.T) {
	session := client(t, wide(t, 1, 1), false)
	for _, c := range []struct {
		tool, arguments string
		most            int
		of              func(n int) string
		says            string
	}{
		{"search", `{"limit":%s}`, limits.MaxAgentItems, func(n int) string { return fmt.Sprint(n) }, "maximum"},
		{"search", `{"start":%s}`, limits.MaxPageStart, func(n int) string { return fmt.Sprint(n) }, "maximum"},
		{"search", `{"types":[%s]}`, limits.MaxAgentNames, func(n int) string { return strings.TrimSuffix(strings.Repeat(`"dataset",`, n), ",") }, "maxItems"},
		{"columns", `{"types":[%s]}`, limits.MaxAgentNames, func(n int) string { return strings.TrimSuffix(strings.Repeat(`"int",`, n), ",") }, "maxItems"},
		{"entities", `{"names":[%s]}`, limits.MaxAgentNames, func(n int) string { return strings.TrimSuffix(strings.Repeat(`"wide",`, n), ",") }, "maxItems"},
		{"paths", `{"from":"wide","to":"wide","max_paths":%s}`, limits.MaxAgentPaths, func(n int) string { return fmt.Sprint(n) }, "maximum"},
	} {
		if _, refused := ask(t, session, c.tool, fmt.Sprintf(c.arguments, c.of(c.most))); strings.Contains(refused, c.says) {
			t.Errorf("%s: %.200s", c.tool, refused)
		}
		if _, refused := ask(t, session, c.tool, fmt.Sprintf(c.arguments, c.of(c.most+1))); !strings.Contains(refused, c.says) {
			t.Errorf("%s: one more is not refused: %.200q", c.tool, refused)
		}
	}
}
