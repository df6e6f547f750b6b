package main

import (
	"archive/zip"
	"bytes"
	"io"
	"slices"
	"testing"
	"testing/fstest"
	"time"
)

// TestPackIsStable: the bytes of the archive depend only on names and contents, and both can be read back.
func TestPackIsStable(t *testing.T) {
	long := bytes.Repeat([]byte("const x = 1;\n"), 5000)
	folder := func(at time.Time) fstest.MapFS {
		return fstest.MapFS{
			"index.html": {Data: []byte("<!doctype html>"), ModTime: at}, "assets/b.js": {Data: long, ModTime: at, Mode: 0o600},
			"assets/a.js": {Data: []byte("a"), ModTime: at}, "assets/empty.css": {ModTime: at},
		}
	}
	one, err := pack(folder(time.Unix(1e9, 0)))
	if err != nil {
		t.Fatal(err)
	}
	other, err := pack(folder(time.Now()))
	if err != nil || !bytes.Equal(one, other) {
		t.Errorf("two archives of the same files differ (%v)", err)
	}
	reader, err := zip.NewReader(bytes.NewReader(one), int64(len(one)))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, entry := range reader.File {
		names = append(names, entry.Name)
		content, err := entry.Open()
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(content)
		if want := folder(time.Time{})[entry.Name].Data; err != nil || !bytes.Equal(text, want) {
			t.Errorf("%s: %d bytes, want %d (%v)", entry.Name, len(text), len(want), err)
		}
	}
	if want := []string{"assets/a.js", "assets/b.js", "assets/empty.css", "index.html"}; !slices.Equal(names, want) {
		t.Errorf("%v, want %v", names, want)
	}
}
