package openaitest

import (
	"cmp"
	"io"
	"net/http"
	"time"
)

func (s *Server) serveModels(w http.ResponseWriter, r *http.Request) {
	data := make([]map[string]any, len(s.config.Models))
	for i, model := range s.config.Models {
		data[i] = map[string]any{"id": model, "object": "model", "created": 0, "owned_by": "openaitest"}
	}
	s.write(w, r, Reply{Body: mustJSON(map[string]any{"object": "list", "data": data})}, Request{})
}

// serveChat records and answers a request for a chat completion.
func (s *Server) serveChat(w http.ResponseWriter, r *http.Request) {
	began := time.Now()
	body, err := io.ReadAll(r.Body)
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	request, err := readRequest(r.Header.Clone(), body, began)
	if err != nil {
		s.write(w, r, Fail(Failure{
			Status: http.StatusBadRequest, Type: "invalid_request_error",
			Message: "The body is not a chat completion request.",
		}), Request{})
		return
	}
	s.begin(request)
	defer s.finish(r)
	s.write(w, r, s.reply(request), request)
}

func (s *Server) begin(request Request) {
	s.update(func() {
		s.requests = append(s.requests, request)
		s.active++
	})
}

func (s *Server) finish(r *http.Request) {
	s.update(func() {
		s.active--
		select {
		case <-s.closing:
		default:
			if r.Context().Err() != nil {
				s.hangups++
			}
		}
	})
}

// reply returns the next reply in the queue, or the script's if the queue is empty.
func (s *Server) reply(request Request) Reply {
	s.mu.Lock()
	if len(s.queue) > 0 {
		defer s.mu.Unlock()
		next := s.queue[0]
		s.queue = s.queue[1:]
		return next
	}
	s.mu.Unlock()
	if s.config.Script == nil {
		return Fail(Failure{Status: http.StatusInternalServerError, Message: "No reply is scripted for this request."})
	}
	return s.config.Script(request)
}

// wait blocks until a gate opens. It reports false if the client hangs up or the server
// closes first. A nil gate is open.
func (s *Server) wait(r *http.Request, gate <-chan struct{}) bool {
	if gate == nil {
		return true
	}
	select {
	case <-gate:
		return true
	case <-r.Context().Done():
		return false
	case <-s.closing:
		return false
	}
}

// write writes a reply: as a stream if the request asks for one, or whole.
func (s *Server) write(w http.ResponseWriter, r *http.Request, reply Reply, request Request) {
	if !s.wait(r, reply.Wait) {
		panic(http.ErrAbortHandler)
	}
	status := cmp.Or(reply.Status, http.StatusOK)
	contentType := "application/json"
	streamed := reply.Body == "" && request.Chat.Stream && status == http.StatusOK
	if streamed {
		contentType = "text/event-stream"
	}
	w.Header().Set("Content-Type", contentType)
	for name, values := range reply.Header {
		w.Header()[http.CanonicalHeaderKey(name)] = values
	}
	switch {
	case streamed:
		w.WriteHeader(status)
		s.stream(w, r, reply, request)
	case reply.Body != "":
		w.WriteHeader(status)
		_, _ = io.WriteString(w, reply.Body) // finish notices a client that is gone
	default:
		s.writeWhole(w, r, reply, request)
	}
}
