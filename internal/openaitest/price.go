package openaitest

import "bytes"

// price returns the usage to report for a request, and remembers the request, so that
// later ones with the same beginning count as cached.
func (s *Server) price(request Request, reply Reply) *Usage {
	s.mu.Lock()
	defer s.mu.Unlock()
	messages := bytes.TrimRight(request.Chat.Fields["messages"], "]")
	key := string(request.Chat.Fields["prompt_cache_key"])
	cached := 0
	for _, read := range s.read[key] {
		cached = max(cached, commonPrefix(read, messages))
	}
	if s.read == nil {
		s.read = make(map[string][][]byte)
	}
	s.read[key] = append(s.read[key], messages)
	said := 0
	for _, chunk := range reply.Chunks {
		said += len(chunk.Text)
	}
	tokens := func(bytes int) int { return int(float64(bytes) / reply.BytesPerToken) }
	return &Usage{Prompt: tokens(len(messages)), Completion: tokens(said), Cached: tokens(cached)}
}

// commonPrefix returns how many bytes a and b have in common from their start.
func commonPrefix(a, b []byte) int {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}
