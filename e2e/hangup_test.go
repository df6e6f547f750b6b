package e2e

import (
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"unsafe"

	"github.com/headwater-io/headwater/internal/testing/testclock"
)

// TestHangup: on SIGHUP, a server reads its settings again and does not end. If the
// server's terminal was closed, it ends as on SIGTERM.
func TestHangup(t *testing.T) {
	file := filepath.Join(t.TempDir(), "settings.yaml")
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("read-only: false\n")
	s := start(t, "--config", file, "--data", t.TempDir())
	tag := `{"proposal":{"entityType":"tag","entityUrn":"urn:li:tag:x","changeType":"UPSERT","aspectName":"status","aspect":{"value":"{\"removed\":false}","contentType":"application/json"}}}`
	for _, c := range []struct {
		settings, says string
		status         int
	}{
		{"read-only: true\n", "takes_effect=[read-only] needs_restart=[]", http.StatusForbidden},
		{"read-only: maybe\n", "the server goes on with those that it has", http.StatusForbidden},
		{"read-only: false\nwalks: 7\n", "takes_effect=[read-only] needs_restart=[walks]", http.StatusOK},
	} {
		write(c.settings)
		if err := s.cmd.Process.Signal(syscall.SIGHUP); err != nil {
			t.Fatal(err)
		}
		testclock.Await(t, "the server says: "+c.says, func() bool { return strings.Contains(s.log.String(), c.says) })
		if status, answer := s.send(http.MethodPost, "/aspects?action=ingestProposal", tag); status != c.status {
			t.Errorf("%s: %d %v", c.settings, status, answer)
		}
	}
	s.stop()
}

// TestTerminalCloses: a server whose terminal is closed stops instead of running on unseen.
func TestTerminalCloses(t *testing.T) {
	path, err := binary()
	if err != nil {
		t.Fatal(err)
	}
	near, far := terminal(t)
	cmd := exec.Command(path, "serve", "--listen", "127.0.0.1:0", "--data", t.TempDir(), "--platforms=false")
	cmd.Stdin, cmd.Stdout, cmd.Stderr = far, far, far
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	said := make([]byte, 4096)
	for text := ""; !strings.Contains(text, "listening on "); {
		n, err := near.Read(said)
		if err != nil {
			t.Fatalf("%v: %s", err, text)
		}
		text += string(said[:n])
	}
	_ = far.Close()
	if err := near.Close(); err != nil { // closing it closes the window of the terminal
		t.Fatal(err)
	}
	if err := <-ended; err != nil {
		t.Errorf("the server ended with %v", err)
	}
}

// terminal opens a pseudo-terminal. Text written to far is read from near.
func terminal(t *testing.T) (near, far *os.File) {
	t.Helper()
	near, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Skipf("no terminal can be made: %v", err)
	}
	var unlock, number int32
	for request, value := range map[uintptr]*int32{syscall.TIOCSPTLCK: &unlock, syscall.TIOCGPTN: &number} {
		if _, _, errno := syscall.Syscall(syscall.SYS_IOCTL, near.Fd(), request, uintptr(unsafe.Pointer(value))); errno != 0 {
			t.Fatal(errno)
		}
	}
	if far, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|syscall.O_NOCTTY, 0); err != nil {
		t.Fatal(err)
	}
	return near, far
}
