package cli

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/headwater-io/headwater/internal/screen"
)

// errDeclined: the user has answered the question of Confirm with no.
var errDeclined = errors.New("nothing was changed")

// Confirm asks the user before an operation that cannot be undone. Without a terminal, the
// command line must have --yes.
func (e *Environment) Confirm(yes bool, question string) error {
	if yes {
		return nil
	}
	if e.Output == "json" {
		return BadUsage(errors.New("this needs confirmation; use --yes with --output json"))
	}
	if _, ok := e.Stdin.(*os.File); ok && !screen.IsTerminal(e.Stdin) {
		return BadUsage(errors.New("this needs confirmation; use --yes when there is no terminal"))
	}
	fmt.Fprintf(e.Stderr, "%s Continue? [y/N] ", screen.Line(question))
	answer, err := bufio.NewReader(e.Stdin).ReadString('\n')
	if err != nil && answer == "" {
		return errDeclined
	}
	switch strings.ToLower(strings.TrimSpace(answer)) {
	case "y", "yes":
		return nil
	}
	return errDeclined
}
