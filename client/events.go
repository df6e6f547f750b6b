package client

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"strings"
	"time"
)

// longestEvent is the longest line of a stream of events, in bytes.
const longestEvent = 1 << 20

// Follow reads the server-sent events of an address, and calls each with the data of each event, until
// the context ends or each fails. When the stream ends, it goes on after the last event, as long as
// the server is only away for a while.
func (c *Client) Follow(ctx context.Context, path string, each func(data []byte) error) error {
	last := ""
	for {
		read := false
		err := Patiently(ctx, func() error {
			headers := map[string]string{"Accept": "text/event-stream"}
			if last != "" {
				headers["Last-Event-ID"] = last
			}
			stream, err := c.stream(ctx, path, headers)
			if err != nil {
				return err
			}
			defer stream.Close()
			lines := bufio.NewScanner(stream)
			lines.Buffer(nil, longestEvent)
			for lines.Scan() {
				read = true
				if id, ok := strings.CutPrefix(lines.Text(), "id: "); ok {
					last = id
				}
				if data, ok := bytes.CutPrefix(lines.Bytes(), []byte("data: ")); ok {
					if err := each(data); err != nil {
						return err
					}
				}
			}
			if errors.Is(lines.Err(), bufio.ErrTooLong) {
				return ErrTooLong
			}
			return nil // the stream was cut off
		})
		if err != nil || ctx.Err() != nil {
			return errors.Join(ctx.Err(), err)
		}
		if !read {
			return ErrUnreachable
		}
		select {
		case <-time.After(firstPause):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
