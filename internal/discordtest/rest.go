package discordtest

import (
	"errors"
	"maps"
	"net/http"
	"strings"
)

// rest is the REST API. A request passes through record, faults, limits and its
// route's handler, in this order.
type rest struct {
	world   *world
	record  *Record
	faults  *Faults
	limiter *limiter
	inspect func(Request) // may be nil
	gateway *Gateway
}

// reply is an answer on its way out.
type reply struct {
	status int
	header http.Header
	body   []byte
}

// handler returns the API as it is served below /api.
func (s *rest) handler() http.Handler {
	api := http.NewServeMux()
	for route, h := range s.handlers() {
		api.HandleFunc(route, func(w http.ResponseWriter, r *http.Request) { s.serve(w, r, route, h) })
	}
	api.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		s.serve(w, r, r.Method+" unknown", func(*call) (any, error) {
			return nil, &apiError{status: http.StatusNotFound, message: "404: Not Found"}
		})
	})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		path, ok := strings.CutPrefix(r.URL.Path, "/api/v"+apiVersion+"/")
		if !ok {
			s.serve(w, r, r.Method+" unknown", func(*call) (any, error) { return nil, errBadRequest(50041, "Invalid API version") })
			return
		}
		inner := r.Clone(r.Context())
		inner.URL.Path, inner.URL.RawPath = "/"+path, ""
		api.ServeHTTP(w, inner)
	})
}

// serve takes one request from its body to its answer.
func (s *rest) serve(w http.ResponseWriter, r *http.Request, route string, h handler) {
	body, err := readBody(w, r)
	c := &call{world: s.world, request: r, body: body, record: newRequest(r, route, body, s.world.clock())}
	s.world.mu.RLock()
	c.bot = s.world.botWith(r.Header.Get("Authorization"))
	s.world.mu.RUnlock()
	if c.bot != nil {
		c.record.Bot = c.bot.id
	}
	if s.inspect != nil {
		s.inspect(*c.record)
	}
	s.record.mu.Lock()
	s.record.add(c.record)
	fault := s.faults.strike(c.record)
	s.record.mu.Unlock()
	s.answer(w, c, fault.around(r, s.world.mu.Closed, func() *reply { return s.handle(c, h, err) }))
}

// handle checks who asks and how often, and calls the handler.
func (s *rest) handle(c *call, h handler, bad error) *reply {
	if c.bot == nil && !needsNoToken(c.record.Route) {
		return failure(&apiError{status: http.StatusUnauthorized, message: "401: Unauthorized"}, nil)
	}
	header, limited := s.limiter.limit(c)
	if limited != nil {
		return limited
	}
	if bad != nil {
		return failure(bad, header)
	}
	body, err := s.locked(c, h)
	if err != nil {
		return failure(err, header)
	}
	if _, none := body.(noContent); none {
		return &reply{status: http.StatusNoContent, header: header}
	}
	return &reply{status: http.StatusOK, header: header, body: mustJSON(body)}
}

// locked calls a handler with the world's lock held.
func (s *rest) locked(c *call, h handler) (any, error) {
	if c.request.Method == http.MethodGet && c.record.Route != RouteSearch { // a search may change the index
		s.world.mu.RLock()
		defer s.world.mu.RUnlock()
	} else {
		s.world.mu.Lock()
		defer s.world.mu.Unlock()
	}
	return h(c)
}

// failure returns the reply to a request that failed. An error that is none of Discord's is a
// fault of this server.
func failure(err error, header http.Header) *reply {
	var known *apiError
	if !errors.As(err, &known) {
		known = &apiError{status: http.StatusInternalServerError, message: "500: Internal Server Error"}
	}
	return &reply{status: known.status, header: header, body: known.body()}
}

// answer writes a reply. Nil cuts the connection.
func (s *rest) answer(w http.ResponseWriter, c *call, r *reply) {
	if r == nil {
		s.record.answered(c.record, -1)
		panic(http.ErrAbortHandler) // net/http's way to close without an answer
	}
	s.record.answered(c.record, r.status)
	maps.Copy(w.Header(), r.header)
	if len(r.body) > 0 && w.Header().Get("Content-Type") == "" {
		w.Header().Set("Content-Type", "application/json")
	}
	if w.Header().Get("Date") == "" {
		w.Header().Set("Date", s.world.clock().UTC().Format(http.TimeFormat))
	}
	w.WriteHeader(r.status)
	_, _ = w.Write(r.body)
}
