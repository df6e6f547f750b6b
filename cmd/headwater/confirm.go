package main

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"strings"
)

// errDeclined: somebody was asked and did not want it.
var errDeclined = errors.New("nothing was changed")

// confirm asks before something that cannot be taken back. Where nobody can be
// asked, the command line must say so.
func (e *environment) confirm(yes bool, question string) error {
	if yes {
		return nil
	}
	if f, ok := e.stdin.(*os.File); ok && !isTerminal(f) {
		return usageError{errors.New("this asks first; say --yes, as there is nobody to ask")}
	}
	fmt.Fprintf(e.stderr, "%s Go on? [y/N] ", question)
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
