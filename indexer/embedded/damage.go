package embedded

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/headwater-io/headwater/indexer"
	"github.com/headwater-io/headwater/internal/sqlite"
)

// damagedName is the file in which the last damaged file is kept for inspection.
const damagedName = "search-damaged.db"

// openOrReplace opens the index's file. A file with another layout is dropped. A
// damaged file is set aside: it must not prevent the server from starting.
func openOrReplace(ctx context.Context, o *Options) (f *file, damage string, err error) {
	path := filepath.Join(o.Dir, fileName)
	f, err = openFile(ctx, path, o)
	switch {
	case err == nil, permanent(err):
		return f, "", err
	case errors.Is(err, errOther):
		if err := remove(path); err != nil {
			return nil, "", err
		}
	case damaged(err):
		damage = err.Error()
		o.Logger.WarnContext(ctx, "the search index is damaged; it is set aside and rebuilt",
			"error", err, "file", path, "kept", filepath.Join(o.Dir, damagedName))
		if err := setAside(path, filepath.Join(o.Dir, damagedName)); err != nil {
			return nil, "", err
		}
	default:
		return nil, "", err
	}
	f, err = openFile(ctx, path, o)
	return f, damage, err
}

// permanent: nothing is wrong with the content of the file; it cannot be used.
func permanent(err error) bool {
	return errors.Is(err, fs.ErrPermission) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}

// damaged reports whether the content of a file that does not open is to blame.
// Statements of ours that fail on it say so as well: its tables are not ours.
func damaged(err error) bool {
	return errors.Is(failure(err), indexer.ErrDamaged) || sqlite.MeaningOf(err) == sqlite.Other && sqlite.IsLibrary(err)
}

// errGarbled: a value in the file is not of the kind that we write.
var errGarbled = errors.New("the index contains data that was never written")

// setAside renames a damaged database. Its logs are deleted: SQLite would take them
// for the logs of the next file with that name.
func setAside(path, kept string) error {
	if err := remove(kept); err != nil {
		return err
	}
	if err := os.Rename(path, kept); err != nil {
		return fmt.Errorf("the damaged search index: %w", err)
	}
	return remove(path)
}

// Damage returns what was wrong with a file that was set aside at opening, or "".
func (x *Index) Damage() string { return x.damage }

// failure converts an error of the library to one of the index.
func failure(err error) error {
	switch meaning := sqlite.MeaningOf(err); {
	case err == nil:
		return nil
	case meaning == sqlite.Damaged, garbled(err):
		return fmt.Errorf("%w: %w", indexer.ErrDamaged, err)
	case meaning == sqlite.Unavailable:
		return fmt.Errorf("%w: %w", indexer.ErrUnavailable, err)
	case meaning == sqlite.Interrupted:
		return context.Canceled
	case meaning == sqlite.Closed:
		return indexer.ErrClosed
	}
	return err
}

// garbled reports that the file is a database, but that its content contradicts itself
// or what we write.
func garbled(err error) bool {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	return errors.As(err, &syntax) || errors.As(err, &kind) || errors.Is(err, errGarbled) || sqlite.IsDuplicate(err) || strings.Contains(err.Error(), "sql: Scan error")
}

// refused reports whether an error is about the document that was written, and not
// about the file or the disk.
func refused(err error) bool {
	return err != nil && sqlite.MeaningOf(err) == sqlite.Other && !garbled(err)
}
