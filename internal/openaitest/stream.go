package openaitest

import (
	"cmp"
	"io"
	"net/http"
	"strings"
)

const (
	completionID = "chatcmpl-openaitest"
	done         = "data: [DONE]\n\n"
)

// Fingerprint is the system_fingerprint that a server reports by default.
const Fingerprint = "fp_openaitest"

// stream sends an answer event by event and flushes each.
func (s *Server) stream(w http.ResponseWriter, r *http.Request, reply Reply, request Request) {
	flusher := http.NewResponseController(w)
	send := func(event string) {
		_, _ = io.WriteString(w, event) // finish notices a client that is gone
		_ = flusher.Flush()
	}
	_ = flusher.Flush() // the headers, before any gate
	for _, chunk := range reply.Chunks {
		if !s.wait(r, chunk.Wait) {
			panic(http.ErrAbortHandler)
		}
		if chunk.Raw != "" {
			send(chunk.Raw)
			continue
		}
		send(event(reply, request, []any{choice(request, chunk, nil)}, nil))
	}
	switch reply.End {
	case EndAbort:
		panic(http.ErrAbortHandler)
	case EndQuiet:
		return
	case EndBare, EndDone:
	}
	if reply.FinishReason != "" {
		send(event(reply, request, []any{choice(request, Chunk{}, reply.FinishReason)}, nil))
	}
	if reply.Usage != nil && request.Chat.StreamOptions.IncludeUsage {
		send(event(reply, request, []any{}, reply.Usage))
	}
	if reply.End == EndDone {
		send(done)
	}
}

// Event returns data as one event of a stream.
func Event(data string) string { return "data: " + data + "\n\n" }

func event(reply Reply, request Request, choices []any, usage *Usage) string {
	body := map[string]any{
		"id": completionID, "object": "chat.completion.chunk", "created": 0,
		"model": model(reply, request), "system_fingerprint": fingerprint(reply), "choices": choices,
	}
	if usage != nil {
		body["usage"] = usageJSON(*usage)
	}
	return Event(mustJSON(body))
}

// choice returns a chunk as the one choice of an event.
func choice(request Request, chunk Chunk, finish any) map[string]any {
	delta := map[string]any{}
	set := func(key, value string) {
		if value != "" {
			delta[key] = value
		}
	}
	set("content", chunk.Text)
	set("refusal", chunk.Refusal)
	set("reasoning_content", chunk.ReasoningContent)
	set("reasoning", chunk.Reasoning)
	if len(chunk.ToolCalls) > 0 {
		delta["tool_calls"] = toolCallsJSON(chunk.ToolCalls)
	}
	return map[string]any{
		"index": 0, "delta": delta, "finish_reason": finish, "logprobs": logprobsJSON(request, chunk.Logprobs),
	}
}

// writeWhole sends an answer to a request that asked for no stream.
func (s *Server) writeWhole(w http.ResponseWriter, r *http.Request, reply Reply, request Request) {
	var all Chunk
	var text, reasoning strings.Builder
	for _, chunk := range reply.Chunks {
		if !s.wait(r, chunk.Wait) {
			panic(http.ErrAbortHandler)
		}
		text.WriteString(chunk.Text)
		reasoning.WriteString(chunk.ReasoningContent)
		all.Logprobs = append(all.Logprobs, chunk.Logprobs...)
		all.ToolCalls = append(all.ToolCalls, chunk.ToolCalls...)
	}
	message := map[string]any{"role": "assistant", "content": text.String()}
	if reasoning.Len() > 0 {
		message["reasoning_content"] = reasoning.String()
	}
	if len(all.ToolCalls) > 0 {
		message["tool_calls"] = toolCallsJSON(all.ToolCalls)
	}
	var finish any
	if reply.FinishReason != "" {
		finish = reply.FinishReason
	}
	body := map[string]any{
		"id": completionID, "object": "chat.completion", "created": 0, "model": model(reply, request), "system_fingerprint": fingerprint(reply),
		"choices": []any{map[string]any{
			"index": 0, "message": message, "finish_reason": finish, "logprobs": logprobsJSON(request, all.Logprobs),
		}},
	}
	if reply.Usage != nil {
		body["usage"] = usageJSON(*reply.Usage)
	}
	if reply.Status != 0 {
		w.WriteHeader(reply.Status)
	}
	_, _ = io.WriteString(w, mustJSON(body)) // finish notices a client that is gone
}

func model(reply Reply, request Request) string {
	if reply.Model != "" {
		return reply.Model
	}
	return request.Chat.Model
}

func fingerprint(reply Reply) string { return cmp.Or(reply.Fingerprint, Fingerprint) }

// toolCallsJSON returns tool calls as a delta contains them. Name and id stand only in
// the first part of a call.
func toolCallsJSON(calls []ToolCall) []any {
	encoded := make([]any, len(calls))
	for i, call := range calls {
		function := map[string]any{"arguments": call.Arguments}
		item := map[string]any{"index": call.Index, "function": function}
		if call.Name != "" {
			function["name"] = call.Name
		}
		if call.ID != "" {
			item["id"], item["type"] = call.ID, "function"
		}
		encoded[i] = item
	}
	return encoded
}

// logprobsJSON returns log-probabilities as a choice contains them, or nil if the request
// does not ask for them.
func logprobsJSON(request Request, logprobs []Logprob) any {
	if !request.Chat.Logprobs || len(logprobs) == 0 {
		return nil
	}
	content := make([]any, len(logprobs))
	for i, token := range logprobs {
		one := map[string]any{"token": token.Token, "logprob": token.Logprob, "top_logprobs": []any{}}
		if token.Bytes != nil {
			numbers := make([]int, len(token.Bytes)) // bytes are written as numbers
			for k, octet := range token.Bytes {
				numbers[k] = int(octet)
			}
			one["bytes"] = numbers
		}
		content[i] = one
	}
	return map[string]any{"content": content}
}

func usageJSON(usage Usage) map[string]any {
	return map[string]any{
		"prompt_tokens": usage.Prompt, "completion_tokens": usage.Completion,
		"total_tokens":          usage.Prompt + usage.Completion,
		"prompt_tokens_details": map[string]any{"cached_tokens": usage.Cached},
	}
}
