package openaitest

import "bytes"

// bytesPerToken is about what a token of English takes.
const bytesPerToken = 4

// meter works out what a request costs, and remembers it for those that begin alike.
func (s *Server) meter(request Request, reply Reply) *Usage {
	s.mu.Lock()
	defer s.mu.Unlock()
	messages := bytes.TrimRight(request.Chat.Fields["messages"], "]")
	key := string(request.Chat.Fields["prompt_cache_key"])
	cached := 0
	for _, read := range s.read[key] {
		cached = max(cached, common(read, messages))
	}
	if s.read == nil {
		s.read = make(map[string][][]byte)
	}
	s.read[key] = append(s.read[key], messages)
	said := 0
	for _, chunk := range reply.Chunks {
		said += len(chunk.Text)
	}
	return &Usage{Prompt: len(messages) / bytesPerToken, Completion: said / bytesPerToken, Cached: cached / bytesPerToken}
}

// common is with how many bytes a and b begin alike.
func common(a, b []byte) int {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}
