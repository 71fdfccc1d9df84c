package openaitest

import (
	"cmp"
	"io"
	"net/http"
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
		_, _ = io.WriteString(w, event) //nolint:gosec // no browser reads it, and finish notices a client that is gone
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
		send(event(reply, request, nil, choice(request, chunk, nil)))
	}
	switch reply.End {
	case EndAbort:
		panic(http.ErrAbortHandler)
	case EndQuiet:
		return
	case EndBare, EndDone:
	}
	if reply.FinishReason != "" {
		send(event(reply, request, nil, choice(request, Chunk{}, reply.FinishReason)))
	}
	if reply.Usage != nil && request.Chat.StreamOptions.IncludeUsage {
		send(event(reply, request, reply.Usage))
	}
	if reply.End == EndDone {
		send(done)
	}
}

// Event returns data as one event of a stream.
func Event(data string) string { return "data: " + data + "\n\n" }

// event returns a part of an answer as an event of a stream.
func event(reply Reply, request Request, usage *Usage, choices ...any) string {
	return Event(completion("chat.completion.chunk", reply, request, usage, choices))
}

// completion returns an answer, or a part of one, with its choices.
func completion(object string, reply Reply, request Request, usage *Usage, choices []any) string {
	body := map[string]any{
		"id": completionID, "object": object, "created": 0, "choices": append([]any{}, choices...),
		"model": cmp.Or(reply.Model, request.Chat.Model), "system_fingerprint": cmp.Or(reply.Fingerprint, Fingerprint),
	}
	if usage != nil {
		body["usage"] = map[string]any{
			"prompt_tokens": usage.Prompt, "completion_tokens": usage.Completion,
			"total_tokens":          usage.Prompt + usage.Completion,
			"prompt_tokens_details": map[string]any{"cached_tokens": usage.Cached},
		}
	}
	return mustJSON(body)
}

// choice returns a chunk as the one choice of an event.
func choice(request Request, chunk Chunk, finish any) map[string]any {
	return map[string]any{"index": 0, "delta": said(chunk), "finish_reason": finish, "logprobs": logprobsJSON(request, chunk.Logprobs)}
}

// said returns what a chunk says, as a delta or a message contains it.
func said(chunk Chunk) map[string]any {
	fields := map[string]any{}
	for name, text := range map[string]string{
		"content": chunk.Text, "refusal": chunk.Refusal, "reasoning_content": chunk.ReasoningContent, "reasoning": chunk.Reasoning,
	} {
		if text != "" {
			fields[name] = text
		}
	}
	if len(chunk.ToolCalls) > 0 {
		fields["tool_calls"] = toolCallsJSON(chunk.ToolCalls)
	}
	return fields
}

// writeWhole sends an answer to a request that asked for no stream.
func (s *Server) writeWhole(w http.ResponseWriter, r *http.Request, reply Reply, request Request) {
	var all Chunk
	for _, chunk := range reply.Chunks {
		if !s.wait(r, chunk.Wait) {
			panic(http.ErrAbortHandler)
		}
		all.Text += chunk.Text
		all.ReasoningContent += chunk.ReasoningContent
		all.Logprobs = append(all.Logprobs, chunk.Logprobs...)
		all.ToolCalls = append(all.ToolCalls, chunk.ToolCalls...)
	}
	message := said(all)
	message["role"], message["content"] = "assistant", all.Text
	if reply.Status != 0 {
		w.WriteHeader(reply.Status)
	}
	whole := map[string]any{"index": 0, "message": message, "finish_reason": orNull(reply.FinishReason), "logprobs": logprobsJSON(request, all.Logprobs)}
	_, _ = io.WriteString(w, completion("chat.completion", reply, request, reply.Usage, []any{whole})) // finish notices a client that is gone
}

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
