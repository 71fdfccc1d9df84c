package llm

import "strings"

// Sees reports whether the name of a model tells that it sees pictures.
func Sees(model string) bool {
	model = strings.ToLower(model[strings.LastIndexByte(model, '/')+1:])
	model = strings.TrimPrefix(model, "ft:")
	if containsAny(model, "audio", "embed", "realtime-mini", "o1-mini", "o1-preview", "o3-mini", "gpt-oss") {
		return false
	}
	return containsAny(model, "vision", "-vl", "vl-", "llava", "pixtral", "minicpm-v", "moondream", "multimodal", "omni") ||
		hasAnyPrefix(model,
			"gpt-4o", "chatgpt-4o", "gpt-4.1", "gpt-4.5", "gpt-4-turbo", "gpt-5", "o1", "o3", "o4",
			"claude-3", "claude-opus", "claude-sonnet", "claude-haiku", "gemini-", "gemma-3", "gemma3", "llama-4", "llama4",
			"mistral-small-3", "mistral-medium-3", "grok-4",
		)
}
