package stubapi

import (
	"context"
	"fmt"
	"net/http"
	"regexp"
	"time"
)

var word = regexp.MustCompile(`\S+\s*`)

// stream writes the reply as server-sent events, as slowly as the step says. It stops early when
// the client goes away or the server closes.
func stream(ctx context.Context, w http.ResponseWriter, r reply, step Step) {
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Request-Id", requestID)
	e := events{w: w, flush: http.NewResponseController(w).Flush}
	start := r
	start.Content, start.StopReason, start.Usage.OutputTokens = []block{}, nil, 1
	e.send("message_start", map[string]any{"message": start})
	if step.StreamError != "" {
		e.send("error", map[string]any{"error": map[string]string{"type": step.StreamError, "message": "Overloaded"}})
		return
	}
	for i, b := range r.Content {
		e.send("content_block_start", map[string]any{"index": i, "content_block": b.opened()})
		deltas := b.deltas()
		for _, d := range deltas {
			e.send("content_block_delta", map[string]any{"index": i, "delta": d})
			if b.Type == "text" && !sleep(ctx, step.Spread/time.Duration(len(deltas))) {
				return
			}
		}
		e.send("content_block_stop", map[string]any{"index": i})
	}
	e.send("message_delta", map[string]any{
		"delta": map[string]any{"stop_reason": r.StopReason, "stop_sequence": nil},
		"usage": map[string]int{"output_tokens": r.Usage.OutputTokens},
	})
	e.send("message_stop", map[string]any{})
}

// events writes server-sent events. A client that went away is seen through its context.
type events struct {
	w     http.ResponseWriter
	flush func() error
}

func (e events) send(kind string, fields map[string]any) {
	fields["type"] = kind
	fmt.Fprintf(e.w, "event: %s\ndata: %s\n\n", kind, mustJSON(fields))
	e.flush()
}

// opened returns the block as a stream opens it: without the content that its deltas carry.
func (b block) opened() map[string]any {
	switch b.Type {
	case "text":
		return map[string]any{"type": b.Type, "text": ""}
	case "thinking":
		return map[string]any{"type": b.Type, "thinking": "", "signature": ""}
	}
	return map[string]any{"type": b.Type, "id": b.ID, "name": b.Name, "input": map[string]any{}}
}

// deltas returns the block's content in the pieces that a stream sends.
func (b block) deltas() []map[string]any {
	switch b.Type {
	case "text":
		var ds []map[string]any
		for _, s := range word.FindAllString(b.Text, -1) {
			ds = append(ds, map[string]any{"type": "text_delta", "text": s})
		}
		return ds
	case "thinking":
		return []map[string]any{
			{"type": "thinking_delta", "thinking": b.Thinking},
			{"type": "signature_delta", "signature": b.Signature},
		}
	}
	return []map[string]any{{"type": "input_json_delta", "partial_json": mustJSON(b.Input)}}
}
