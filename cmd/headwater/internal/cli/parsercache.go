package cli

import (
	"fmt"
	"os"
	"path/filepath"
)

// ParserCache returns the directory that keeps the compiled SQL parser: the given one, or one in the user's cache
// directory.
func ParserCache(given string) (string, error) {
	if given != "" {
		return given, nil
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("the user's cache directory is not known; name one with --cache-dir: %w", err)
	}
	return filepath.Join(cache, "headwater", "sql"), nil
}
