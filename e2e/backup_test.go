package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// local runs a command that needs no server.
func local(t *testing.T, args ...string) (stdout, stderr string, err error) {
	t.Helper()
	path, err := binary()
	if err != nil {
		t.Fatal(err)
	}
	var out, problems bytes.Buffer
	cmd := exec.Command(path, args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = t.TempDir(), &out, &problems
	err = cmd.Run()
	return out.String(), problems.String(), err
}

// TestBackup backs up a server during writes, restores the backup into another directory,
// and compares. The restored catalog must be the original one at a moment during the
// backup.
func TestBackup(t *testing.T) {
	data, file := t.TempDir(), filepath.Join(t.TempDir(), "catalog.db")
	s := start(t, "--data", data, "--sample")
	before := s.exported(t, filepath.Join(t.TempDir(), "before.jsonl"))
	datasets := s.datasetsFound()
	stop, ended := make(chan struct{}), make(chan int, 1)
	go func() {
		for n := 0; ; n++ {
			select {
			case <-stop:
				ended <- n
				return
			default:
			}
			if status, answer, err := s.try(http.MethodPost, "/aspects?action=ingestProposal", loadedDataset(n)); err != nil || status != http.StatusOK {
				t.Errorf("dataset %d: %d %v %v", n, status, answer, err)
				ended <- n
				return
			}
		}
	}()
	stdout, stderr, err := local(t, "backup", "create", file, "--data", data, "--output", "json")
	close(stop)
	written := <-ended
	if err != nil {
		t.Fatalf("%v: %s", err, stderr)
	}
	var made struct{ Entities, Changes, Bytes int }
	if err := json.Unmarshal([]byte(stdout), &made); err != nil || made.Entities == 0 || made.Changes == 0 || made.Bytes == 0 {
		t.Errorf("%s: %v", stdout, err)
	}
	s.stop()
	restored := filepath.Join(t.TempDir(), "restored")
	if stdout, stderr, err := local(t, "backup", "restore", file, "--data", restored); err != nil || !strings.HasPrefix(stdout, "restored ") {
		t.Fatalf("%v: %s%s", err, stdout, stderr)
	}
	restoredServer := start(t, "--data", restored)
	after := restoredServer.exported(t, filepath.Join(t.TempDir(), "after.jsonl"))
	loaded := func(line string) bool { return strings.Contains(line, "load.t") || strings.HasPrefix(line, `{"end":`) }
	if diff := cmp.Diff(slices.DeleteFunc(before, loaded), slices.DeleteFunc(slices.Clone(after), loaded)); diff != "" {
		t.Errorf("the restored catalog is another one:\n%s", diff)
	}
	included := 0
	for included < written && slices.ContainsFunc(after, func(line string) bool { return strings.Contains(line, fmt.Sprintf("load.t%05d,", included)) }) {
		included++
	}
	t.Logf("%d datasets were written during the backup, the backup has %d", written, included)
	if found := restoredServer.datasetsFound(); found != datasets+included {
		t.Errorf("the new index finds %d datasets instead of %d + %d", found, datasets, included)
	}
	restoredServer.stop()
}

// datasetsFound returns the number of datasets that a search finds.
func (s *server) datasetsFound() int {
	found, _ := at(s.action("search", `{"input":"*","entity":"dataset","start":0,"count":1}`), "numEntities").(float64)
	return int(found)
}

// TestBackupRefuses: refused commands name the reason and change nothing.
func TestBackupRefuses(t *testing.T) {
	data, file := t.TempDir(), filepath.Join(t.TempDir(), "catalog.db")
	s := start(t, "--data", data)
	s.stop()
	if _, stderr, err := local(t, "backup", "create", file, "--data", data); err != nil {
		t.Fatalf("%v: %s", err, stderr)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	damaged := filepath.Join(t.TempDir(), "damaged.db")
	if err := os.WriteFile(damaged, text[:len(text)-9000], 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args []string
		says string
	}{
		{[]string{"backup", "verify", damaged}, "not an intact backup"},
		{[]string{"backup", "restore", damaged, "--data", t.TempDir()}, "not an intact backup"},
		{[]string{"backup", "restore", file, "--data", data}, "exists"},
		{[]string{"backup", "create", file, "--data", data}, "exists and is not overwritten"},
		{[]string{"backup", "create", file + "2", "--data", t.TempDir()}, "there is no embedded store"},
		{[]string{"backup", "crate", file}, "there is no command"},
	} {
		if _, stderr, err := local(t, c.args...); err == nil || !strings.Contains(stderr, c.says) {
			t.Errorf("%v: %v, %s", c.args, err, stderr)
		}
	}
	if stdout, stderr, err := local(t, "backup", "verify", file); err != nil || !strings.HasPrefix(stdout, "intact ") {
		t.Errorf("%v: %s%s", err, stdout, stderr)
	}
}
