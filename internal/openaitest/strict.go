package openaitest

import (
	"bytes"
	"net/http"
)

// Strict is a rule by which a server refuses requests, as servers do that people run.
type Strict struct {
	Name    string
	Feature string // what requests must do without, as heddle names it
	// Refuse returns the refusal of a request, or false for one that the server takes.
	Refuse func(Request) (Reply, bool)
}

// Strictest returns servers that refuse what others take, each in the words of a public
// report.
func Strictest() []Strict {
	return []Strict{
		{"alternating roles", "roles", func(r Request) (Reply, bool) { // vllm#6862
			return Fail(Failure{Status: http.StatusBadRequest, Type: "BadRequestError", Message: "After the optional system message, conversation roles must alternate user/assistant/user/assistant/..."}), !alternates(r)
		}},
		{"no system role", "roles", func(r Request) (Reply, bool) { // rig#788: llama.cpp answers with status 500
			return Fail(Failure{Status: http.StatusInternalServerError, Type: "server_error", Message: "Jinja Exception: System role not supported"}), r.has("system")
		}},
		{"no tools", "tools", func(r Request) (Reply, bool) { // says nothing of use
			return Fail(Failure{Status: http.StatusBadRequest, Message: "Provider returned error"}), len(r.Chat.Tools) > 0 || r.has("tool")
		}},
		{"one picture", "images but one", func(r Request) (Reply, bool) { // vllm#23402
			return Fail(Failure{Status: http.StatusBadRequest, Type: "BadRequestError", Message: "At most 1 image(s) may be provided in one prompt."}), bytes.Count(r.Body, []byte(`"image_url":`)) > 1
		}},
		{"no stream", "stream", func(r Request) (Reply, bool) { // crush#1017
			return Fail(Failure{
				Status: http.StatusBadRequest, Type: "invalid_request_error", Param: "stream", Code: "unsupported_value",
				Message: "Your organization must be verified to stream this model.",
			}), r.Chat.Stream
		}},
		{"echoing fields", "prompt_cache_key", func(r Request) (Reply, bool) { // ollama-js#213, opencode#1018
			_, keyed := r.Chat.Fields["prompt_cache_key"]
			return Reply{Status: http.StatusUnprocessableEntity, Body: mustJSON(map[string]any{"detail": []any{map[string]any{
				"type": "extra_forbidden", "loc": []string{"body", "prompt_cache_key"}, "msg": "Extra inputs are not permitted", "input": r.Chat.Fields,
			}}})}, keyed
		}},
	}
}

// alternates reports whether the roles of a request are those that a strict chat template
// takes: a system message perhaps, then the user's, and from then on in turn, where calls
// and results of tools do not count.
func alternates(r Request) bool {
	user, before := true, ""
	for i, m := range r.Chat.Messages {
		switch {
		case m.Role == "system" && i == 0, m.Role == "tool", m.Role == "assistant" && len(m.ToolCalls) > 0:
		case before == "tool" && m.Role != "assistant":
			return false
		case m.Role == "user" != user || m.Role == "system":
			return false
		default:
			user = !user
		}
		before = m.Role
	}
	return true
}

// has reports whether a message of the request has a role.
func (r Request) has(role string) bool {
	for _, m := range r.Chat.Messages {
		if m.Role == role {
			return true
		}
	}
	return false
}
