package main

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"
)

// healPatience is how long the rebuild of the index may take.
const healPatience = 60 * time.Second

// storeFiles returns the names of all files of an embedded store.
func storeFiles(name string) []string { return []string{name, name + "-wal", name + "-shm"} }

// indexGarbage replaces every file of the embedded index by noise.
func indexGarbage(a *arena) {
	a.hurtIndex(func(path string) error {
		noise := make([]byte, 1<<18)
		a.random.Read(noise)
		return os.WriteFile(path, noise, 0o600)
	})
}

// indexFlips changes bytes in all parts of the files of the embedded index.
func indexFlips(a *arena) {
	const page = 4096
	for round := range pick(a, 1, 3) {
		a.hurtIndex(func(path string) error {
			file, err := os.OpenFile(path, os.O_RDWR, 0)
			if err != nil {
				return err
			}
			defer file.Close()
			info, err := file.Stat()
			if err != nil {
				return err
			}
			noise := make([]byte, 64)
			for at := int64(round) * page; at+page <= info.Size(); at += 2 * page {
				a.random.Read(noise)
				if _, err := file.WriteAt(noise, at); err != nil { // the beginning of a page
					return err
				}
			}
			return nil
		})
	}
}

// hurtIndex stops the server, changes the files of the index, and starts the server again.
// The server must start and serve, and its index must equal the writes.
func (a *arena) hurtIndex(change func(path string) error) {
	if !a.embeddedSearch() {
		a.skip("the index is not embedded")
		return
	}
	many(pick(a, 40, 400), 8, func(i int) { a.check.write(a, a.client, a.check.entry(fmt.Sprintf("indexed%d", i))) })
	a.innocent.pause()
	if _, err := a.server.stop(30 * time.Second); err != nil {
		a.problem("the server ended with %v", err)
	}
	files, err := filepath.Glob(filepath.Join(a.server.data("search"), "*"))
	if err != nil || len(files) == 0 {
		a.problem("the index has the files %q: %v", files, err)
	}
	for _, path := range files {
		if err := change(path); err != nil {
			a.problem("the index cannot be changed: %v", err)
		}
	}
	if err := a.server.start(); err != nil {
		a.problem("%v", err)
		a.dropIndex()
	}
	for _, r := range []answer{
		a.client.get(a, "/health"),
		a.check.write(a, a.client, a.check.entry("indexed0")),
		a.client.get(a, "/entitiesV2/"+a.check.entry("indexed1").urn),
	} {
		if a.Err() == nil && !r.ok() {
			a.problem("the server does not serve while its index is hurt: %v", r)
		}
	}
	a.sent(3, 0)
	took := a.awaitIndex()
	a.innocent.resume()
	a.note("whole again after %v", took.Round(100*time.Millisecond))
	a.check.touchAll()
	v := a.check.verify(a.whole, false)
	a.found(v)
	if len(v.problems) > 0 {
		// So that the next attack meets a healthy index.
		a.innocent.pause()
		a.server.kill()
		a.dropIndex()
		a.innocent.resume()
	}
	if a.client.get(a, "/health/ready").status != http.StatusOK {
		a.problem("the server is not ready")
	}
}

// dropIndex makes the server build a new index. It deletes the embedded index before the
// start, or asks for a rebuild on a search server.
func (a *arena) dropIndex() {
	if a.embeddedSearch() {
		_ = os.RemoveAll(a.server.data("search"))
	}
	if !a.restart() {
		return
	}
	if !a.embeddedSearch() {
		a.client.post(a.whole, "/index?action=rebuild", []byte("{}"))
	}
	a.awaitIndex()
}

// awaitIndex waits until the server reports that the index has all changes.
func (a *arena) awaitIndex() time.Duration {
	began := time.Now()
	for a.whole.Err() == nil && time.Since(began) < healPatience {
		r := a.client.get(a.whole, "/index")
		if r.ok() && r.at("lag") == 0.0 && r.at("building") == false {
			return time.Since(began)
		}
		sleep(a.whole, 100*time.Millisecond)
	}
	a.problem("after %v the server does not say that its index is whole", time.Since(began).Round(time.Second))
	return time.Since(began)
}

