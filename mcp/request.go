package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/internal/limits"
)

// maxIDBytes is the largest size of a message's id. The size is bounded because the answer
// repeats the id.
const maxIDBytes = 256

// messagesOf returns the messages of a body. It returns none if the body is not JSON.
func messagesOf(body []byte) (messages []json.RawMessage) {
	if !bytes.HasPrefix(bytes.TrimLeft(body, " \t\r\n"), []byte("[")) {
		return []json.RawMessage{body}
	}
	if json.Unmarshal(body, &messages) != nil {
		return nil
	}
	return messages
}

// checkMessages checks the number of messages in a body, and their ids. A text that is no
// message is left to the library to refuse.
func checkMessages(body []byte) error {
	messages := messagesOf(body)
	if len(messages) > limits.MaxAgentCalls {
		return catalog.Errorf(catalog.Invalid, "a batch of %d messages; at most %d are taken, and protocol versions from 2025-06-18 have no batches", len(messages), limits.MaxAgentCalls)
	}
	ids := make(map[string]bool, len(messages))
	for _, message := range messages {
		var m map[string]json.RawMessage // unlike a struct, a map distinguishes "id" from "ID", as the library does
		if json.Unmarshal(message, &m) != nil {
			continue
		}
		id := string(m["id"])
		switch {
		case len(id) > maxIDBytes:
			return catalog.Errorf(catalog.Invalid, "the id of a message has %d bytes, at most %d are allowed", len(id), maxIDBytes)
		case id != "" && ids[id]:
			return catalog.Errorf(catalog.Invalid, "two messages of a batch have the id %s", id)
		}
		ids[id] = true
	}
	return nil
}

// invalidRequest is the code of JSON-RPC for a message that the server does not read.
const invalidRequest = -32600

// refuseMessages answers a body that is not passed to the library.
func refuseMessages(w http.ResponseWriter, err error) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusBadRequest)
	_, _ = w.Write(text(map[string]any{"jsonrpc": "2.0", "id": nil, "error": map[string]any{"code": invalidRequest, "message": catalog.MessageOf(err)}})) // the caller may be gone
}

// request is an HTTP request: its context, and the turn that each call in its messages takes.
// One call runs at a time.
type request struct {
	ctx  context.Context
	turn chan struct{}
}

type requestKey struct{}

// enter waits until no other call of the request runs, and returns the context of the
// request. It fails when the request has ended.
func enter(ctx context.Context) (requested context.Context, leave func(), err error) {
	r, ok := ctx.Value(requestKey{}).(*request)
	if !ok {
		return ctx, func() {}, nil
	}
	select {
	case r.turn <- struct{}{}:
		leave = func() { <-r.turn }
	case <-r.ctx.Done():
	}
	if err := r.ctx.Err(); err != nil {
		if leave != nil {
			leave()
		}
		return r.ctx, nil, catalog.StoreFailure(err)
	}
	return r.ctx, leave, nil
}

// shortened keeps an answer of the library until the answer is complete, so that no error in it
// repeats long parts of the request. Answers are small, see limits.MaxAgentAnswer.
type shortened struct {
	http.ResponseWriter
	status int
	body   bytes.Buffer
}

func (s *shortened) WriteHeader(status int) {
	if s.status == 0 {
		s.status = status
	}
}

func (s *shortened) Write(text []byte) (int, error) {
	s.WriteHeader(http.StatusOK)
	return s.body.Write(text)
}

// send sends the answer with shortened errors.
func (s *shortened) send() {
	s.WriteHeader(http.StatusOK)
	s.Header().Del("Content-Length")
	answer := s.body.Bytes()
	if len(answer) > limits.MaxMessageBytes {
		answer = shorten(answer, s.status)
	}
	s.ResponseWriter.WriteHeader(s.status)
	_, _ = s.ResponseWriter.Write(answer) // the caller may be gone
}

// shorten returns an answer with short errors.
func shorten(answer []byte, status int) []byte {
	one, list := map[string]json.RawMessage{}, []map[string]json.RawMessage{}
	switch {
	case json.Unmarshal(answer, &one) == nil:
		if shortenError(one) {
			return text(one)
		}
	case json.Unmarshal(answer, &list) == nil:
		changed := false
		for _, message := range list {
			changed = shortenError(message) || changed
		}
		if changed {
			return text(list)
		}
	case status >= http.StatusBadRequest:
		return []byte(catalog.Shown(string(answer)))
	}
	return answer
}

// shortenError shortens the error of a message, or the error of the tool in a message. It
// reports whether the message has an error.
func shortenError(message map[string]json.RawMessage) bool {
	var refused struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
	}
	if failed := message["error"]; failed != nil && json.Unmarshal(failed, &refused) == nil {
		refused.Message = catalog.Shown(refused.Message)
		message["error"] = text(refused)
		return true
	}
	var result map[string]json.RawMessage
	if json.Unmarshal(message["result"], &result) != nil || string(result["isError"]) != "true" {
		return false
	}
	var content []struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}
	if json.Unmarshal(result["content"], &content) != nil {
		return false
	}
	for i := range content {
		content[i].Text = catalog.Shown(content[i].Text)
	}
	result["content"] = text(content)
	message["result"] = text(result)
	return true
}

// ServeHTTP answers one request. The body of the request is complete, and its size was limited
// before.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		refuseMessages(w, catalog.Errorf(catalog.Invalid, "the body cannot be read: %w", err))
		return
	}
	if err := checkMessages(body); err != nil {
		refuseMessages(w, err)
		return
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	answer := &shortened{ResponseWriter: w}
	// When a request ends, the tool ends too and then answers with an error. The library must
	// not see the end of the request, because it would end at once and answer nothing.
	lasting := context.WithoutCancel(r.Context())
	h.http.ServeHTTP(answer, r.WithContext(context.WithValue(lasting, requestKey{}, &request{r.Context(), make(chan struct{}, 1)})))
	answer.send()
}
