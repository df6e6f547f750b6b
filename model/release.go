package model

import (
	"strconv"
	"strings"
)

// NewerRelease reports whether a release is newer than another one. Releases are numbers
// between dots, such as 1.7.0.17. Text after a number, such as rc1, is ignored. A text that
// does not begin with a number is not a release, and never newer.
func NewerRelease(release, than string) bool {
	a, b := releaseNumbers(release), releaseNumbers(than)
	for i := range a {
		if i == len(b) || a[i] > b[i] {
			return true
		}
		if a[i] < b[i] {
			return false
		}
	}
	return false
}

// releaseNumbers returns the numbers of a release, without zeros at the end.
func releaseNumbers(release string) []int {
	var numbers []int
	for part := range strings.SplitSeq(strings.TrimPrefix(release, "v"), ".") {
		end := strings.IndexFunc(part, func(r rune) bool { return r < '0' || r > '9' })
		if end < 0 {
			end = len(part)
		}
		n, err := strconv.Atoi(part[:end])
		if err != nil {
			break
		}
		numbers = append(numbers, n)
		if end < len(part) {
			break
		}
	}
	for len(numbers) > 0 && numbers[len(numbers)-1] == 0 {
		numbers = numbers[:len(numbers)-1]
	}
	return numbers
}
