package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/headwater-io/headwater/internal/testing/testservers"
)

// TestWebPage uses the page in a browser, as people do: the flows in web/e2e. "make test-web"
// runs them all, here and in [TestWebPageOnServers]; "make test" runs those that are marked @stores
// or @always. More versions are kept than the page asks for at once.
func TestWebPage(t *testing.T) {
	t.Parallel()
	browser := browserFor(t)
	s := start(t, "--data", t.TempDir(), "--sample", "--retention", "200")
	empty, hostile := start(t, "--data", t.TempDir()), start(t, "--data", t.TempDir())
	s.awaitIndex(time.Minute)
	browser.run(t, flowsMarked("@stores|@always"), "HEADWATER_URL="+s.base, "HEADWATER_EMPTY_URL="+empty.base, "HEADWATER_HOSTILE_URL="+hostile.base)
}

// TestWebPageOnServers is [TestWebPage] on Neo4j with Typesense, without the empty catalog and the one
// of hostile metadata. "make test" runs the flows that read and write the catalog, marked @stores:
// what a page does with the answers is the same on every store.
func TestWebPageOnServers(t *testing.T) {
	browser := browserFor(t)
	s := start(t, append(backends()[1].flags(t), "--sample", "--retention", "200")...)
	s.awaitIndex(time.Minute)
	browser.run(t, flowsMarked("@stores"), "HEADWATER_URL="+s.base)
}

// flowsMarked are the options that choose the flows of "make test", none for all flows.
func flowsMarked(marks string) []string {
	if os.Getenv("HEADWATER_TEST_WEB") == "all" {
		return nil
	}
	return []string{"--grep", marks}
}

// TestWebPageLarge uses the page with 100,000 datasets, which are generated and loaded first.
// It takes minutes: make test-web-large runs it.
func TestWebPageLarge(t *testing.T) {
	if os.Getenv("HEADWATER_TEST_WEB_LARGE") == "" {
		t.Skip("takes minutes; make test-web-large runs it")
	}
	browser := browserFor(t)
	for _, b := range backends() {
		t.Run(b.name, func(t *testing.T) {
			s := start(t, b.flags(t)...)
			browser.run(t, nil, "HEADWATER_LARGE_URL="+s.base)
			s.stop()
		})
	}
}

// TestWebScreenshots draws every screen in both themes and both widths into web/screenshots,
// for people to look at: make screenshots.
func TestWebScreenshots(t *testing.T) {
	if os.Getenv("HEADWATER_TEST_WEB_SCREENSHOTS") == "" {
		t.Skip("draws pictures for people to look at; make screenshots runs it")
	}
	browser := browserFor(t)
	s, empty := start(t, "--data", t.TempDir(), "--sample"), start(t, "--data", t.TempDir())
	s.awaitIndex(time.Minute)
	browser.run(t, nil, "HEADWATER_SCREENS_URL="+s.base, "HEADWATER_SCREENS_EMPTY_URL="+empty.base)
}

// chromium is what drives the page.
type chromium struct{ path, web string }

// browserFor finds a browser and what the tests in web need, or skips the test. A browser that
// HEADWATER_CHROMIUM names must be there.
func browserFor(t *testing.T) chromium {
	t.Helper()
	if testing.Short() {
		t.Skip("needs a browser, which -short leaves out")
	}
	named := os.Getenv("HEADWATER_CHROMIUM")
	names := []string{named}
	if named == "" {
		names = []string{"chromium", "chromium-browser", "google-chrome"}
	}
	c := chromium{web: filepath.Join(testservers.Root(), "web")}
	for _, name := range names {
		if path, err := exec.LookPath(name); err == nil {
			c.path = path
			break
		}
	}
	if c.path == "" && named != "" {
		t.Fatalf("HEADWATER_CHROMIUM is %s, which is no program", named)
	}
	if c.path == "" {
		t.Skipf("needs a browser: none of %s is installed", strings.Join(names, ", "))
	}
	npm, err := exec.LookPath("npm")
	if err != nil {
		t.Skip("needs Node and npm, which are not installed")
	}
	if c.installed() {
		return c
	}
	install := exec.CommandContext(t.Context(), npm, "ci", "--no-audit", "--no-fund", "--prefer-offline")
	install.Dir = c.web
	if out, err := install.CombinedOutput(); err != nil {
		t.Fatalf("what the tests in web need cannot be installed: %v\n%s", err, out)
	}
	return c
}

// installed reports that npm has installed what the lock names: it notes that in a file of its own.
func (c chromium) installed() bool {
	lock, err := os.Stat(filepath.Join(c.web, "package-lock.json"))
	if err != nil {
		return false
	}
	noted, err := os.Stat(filepath.Join(c.web, "node_modules", ".package-lock.json"))
	return err == nil && !noted.ModTime().Before(lock.ModTime())
}

// run runs the suites whose servers the environment names.
func (c chromium) run(t *testing.T, arguments []string, environment ...string) {
	t.Helper()
	results := filepath.Join("test-results", strings.ReplaceAll(t.Name(), "/", "-"))
	tests := exec.CommandContext(t.Context(), filepath.Join("node_modules", ".bin", "playwright"), slices.Concat([]string{"test", "--output", results}, arguments)...)
	tests.Dir = c.web
	tests.Env = append(os.Environ(), append(environment, "HEADWATER_CHROMIUM="+c.path)...)
	tests.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	tests.Cancel = func() error { return tests.Process.Signal(syscall.SIGTERM) } // it closes the browser
	// As it comes, so that a test that takes too long shows how far it came.
	tests.Stdout, tests.Stderr = t.Output(), t.Output()
	if err := tests.Run(); err != nil {
		t.Errorf("playwright: %v; pictures of what failed are in web/%s", err, results)
	}
}
