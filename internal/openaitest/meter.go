package openaitest

import "bytes"

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
	tokens := func(bytes int) int { return int(float64(bytes) / reply.Metered) }
	return &Usage{Prompt: tokens(len(messages)), Completion: tokens(said), Cached: tokens(cached)}
}

// common is with how many bytes a and b begin alike.
func common(a, b []byte) int {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}
