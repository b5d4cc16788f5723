package command

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"syscall"
	"time"
)

// Conversation is a command of the table that answers each line with a line, one
// after the other, until Close.
type Conversation struct {
	cmd     *exec.Cmd
	in, out *os.File
	answers *bufio.Reader
	says    *bounded
	timeout time.Duration
}

// Converse starts a command to converse with. The deadline of s counts for each
// answer. Signals that the group of this process gets, such as from a terminal, do not
// reach the command: it ends with its input.
func Converse(s Spec) (*Conversation, error) {
	if !Allowed(s.Argv) {
		return nil, fmt.Errorf("command is not in the table: %q", s.Argv[0])
	}
	theirIn, in, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	out, theirOut, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(err, theirIn.Close(), in.Close())
	}
	cmd := exec.Command(s.path(), s.Argv[1:]...)
	c := &Conversation{cmd, in, out, bufio.NewReader(out), &bounded{max: s.MaxOutput}, s.Timeout}
	cmd.Args[0], cmd.Env, cmd.Dir = s.Argv[0], append([]string{}, s.Env...), s.Dir
	cmd.Stdin, cmd.Stdout, cmd.Stderr = theirIn, theirOut, c.says
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.WaitDelay = s.KillAfter + time.Second
	err = cmd.Start()
	theirIn.Close()
	theirOut.Close()
	if err != nil {
		return nil, errors.Join(err, in.Close(), out.Close())
	}
	return c, nil
}

// Ask writes a line, which ends with its only line end, and returns the line that
// answers it, without its end. The error is ErrTimeout, or says how the command
// ended; there is no answer to anything then.
func (c *Conversation) Ask(line []byte) ([]byte, error) {
	deadline := time.Now().Add(c.timeout)
	err := errors.Join(c.in.SetWriteDeadline(deadline), c.out.SetReadDeadline(deadline))
	if err == nil {
		_, err = c.in.Write(line)
	}
	if err == nil {
		var answer []byte
		if answer, err = c.answers.ReadBytes('\n'); err == nil {
			return answer[:len(answer)-1], nil
		}
	}
	if errors.Is(err, os.ErrDeadlineExceeded) {
		_ = c.cmd.Process.Kill()
		_ = c.Close()
		return nil, ErrTimeout
	}
	if ended := c.Close(); ended != nil {
		err = ended
	} else if errors.Is(err, io.EOF) || errors.Is(err, syscall.EPIPE) {
		err = errors.New("ended without an answer")
	}
	return nil, err
}

// Close ends the input and waits for the command to end, which is killed when it does
// not within the deadline of an answer. The error says how it ended, with the first line that it
// wrote to stderr.
func (c *Conversation) Close() error {
	if c.cmd.ProcessState != nil {
		return nil
	}
	c.in.Close()
	c.out.Close()
	stop := time.AfterFunc(c.timeout, func() { _ = c.cmd.Process.Kill() })
	defer stop.Stop()
	err := c.cmd.Wait()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return errors.New(Exit(status(exit), Result{Stderr: c.says.kept.Bytes()}.FirstLine()))
	}
	return err
}
