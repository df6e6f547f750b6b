// Package filelist lists the files below a directory.
package filelist

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
)

// ErrNone is the error of a directory that has no such files.
var ErrNone = errors.New("has no files")

// Below returns the files below a directory whose names end in one of some ways, in any letter case, sorted. Irregular
// files, and files in directories whose names begin with a dot, are left out. It is an error if there are more than
// most files, or none.
func Below(root string, most int, endings ...string) ([]string, error) {
	var found []string
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && path != root && strings.HasPrefix(d.Name(), "."):
			return fs.SkipDir
		case !d.Type().IsRegular() || !slices.ContainsFunc(endings, func(end string) bool { return strings.HasSuffix(strings.ToLower(d.Name()), end) }):
			return nil
		case len(found) == most:
			return fmt.Errorf("%s has more than %d files that end with %s", root, most, strings.Join(endings, ", "))
		}
		found = append(found, path)
		return nil
	})
	if err == nil && len(found) == 0 {
		err = fmt.Errorf("%s %w that end with %s", root, ErrNone, strings.Join(endings, ", "))
	}
	slices.Sort(found)
	return found, err
}
