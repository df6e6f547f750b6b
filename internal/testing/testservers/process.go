package testservers

import (
	"os/exec"
	"runtime"
	"strings"
	"syscall"
)

// process is a server started from a script, which ends with this process at
// the latest.
type process struct {
	cmd  *exec.Cmd
	gone chan struct{}
	log  *strings.Builder
}

// launch starts a command; what it says on standard error is kept.
func launch(cmd *exec.Cmd) (*process, error) {
	p := &process{cmd: cmd, gone: make(chan struct{}), log: &strings.Builder{}}
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	cmd.Stderr = p.log
	started := make(chan error)
	go func() {
		// The signal at the parent's death is sent when this thread ends.
		runtime.LockOSThread()
		started <- cmd.Start()
		_ = cmd.Wait() // how it ends is for who asks
		close(p.gone)
		select {}
	}()
	return p, <-started
}

// kill ends the server at once, as a crash would.
func (p *process) kill() {
	_ = p.cmd.Process.Kill() // it may have ended
	<-p.gone
}
