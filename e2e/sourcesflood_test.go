package e2e

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/internal/testing/testclock"
)

// TestSourceOfCSV: a server runs a source that reads a CSV file with the unmodified client, on both kinds of server. A second run
// brings what has changed in the file.
func TestSourceOfCSV(t *testing.T) {
	environment := pythonFor(t, "clients")
	const header = "resource,subresource,glossary_terms,tags,owners,ownership_type,description,domain,ownership_type_urn\n"
	for _, b := range backends() {
		t.Run(b.name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "tags.csv")
			put := func(description, tag string) {
				row := fmt.Sprintf("%q,,,[urn:li:tag:%s],,,%s,,\n", dataset("hive", "by.csv"), tag, description)
				if err := os.WriteFile(file, []byte(header+row), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			s := start(t, append(b.flags(t), "--data", t.TempDir(), "--executor-environments", environment)...)
			put("described by the file", "first")
			source := s.succeeds("csv", "csv-enricher", fmt.Sprintf(`{"filename":%q,"write_semantics":"OVERRIDE"}`, file))
			if text := s.everything(dataset("hive", "by.csv")); !strings.Contains(text, "described by the file") || !strings.Contains(text, "urn:li:tag:first") {
				t.Error(text)
			}
			put("described anew", "second")
			s.runOnceMore(source)
			if text := s.everything(dataset("hive", "by.csv")); !strings.Contains(text, "described anew") || strings.Contains(text, "urn:li:tag:first") || !strings.Contains(text, "urn:li:tag:second") {
				t.Error(text)
			}
			s.stop()
		})
	}
}

// flood is how much the source of TestSourceFloods writes to its log, in bytes.
const flood = 1 << 30

var memoryPeak = regexp.MustCompile(`VmHWM:\s+(\d+) kB`)

// TestSourceFloods: a source that writes 1 GiB to its log succeeds. Of its log, the beginning and the end are kept. The executor and
// the server need little memory for it, and nothing of it is written to the disk of the executor.
func TestSourceFloods(t *testing.T) {
	if testing.Short() {
		t.Skip("writes a log of 1 GiB")
	}
	environment := t.TempDir()
	script := fmt.Sprintf("#!/bin/sh\necho the first line\nyes 'a line of a log that has no end, and says the same again and again and again' | head -c %d\necho\necho the last line\n", flood)
	writeFiles(t, environment, map[string]string{"bin/datahub": script})
	if err := os.Chmod(filepath.Join(environment, "bin", "datahub"), 0o700); err != nil {
		t.Fatal(err)
	}
	s := start(t, "--executor", "off")
	dir := t.TempDir()
	executor := s.startExecutor(t, environment, dir)
	peak := func(pid int) int64 {
		status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
		if err != nil {
			t.Fatal(err)
		}
		kilobytes, err := strconv.ParseInt(memoryPeak.FindStringSubmatch(string(status))[1], 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		return kilobytes << 10
	}
	began := time.Now()
	urn := s.runSource("flood", "demo-data", `{"source":{"type":"demo-data"}}`)
	var run sourceRun
	var disk int64
	if !testclock.Poll(5*time.Minute, func() bool {
		disk, run = max(disk, bytesBelow(t, dir)), s.seeRun(urn)
		return run.Status != "" && run.Status != "RUNNING"
	}) {
		t.Fatalf("%+v", run)
	}
	memory := peak(executor.Process.Pid)
	t.Logf("%s after %s: a report of %d bytes, at most %d MiB of memory of the executor and %d KiB of its disk", run.Status, time.Since(began).Round(time.Millisecond), len(run.Report), memory>>20, disk>>10)
	if run.Status != "SUCCESS" || !strings.Contains(run.Report, "the first line") || !strings.Contains(run.Report, "the last line") || len(run.Report) > limits.IngestionLog {
		t.Errorf("%s with a report of %d bytes that ends in %q", run.Status, len(run.Report), run.Report[max(0, len(run.Report)-200):])
	}
	if memory > 256<<20 || disk > 16<<20 {
		t.Errorf("the executor has used %d bytes of memory and %d bytes of disk", memory, disk)
	}
	s.stop()
}

// bytesBelow returns the size of the files below a directory.
func bytesBelow(t *testing.T, dir string) (size int64) {
	t.Helper()
	err := filepath.WalkDir(dir, func(_ string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return nil //nolint:nilerr // files of runs come and go
		}
		if info, err := entry.Info(); err == nil {
			size += info.Size()
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return size
}
