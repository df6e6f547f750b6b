package cli

import (
	"errors"
	"net/http"

	"github.com/headwater-io/headwater/client"
)

// The exit codes, as in ExitHelp.
const (
	ExitOK          = 0
	ExitFailure     = 1
	ExitUsage       = 2
	ExitNotFound    = 3
	ExitUnreachable = 4
	ExitPartial     = 5
	ExitRefused     = 6
	ExitInterrupted = 130
)

// ExitHelp is the help text about exit codes.
const ExitHelp = `Exit codes:
  0    success
  1    the operation failed
  2    the command line is wrong
  3    the entity or run asked for does not exist, or several have its name
  4    the server cannot be reached
  5    some of the records failed
  130  interrupted; what was acknowledged before is written`

// ErrPartial means that some records failed and others did not.
var ErrPartial = errors.New("some records failed")

// ErrRefused means that a policy refuses a change. The output of the command says why.
var ErrRefused = errors.New("the change is refused")

// ShownFailures is how many failed records a summary shows.
const ShownFailures = 10

// usageError is an error in the command line.
type usageError struct{ error }

// BadUsage marks an error as an error in the command line.
func BadUsage(err error) error { return usageError{err} }

// ExitCode returns the exit code for an error.
func ExitCode(err error) int {
	var (
		usage  usageError
		answer *client.Error
	)
	switch {
	case err == nil:
		return ExitOK
	case errors.As(err, &usage):
		return ExitUsage
	case errors.Is(err, ErrPartial):
		return ExitPartial
	case errors.Is(err, ErrRefused):
		return ExitRefused
	case errors.Is(err, client.ErrUnreachable):
		return ExitUnreachable
	case errors.As(err, &answer) && (answer.Status == http.StatusNotFound || answer.Ambiguous()):
		return ExitNotFound
	}
	return ExitFailure
}
