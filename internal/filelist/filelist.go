// Package filelist lists the files below a directory.
package filelist

import (
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
)

// Below returns the files below a directory whose names end in one of some ways, in any letter case, sorted. Files
// in directories whose names begin with a dot are left out, and so are those that are not regular. More than most files
// are an error, and so is none.
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
		err = fmt.Errorf("%s has no files that end with %s", root, strings.Join(endings, ", "))
	}
	slices.Sort(found)
	return found, err
}
