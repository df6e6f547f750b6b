package querytext

import (
	"fmt"
	"unicode/utf8"
)

// Place is a position in the input, in bytes.
type Place int

// Error is the error of a query at a place in the input.
type Error struct {
	// Character is the place in characters, from 1.
	Character int
	// Piece is the input at the place, shortened; "" at the end of the input.
	Piece string
	// Reason describes the fault at the place.
	Reason string
}

// longestPiece is the length of Piece in characters at most.
const longestPiece = 30

// At makes the error about a place in the input.
func At(input string, at Place, reason string, args ...any) *Error {
	e := &Error{Character: utf8.RuneCountInString(input[:at]) + 1, Reason: fmt.Sprintf(reason, args...)}
	if letters := []rune(input[at:]); len(letters) > longestPiece {
		e.Piece = string(letters[:longestPiece-1]) + "…"
	} else {
		e.Piece = string(letters)
	}
	return e
}

func (e *Error) Error() string {
	if e.Piece == "" {
		return fmt.Sprintf("the query is wrong at its end (character %d): %s", e.Character, e.Reason)
	}
	return fmt.Sprintf("the query is wrong at character %d (%s): %s", e.Character, e.Piece, e.Reason)
}
