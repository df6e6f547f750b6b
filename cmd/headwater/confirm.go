package main

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"strings"
)

// errDeclined: the user was asked and declined.
var errDeclined = errors.New("nothing was changed")

// confirm asks before an operation that cannot be undone. Without a terminal,
// the command line must have --yes.
func (e *environment) confirm(yes bool, question string) error {
	if yes {
		return nil
	}
	if f, ok := e.stdin.(*os.File); ok && !isTerminal(f) {
		return usageError{errors.New("this needs confirmation; use --yes when there is no terminal")}
	}
	fmt.Fprintf(e.stderr, "%s Continue? [y/N] ", question)
	answer, err := bufio.NewReader(e.stdin).ReadString('\n')
	if err != nil && answer == "" {
		return errDeclined
	}
	switch strings.ToLower(strings.TrimSpace(answer)) {
	case "y", "yes":
		return nil
	}
	return errDeclined
}

func isTerminal(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}
