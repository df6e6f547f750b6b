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

// ErrInterrupted is the error of an interrupted command.
var ErrInterrupted = errors.New("interrupted")

// errorCodes has the words for exit codes in JSON.
var errorCodes = map[int]string{
	ExitFailure: "failed", ExitUsage: "usage", ExitNotFound: "not_found", ExitUnreachable: "unreachable", ExitPartial: "partial", ExitRefused: "refused",
	ExitInterrupted: "interrupted",
}

// jsonError is the JSON form of an error. In this form it is the only output on standard
// error.
type jsonError struct {
	Code     string `json:"code"`
	ExitCode int    `json:"exitCode"`
	Message  string `json:"message"`
	// Status is the HTTP status of the server's answer, 0 if the error is not from an
	// answer.
	Status int `json:"status,omitempty"`
	// Candidates are the things that an ambiguous name may mean, or the things with the most
	// similar names.
	Candidates []client.Named `json:"candidates,omitempty"`
}

// WriteError writes an error as text for people or as JSON.
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
			told.Message = answer.Message // the text without the table of candidates
		}
	}
	_ = WriteJSONTo(w, map[string]any{"error": told}) // an error of this write cannot be reported anywhere
}

// AsksForJSON reports whether a command line has --output json or --format json. It does
// not use the parsed flags, because the error may come from parsing them.
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