// restoreOlderStore restores the store to an earlier moment, but not the index. It then
// writes as many other changes as were lost, so that the change log has the same length as
// before.
func restoreOlderStore(a *arena) {
	if !a.embeddedGraph() {
		a.skip("the store is not embedded")
		return
	}
	a.innocent.pause()
	defer a.innocent.resume()
	backup := filepath.Join(a.server.dir, "backup")
	_ = os.MkdirAll(backup, 0o700) // if this fails, writing into the directory fails too
	for round, share := range pick(a, []int{1}, []int{1, 2, 4}) {
		writes := pick(a, 60, 120)
		book, ok := a.backUp(backup)
		if !ok {
			return
		}
		for i := range writes {
			a.waited(fmt.Sprintf("lost%d.%d", round, i%40))
		}
		a.awaitIndex()
		if _, err := a.server.stop(30 * time.Second); err != nil {
			a.problem("the server ended with %v", err)
		}
		if err := copyStore(backup, a.server.data("")); err != nil {
			a.problem("%v", err)
			return
		}
		phantoms := a.check.goBack(book)
		if !a.restart() {
			return
		}
		var unfound atomic.Int64
		for i := range writes / share {
			if !a.waited(fmt.Sprintf("after%d.%d", round, i%40)) {
				unfound.Add(1)
			}
		}
		a.awaitIndex()
		seen := a.searchable(phantoms)
		a.note("%d of %d writes that waited were not found, %d of %d phantoms were", unfound.Load(), writes/share, seen, len(phantoms))
		if unfound.Load() > 0 {
			a.problem("writes that waited for the index are not in it")
		}
		if seen > 0 {
			a.problem("search finds what is not in the restored store")
		}
		v := a.check.verify(a.whole, false)
		a.found(v)
		if len(v.problems) > 0 {
			for _, p := range v.problems {
				a.problem("%s", p)
			}
			a.server.kill()
			a.dropIndex()
		}
	}
}

// searchable returns the number of words that a search finds.
func (a *arena) searchable(words []string) int {
	seen := 0
	for _, word := range words {
		if found, _ := a.check.search(a, a.client, word); len(found) > 0 {
			seen++
		}
	}
	return seen
}

// backUp stops the server, copies its store and starts it again. It returns the account of
// the copy.
func (a *arena) backUp(to string) (book, bool) {
	if _, err := a.server.stop(30 * time.Second); err != nil {
		a.problem("the server ended with %v", err)
	}
	b := a.check.copy()
	if err := copyStore(a.server.data(""), to); err != nil {
		a.problem("%v", err)
		return nil, false
	}
	return b, a.restart()
}

// waited writes with wait=index, and reports whether search finds the write.
func (a *arena) waited(name string) bool {
	e := a.check.entry(name)
	r := a.check.writeTo(a, a.client, e, ingest+"&wait=index")
	a.sent(1, 0)
	if a.Err() != nil || !r.ok() {
		a.problem("a write that waits for the index fails: %s", r.kind())
		return false
	}
	found, _ := a.check.search(a, a.client, a.check.word(e, e.sent.Load()))
	return len(found) == 1 && found[0] == e.urn
}

// copyStore copies the files of an embedded store. It deletes files that the source lacks.
func copyStore(from, to string) error {
	for _, name := range storeFiles("headwater.db") {
		in, err := os.Open(filepath.Join(from, name))
		if os.IsNotExist(err) {
			_ = os.Remove(filepath.Join(to, name)) // the file may not exist
			continue
		}
		if err != nil {
			return err
		}
		defer in.Close()
		out, err := os.OpenFile(filepath.Join(to, name), os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
		if err != nil {
			return err
		}
		if _, err = io.Copy(out, in); err == nil {
			err = out.Close()
		}
		if err != nil {
			return fmt.Errorf("%s: %w", strings.TrimPrefix(out.Name(), to), err)
		}
	}
	return nil
}
