package catalog

import "strconv"

// Counted is a number with the word for the things that it counts.
func Counted(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + many
}
