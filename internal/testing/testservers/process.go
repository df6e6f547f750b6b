package testservers

import (
	"os/exec"
	"runtime"
	"strings"
	"syscall"
)

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

// kill ends the server at once, as a crash would.
func (p *process) kill() {
	_ = p.cmd.Process.Kill() // the process may have ended already
	<-p.gone
}
