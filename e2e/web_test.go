package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/headwater-io/headwater/internal/testing/testservers"
	"github.com/headwater-io/headwater/internal/testing/testsize"
)

// TestWebPage uses the page in a browser, as people do: it runs the flows in web/e2e. "make
// test-web" runs all flows, here and in [TestWebPageOnServers]; "make test" runs the flows marked
// @stores or @always. The server keeps more versions than a page shows at once.
func TestWebPage(t *testing.T) {
	t.Parallel()
	browser := browserFor(t)
	s := start(t, "--data", t.TempDir(), "--sample", "--retention", "200")
	empty, hostile := start(t, "--data", t.TempDir()), start(t, "--data", t.TempDir())
	s.awaitIndex(time.Minute)
	browser.run(t, flowsMarked("@stores|@always"), "HEADWATER_URL="+s.base, s.checkedLink(), "HEADWATER_EMPTY_URL="+empty.base, "HEADWATER_HOSTILE_URL="+hostile.base)
}

// TestWebPageSignIn uses the page of a server with authentication, from its first start on:
// people sign in, make tokens, invite and suspend each other.
func TestWebPageSignIn(t *testing.T) {
	t.Parallel()
	browser := browserFor(t)
	s := start(t, "--data", t.TempDir(), "--auth", "on")
	browser.run(t, nil, "HEADWATER_AUTH_URL="+s.base, "HEADWATER_AUTH_FIRST="+s.first)
}

// TestWebPageOnServers is [TestWebPage] on Neo4j with Typesense, without the empty catalog
// and the catalog with hostile metadata. "make test-web" and "make soak" run it: the page treats answers the
// same on every store, and "make test" compares the answers. "make soak" runs only the flows marked @stores, which
// read and write the catalog.
func TestWebPageOnServers(t *testing.T) {
	if os.Getenv("HEADWATER_TEST_WEB") == "" && testsize.Of(0, 1) == 0 {
		t.Skip("the page treats answers the same on every store; make test-web and make soak run it")
	}
	browser := browserFor(t)
	s := start(t, append(backends()[1].flags(t), "--sample", "--retention", "200")...)
	s.awaitIndex(time.Minute)
	browser.run(t, flowsMarked("@stores"), "HEADWATER_URL="+s.base, s.checkedLink())
}

// checkedLink gives the flows the link to the page that "headwater check" writes into a comment on a change of the sample.
func (s *server) checkedLink() string {
	s.t.Helper()
	dir := s.t.TempDir()
	script, comment := filepath.Join(dir, "042.sql"), filepath.Join(dir, "comment.md")
	if err := os.WriteFile(script, []byte("alter table analytics.marts.orders drop column net_revenue;\n"), 0o600); err != nil {
		s.t.Fatal(err)
	}
	_, stderr, code := s.command(nil, "check", "--head", script, "--dialect", "snowflake", "--markdown", comment)
	text, err := os.ReadFile(comment)
	link := regexp.MustCompile(regexp.QuoteMeta(s.base) + "/ui/change#[-_0-9A-Za-z]+").Find(text)
	if code != 6 || err != nil || link == nil {
		s.t.Fatalf("exit %d %s: %v\n%s", code, stderr, err, text)
	}
	return "HEADWATER_CHECK_LINK=" + string(link)
}

// TestWebPageFirefox is [TestWebPage] in Firefox, without the empty catalog and the catalog with hostile metadata.
// "make test-web" runs it.
func TestWebPageFirefox(t *testing.T) {
	if os.Getenv("HEADWATER_TEST_WEB") == "" {
		t.Skip("make test uses the page in Chromium; make test-web runs the same flows in Firefox")
	}
	browser := browserFor(t)
	firefox, err := firstProgram(os.Getenv("HEADWATER_FIREFOX"), "firefox-esr", "firefox")
	if err != nil {
		t.Skip("needs Firefox, which is not installed")
	}
	s := start(t, "--data", t.TempDir(), "--sample", "--retention", "200")
	s.awaitIndex(time.Minute)
	browser.run(t, nil, "HEADWATER_URL="+s.base, s.checkedLink(), "HEADWATER_FIREFOX="+firefox)
}

// TestWebPageSources: somebody adds a PostgreSQL database on the page of a fresh server, which then
// runs it itself.
func TestWebPageSources(t *testing.T) {
	browser := browserFor(t)
	address := shopDatabase(t, "websources")
	s := start(t, "--data", t.TempDir())
	browser.run(t, nil, "HEADWATER_SOURCES_URL="+s.base, "HEADWATER_SOURCES_POSTGRES="+address)
}

// TestWebPageDerived looks at lineage that the server has read from SQL, beside the lineage that a client has
// stated of the same SQL.
func TestWebPageDerived(t *testing.T) {
	browser := browserFor(t)
	s := start(t, "--data", t.TempDir(), "--sql-derive", "on")
	browser.run(t, nil, "HEADWATER_DERIVED_URL="+s.base)
}

