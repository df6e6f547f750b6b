package cli

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/headwater-io/headwater/client"
	"github.com/headwater-io/headwater/internal/screen"
)

// ErrInterrupted is what a command that was interrupted ends with.
var ErrInterrupted = errors.New("interrupted")

// errorCodes are the words for exit codes in JSON.
var errorCodes = map[int]string{
	ExitFailure: "failed", ExitUsage: "usage", ExitNotFound: "not_found", ExitUnreachable: "unreachable", ExitPartial: "partial",
	ExitInterrupted: "interrupted",
}

// jsonError is an error as JSON, the only thing on standard error.
type jsonError struct {
	Code     string `json:"code"`
	ExitCode int    `json:"exitCode"`
	Message  string `json:"message"`
	// Status is the HTTP status of the server's answer, 0 if it is not about one.
	Status int `json:"status,omitempty"`
	// Candidates are what a name may stand for, or what is nearest to it.
	Candidates []client.Named `json:"candidates,omitempty"`
}

// WriteError tells of an error, to people or as JSON.
func WriteError(w io.Writer, err error, code int, asJSON bool) {
	if !asJSON {
		fmt.Fprintln(w, "headwater:", screen.Text(err.Error()))
		return
	}
	told := jsonError{Code: errorCodes[code], ExitCode: code, Message: err.Error()}
	var answer *client.Error
	if errors.As(err, &answer) {
		told.Status, told.Candidates = answer.Status, answer.Candidates
		if answer.Ambiguous() {
			told.Code = "ambiguous"
		}
		if len(answer.Candidates) > 0 {
			told.Message = answer.Message // without the table of them
		}
	}
	_ = WriteJSONTo(w, map[string]any{"error": told}) // there is no place to tell of another error
}

// AsksForJSON reports whether a command line has --output json or --format json. It does
// not rely on the flags, because an error may be about them.
func AsksForJSON(args []string) bool {
	for i, arg := range args {
		if arg == "--" {
			return false
		}
		flag, value, joined := strings.Cut(arg, "=")
		if !joined && i+1 < len(args) {
			value = args[i+1]
		}
		isFlag := slices.Contains([]string{"--output", "-o", "--format", "-f"}, flag)
		if isFlag && value == "json" || arg == "-ojson" || arg == "-fjson" {
			return true
		}
	}
	return false
}
