package main

import (
	"errors"
	"net/http"

	"github.com/headwater-io/headwater/client"
)

// Exit codes, as in the help.
const (
	exitOK          = 0
	exitFailure     = 1
	exitUsage       = 2
	exitNotFound    = 3
	exitUnreachable = 4
	exitPartial     = 5
	exitInterrupted = 130
)

const exitHelp = `Exit codes:
  0    success
  1    the operation failed
  2    the command line is wrong
  3    the entity or run asked for does not exist, or several have its name
  4    the server cannot be reached
  5    some of the records failed
  130  interrupted; what was acknowledged before is written`

// errPartial means that some of many records failed.
var errPartial = errors.New("some records failed")

// shownFailures is how many of the records that failed a summary shows.
const shownFailures = 10

// usageError is a wrong command line.
type usageError struct{ error }

// badUsage marks an error as one of the command line.
func badUsage(err error) error { return usageError{err} }

// exitCode is the exit code for an error.
func exitCode(err error) int {
	var (
		usage  usageError
		answer *client.Error
	)
	switch {
	case err == nil:
		return exitOK
	case errors.As(err, &usage):
		return exitUsage
	case errors.Is(err, errPartial):
		return exitPartial
	case errors.Is(err, client.ErrUnreachable):
		return exitUnreachable
	case errors.As(err, &answer) && (answer.Status == http.StatusNotFound || answer.Ambiguous()):
		return exitNotFound
	}
	return exitFailure
}
