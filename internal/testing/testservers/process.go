package testservers

import (
	"fmt"
	"net"
	"net/http"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"time"
)

// startTimeout is long enough to download the binary of a server.
const startTimeout = 5 * time.Minute

// process is a server that was started from a script. It ends at the latest with this
// process.
type process struct {
	cmd  *exec.Cmd
	gone chan struct{}
	log  *strings.Builder
}

// launch starts a command and keeps its output on standard error.
func launch(cmd *exec.Cmd) (*process, error) {
	p := &process{cmd: cmd, gone: make(chan struct{}), log: &strings.Builder{}}
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	cmd.Stderr = p.log
	started := make(chan error)
	go func() {
		// The kernel signals the server's death when this thread ends, so the thread must
		// stay.
		runtime.LockOSThread()
		started <- cmd.Start()
		_ = cmd.Wait() // the exit status does not matter
		close(p.gone)
		select {}
	}()
	return p, <-started
}

// await waits until the server is ready. It fails if the server ends before, and ends a server that
// is not ready in time.
func (p *process) await(ready func() bool) error {
	for deadline := time.Now().Add(startTimeout); time.Now().Before(deadline); {
		select {
		case <-p.gone:
			return fmt.Errorf("the server ended before it was ready: %s", p.log)
		case <-time.After(50 * time.Millisecond):
		}
		if ready() {
			return nil
		}
	}
	p.kill()
	return fmt.Errorf("the server is not ready after %s", startTimeout)
}

// accepts reports whether a server accepts connections at an address.
func accepts(address string) bool {
	connection, err := net.DialTimeout("tcp", address, time.Second)
	return err == nil && connection.Close() == nil
}

// answers reports whether a server answers a request with the status 200.
func answers(url string) bool {
	client := http.Client{Timeout: 5 * time.Second, Transport: &http.Transport{DisableKeepAlives: true}}
	resp, err := client.Get(url)
	return err == nil && resp.Body.Close() == nil && resp.StatusCode == http.StatusOK
}

// kill ends the server at once, as a crash would.
func (p *process) kill() {
	_ = p.cmd.Process.Kill() // the process may have ended already
	<-p.gone
}