// flowsMarked returns the options that select the flows of "make test", none if all flows
// are to run.
func flowsMarked(marks string) []string {
	if os.Getenv("HEADWATER_TEST_WEB") == "all" {
		return nil
	}
	return []string{"--grep", marks}
}

// TestWebPageLarge uses the page with 100,000 datasets, which it first generates and loads.
// It takes minutes, so only make test-web-large runs it.
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

// TestWebScreenshots takes pictures of every screen in both themes and both widths, in
// web/screenshots, for people to look at. make screenshots runs it.
func TestWebScreenshots(t *testing.T) {
	if os.Getenv("HEADWATER_TEST_WEB_SCREENSHOTS") == "" {
		t.Skip("draws pictures for people to look at; make screenshots runs it")
	}
	browser := browserFor(t)
	s, empty := start(t, "--data", t.TempDir(), "--sample"), start(t, "--data", t.TempDir())
	auth := start(t, "--data", t.TempDir(), "--auth", "on")
	s.awaitIndex(time.Minute)
	browser.run(t, nil, "HEADWATER_SCREENS_URL="+s.base, "HEADWATER_SCREENS_EMPTY_URL="+empty.base, "HEADWATER_SCREENS_AUTH_URL="+auth.base, "HEADWATER_SCREENS_AUTH_FIRST="+auth.first)
}

// TestWebPictures compares the main screens, in both themes and widths, with the pictures in web/e2e/pictures. The server is new, because
// the flows change the catalog. "make test-web" runs it, and "make pictures" makes the pictures anew.
func TestWebPictures(t *testing.T) {
	updates := os.Getenv("HEADWATER_PICTURES_UPDATE") != ""
	if os.Getenv("HEADWATER_TEST_WEB") == "" && !updates {
		t.Skip("make test looks at each screen in one theme and width; make test-web compares pictures of both")
	}
	browser := browserFor(t)
	s := start(t, "--data", t.TempDir(), "--sample", "--retention", "200")
	s.awaitIndex(time.Minute)
	browser.run(t, nil, "HEADWATER_PICTURES_URL="+s.base)
}

// chromium is a browser, and the folder with the tests of the page.
type chromium struct{ path, web string }

// browserFor finds a browser and the tools that the tests in web need. It skips the test if
// they are missing, except that a browser in HEADWATER_CHROMIUM must exist.
func browserFor(t *testing.T) chromium {
	t.Helper()
	if testing.Short() {
		t.Skip("needs a browser, which -short leaves out")
	}
	named := os.Getenv("HEADWATER_CHROMIUM")
	// The shell without a window draws with a third less of the processor.
	names := []string{"chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"}
	path, err := firstProgram(named, names...)
	switch {
	case err != nil && named != "":
		t.Fatalf("HEADWATER_CHROMIUM is %s, which is not a program", named)
	case err != nil:
		t.Skipf("needs a browser: none of %s is installed", strings.Join(names, ", "))
	}
	c := chromium{path: path, web: filepath.Join(testservers.Root(), "web")}
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

// firstProgram returns the path of a program: of the named one or, if named is empty, of the first one that is installed.
func firstProgram(named string, names ...string) (string, error) {
	if named != "" {
		return exec.LookPath(named)
	}
	for _, name := range names {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", exec.ErrNotFound
}

// installed reports whether npm has installed the packages in the lock file. npm records
// this in a file.
func (c chromium) installed() bool {
	lock, err := os.Stat(filepath.Join(c.web, "package-lock.json"))
	if err != nil {
		return false
	}
	noted, err := os.Stat(filepath.Join(c.web, "node_modules", ".package-lock.json"))
	return err == nil && !noted.ModTime().Before(lock.ModTime())
}

// run runs the suites for whose servers the environment has addresses.
func (c chromium) run(t *testing.T, arguments []string, environment ...string) {
	t.Helper()
	results := filepath.Join("test-results", strings.ReplaceAll(t.Name(), "/", "-"))
	tests := exec.CommandContext(t.Context(), filepath.Join("node_modules", ".bin", "playwright"), slices.Concat([]string{"test", "--output", results}, arguments)...)
	tests.Dir = c.web
	tests.Env = append(os.Environ(), append(environment, "HEADWATER_CHROMIUM="+c.path)...)
	tests.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	tests.Cancel = func() error { return tests.Process.Signal(syscall.SIGTERM) } // on SIGTERM, the tests close the browser
	// Print the output at once, so that a test that takes too long shows its progress.
	tests.Stdout, tests.Stderr = t.Output(), t.Output()
	if err := tests.Run(); err != nil {
		t.Errorf("playwright: %v; pictures of what failed are in web/%s", err, results)
	}
}
