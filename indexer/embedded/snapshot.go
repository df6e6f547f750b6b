package embedded

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/cespare/xxhash/v2"
)

// The files of an index, in a directory of their own: the snapshot and the segments that it
// names. Open deletes all other files of the directory.
const (
	snapshotName  = "snapshot"
	segmentSuffix = ".segment"
)

// snapshot is the content of the snapshot file: the segments, their documents that are
// gone, and the position in the change log up to which they are complete.
type snapshot struct {
	// Make is the layout of the files and the fingerprint of the documents.
	Make     string
	Cursor   string
	Segments []savedSegment
}

type savedSegment struct {
	File string
	// Hash is the hash of the file, in hexadecimal.
	Hash string
	// Gone is a bitmap of the documents that are gone, nil for none.
	Gone []byte
}

// errOther means that the index has another layout or fingerprint and cannot be used.
var errOther = errors.New("the index was made with another layout")

// writeSnapshot writes the new snapshot to a second file and then replaces the former one
// with it.
func writeSnapshot(dir, made string, state saved) (err error) {
	s := snapshot{Make: made, Cursor: state.cursor}
	for i := range state.parts {
		p := &state.parts[i]
		entry := savedSegment{File: filepath.Base(p.mapped.path), Hash: strconv.FormatUint(p.mapped.sum, 16)}
		if p.gone != nil {
			if entry.Gone, err = p.gone.ToBytes(); err != nil {
				return err
			}
		}
		s.Segments = append(s.Segments, entry)
	}
	text, err := json.Marshal(s)
	if err != nil {
		return err
	}
	text = append(fmt.Appendf(nil, "%016x\n", xxhash.Sum64(text)), text...)
	return replaceFile(filepath.Join(dir, snapshotName), text)
}

// replaceFile writes a file so that its path never names an incomplete file.
func replaceFile(path string, text []byte) error {
	beside := path + ".new"
	f, err := os.OpenFile(beside, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	return os.Rename(beside, path)
}

// parseSnapshot decodes a snapshot.
func parseSnapshot(text []byte) (*snapshot, error) {
	sum, body, ok := bytes.Cut(text, []byte("\n"))
	if want := fmt.Sprintf("%016x", xxhash.Sum64(body)); !ok || string(sum) != want {
		return nil, errors.New("the snapshot is incomplete or was changed")
	}
	var s snapshot
	if err := json.Unmarshal(body, &s); err != nil {
		return nil, err
	}
	return &s, nil
}

// loadSnapshot opens the segments that the snapshot in a directory names. Without a
// snapshot the state is empty.
func loadSnapshot(dir, made string) (state saved, err error) {
	text, err := os.ReadFile(filepath.Join(dir, snapshotName))
	if errors.Is(err, fs.ErrNotExist) {
		return saved{}, nil
	}
	if err != nil {
		return saved{}, err
	}
	s, err := parseSnapshot(text)
	if err != nil {
		return saved{}, err
	}
	if s.Make != made {
		return saved{}, errOther
	}
	defer func() {
		if err != nil {
			for i := range state.parts {
				err = errors.Join(err, state.parts[i].mapped.data.Unmap())
			}
			state = saved{}
		}
	}()
	state.cursor = s.Cursor
	for _, named := range s.Segments {
		p, err := loadPart(dir, named)
		if err != nil {
			return state, err
		}
		state.parts = append(state.parts, p)
	}
	return state, nil
}

func loadPart(dir string, named savedSegment) (part, error) {
	sum, err := strconv.ParseUint(named.Hash, 16, 64)
	if err != nil || named.File != filepath.Base(named.File) {
		return part{}, fmt.Errorf("the snapshot names %q with the hash %q", named.File, named.Hash)
	}
	s, err := openSegment(filepath.Join(dir, named.File), sum)
	if err != nil {
		return part{}, err
	}
	p := part{segment: s}
	if named.Gone == nil {
		return p, nil
	}
	p.gone = roaring.New()
	if err := p.gone.UnmarshalBinary(named.Gone); err != nil {
		return part{}, errors.Join(err, s.mapped.data.Unmap())
	}
	return p, nil
}

// removeUnnamed deletes the segments that a state does not name, and other leftover files.
// It returns the largest file number that is in use.
func removeUnnamed(dir string, state saved) (number int64, err error) {
	files, err := os.ReadDir(dir)
	if err != nil {
		return 0, err
	}
	named := map[string]bool{snapshotName: true}
	for i := range state.parts {
		named[filepath.Base(state.parts[i].mapped.path)] = true
	}
	for _, f := range files {
		name := f.Name()
		if !named[name] {
			if err := os.RemoveAll(filepath.Join(dir, name)); err != nil {
				return 0, err
			}
			continue
		}
		if n, err := strconv.ParseInt(strings.TrimSuffix(name, segmentSuffix), 10, 64); err == nil {
			number = max(number, n)
		}
	}
	return number, nil
}
