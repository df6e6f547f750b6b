package catalogtest

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/google/go-cmp/cmp"
)

var (
	// times are the members whose values depend on when something was written.
	times = regexp.MustCompile(`"(time|lastUpdatedTimestamp|timestampMillis|created|lastModified|lastUpdated|requestedAt|expiresAt)":\d+`)
	// generated matches generated ids.
	generated = regexp.MustCompile(`[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}`)
)

// RequireState fails the test if the state differs from an earlier one. cause names the requests since then.
func (h *Harness) RequireState(before, cause string) {
	h.T.Helper()
	if diff := cmp.Diff(before, h.State()); diff != "" {
		h.T.Errorf("%s changed something:\n%s", cause, diff)
	}
}

// State is everything that the catalog holds, one line for each aspect and
// entity, without times and without ids that it generated.
func (h *Harness) State() string {
	h.T.Helper()
	ctx := context.Background()
	urns, err := h.Store.ScanEntities(ctx, "", 1000)
	if err != nil {
		h.T.Fatal(err)
	}
	latest, err := h.Store.LatestAspects(ctx, urns, nil)
	if err != nil {
		h.T.Fatal(err)
	}
	var lines []string
	for urn, aspects := range latest {
		for _, a := range aspects {
			lines = append(lines, fmt.Sprintf("%s %s %d %s", urn, a.Name, a.Seq, times.ReplaceAllString(string(a.Value), "$1")))
		}
	}
	held, err := h.Store.Holdings(ctx, urns)
	if err != nil {
		h.T.Fatal(err)
	}
	for urn, holdings := range held {
		lines = append(lines, fmt.Sprintf("%s: %d versions, %d values", urn, holdings.Versions, holdings.Values()))
	}
	for i, line := range lines {
		lines[i] = generated.ReplaceAllString(line, "generated")
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}
