package discordtest

import (
	"errors"
	"maps"
	"net/http"
	"strings"
	"time"

	"heddle/graph"
)

// The routes of the REST API, as they are recorded, limited and matched by faults.
const (
	RouteGateway        = "GET /gateway"
	RouteGatewayBot     = "GET /gateway/bot"
	RouteMe             = "GET /users/@me"
	RouteMyGuilds       = "GET /users/@me/guilds"
	RouteOpenDM         = "POST /users/@me/channels"
	RouteUser           = "GET /users/{user}"
	RouteApplication    = "GET /applications/@me"
	RouteApplicationOld = "GET /oauth2/applications/@me"
	RouteGuild          = "GET /guilds/{guild}"
	RouteGuildChannels  = "GET /guilds/{guild}/channels"
	RouteGuildRoles     = "GET /guilds/{guild}/roles"
	RouteGuildMember    = "GET /guilds/{guild}/members/{user}"
	RouteActiveThreads  = "GET /guilds/{guild}/threads/active"
	RouteChannel        = "GET /channels/{channel}"
	RouteEditChannel    = "PATCH /channels/{channel}"
	RouteDeleteChannel  = "DELETE /channels/{channel}"
	RouteMessages       = "GET /channels/{channel}/messages"
	RouteMessage        = "GET /channels/{channel}/messages/{message}"
	RouteCreateMessage  = "POST /channels/{channel}/messages"
	RouteEditMessage    = "PATCH /channels/{channel}/messages/{message}"
	RouteDeleteMessage  = "DELETE /channels/{channel}/messages/{message}"
	RouteBulkDelete     = "POST /channels/{channel}/messages/bulk-delete"
	RouteTyping         = "POST /channels/{channel}/typing"
	RouteThreadFrom     = "POST /channels/{channel}/messages/{message}/threads"
	RouteThread         = "POST /channels/{channel}/threads"
	RouteJoinThread     = "PUT /channels/{channel}/thread-members/@me"
	RouteReact          = "PUT /channels/{channel}/messages/{message}/reactions/{emoji}/@me"
	RouteUnreact        = "DELETE /channels/{channel}/messages/{message}/reactions/{emoji}/@me"
	RouteUnreactFor     = "DELETE /channels/{channel}/messages/{message}/reactions/{emoji}/{user}"
	RouteReactions      = "GET /channels/{channel}/messages/{message}/reactions/{emoji}"
	RouteClearReactions = "DELETE /channels/{channel}/messages/{message}/reactions"
	RouteClearReaction  = "DELETE /channels/{channel}/messages/{message}/reactions/{emoji}"
	RouteRefreshURLs    = "POST /attachments/refresh-urls"

	RouteAnswer          = "POST /interactions/{interaction}/{token}/callback"
	RouteFollowUp        = "POST /webhooks/{application}/{token}"
	RouteFollowUpMessage = "GET /webhooks/{application}/{token}/messages/{message}"
	RouteEditFollowUp    = "PATCH /webhooks/{application}/{token}/messages/{message}"
	RouteDeleteFollowUp  = "DELETE /webhooks/{application}/{token}/messages/{message}"
)

// noContent is what a handler returns for a 204.
type noContent struct{}

// reply is an answer on its way out.
type reply struct {
	status int
	header http.Header
	body   []byte
}

// call is one REST request on its way through a handler.
type call struct {
	request *http.Request
	record  *Request
	bot     *bot // may be nil for open routes
	body    *requestBody
}

type handler func(*call) (any, error)

func (s *Server) handlers() map[string]handler {
	return map[string]handler{
		RouteGateway:        s.getGateway,
		RouteGatewayBot:     s.getGatewayBot,
		RouteMe:             s.getMe,
		RouteMyGuilds:       s.getMyGuilds,
		RouteOpenDM:         s.openDM,
		RouteUser:           s.getUser,
		RouteApplication:    s.getApplication,
		RouteApplicationOld: s.getApplication,
		RouteGuild:          s.getGuild,
		RouteGuildChannels:  s.getGuildChannels,
		RouteGuildRoles:     s.getGuildRoles,
		RouteGuildMember:    s.getGuildMember,
		RouteActiveThreads:  s.getActiveThreads,
		RouteChannel:        s.getChannel,
		RouteEditChannel:    s.editChannel,
		RouteDeleteChannel:  s.deleteChannel,
		RouteMessages:       s.listMessages,
		RouteMessage:        s.getMessage,
		RouteCreateMessage:  s.createMessage,
		RouteEditMessage:    s.editMessage,
		RouteDeleteMessage:  s.deleteMessage,
		RouteBulkDelete:     s.bulkDelete,
		RouteTyping:         s.postTyping,
		RouteThreadFrom:     s.threadFromMessage,
		RouteThread:         s.threadWithoutMessage,
		RouteJoinThread:     s.joinThread,
		RouteReact:          s.react,
		RouteUnreact:        s.unreact,
		RouteUnreactFor:     s.unreact,
		RouteReactions:      s.listReactions,
		RouteClearReactions: s.clearReactions,
		RouteClearReaction:  s.clearReactions,
		RouteRefreshURLs:    s.refreshURLs,

		RouteAnswer:          s.answerInteraction,
		RouteFollowUp:        s.followUp,
		RouteFollowUpMessage: s.getFollowUp,
		RouteEditFollowUp:    s.editFollowUp,
		RouteDeleteFollowUp:  s.deleteFollowUp,
	}
}

func (s *Server) addRoutes() {
	s.mux.HandleFunc("/gateway", s.serveGateway)
	s.mux.HandleFunc("/gateway/", s.serveGateway)
	s.mux.HandleFunc("GET "+cdnPrefix+"/", s.serveFile)
	api := http.NewServeMux()
	for route, h := range s.handlers() {
		api.HandleFunc(route, func(w http.ResponseWriter, r *http.Request) { s.serveRoute(w, r, route, h) })
	}
	api.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		s.serveRoute(w, r, r.Method+" unknown", func(*call) (any, error) { return nil, errNotFound() })
	})
	s.mux.HandleFunc("/api/", func(w http.ResponseWriter, r *http.Request) {
		path := strings.TrimPrefix(r.URL.Path, "/api")
		for _, version := range []string{"/v9", "/v10"} {
			if rest, ok := strings.CutPrefix(path, version+"/"); ok {
				path = "/" + rest
				break
			}
		}
		inner := r.Clone(r.Context())
		inner.URL.Path, inner.URL.RawPath = path, ""
		api.ServeHTTP(w, inner)
	})
}

// serveRoute takes one request through record, faults, limits and handler.
func (s *Server) serveRoute(w http.ResponseWriter, r *http.Request, route string, h handler) {
	body, err := readBody(r)
	c := &call{request: r, body: body, record: newRequest(r, route, body, s.clock())}
	s.mu.Lock()
	c.bot = s.world.bots[strings.TrimPrefix(r.Header.Get("Authorization"), "Bot ")]
	if c.bot != nil {
		c.record.Bot = c.bot.id
	}
	s.recordLocked(c.record)
	fault := s.faultLocked(c.record)
	s.mu.Unlock()
	if fault == nil {
		s.answer(w, c, s.handle(c, h, err))
		return
	}
	s.answerFault(w, c, fault, func() *reply { return s.handle(c, h, err) })
}

// handle checks who asks and how often, and lets the handler answer.
func (s *Server) handle(c *call, h handler, bad error) *reply {
	if c.bot == nil && !open(c.record.Route) {
		return s.failure(errUnauthorized(), nil)
	}
	header, limited := s.limit(c)
	if limited != nil {
		return limited
	}
	if bad != nil {
		return s.failure(bad, header)
	}
	body, err := h(c)
	if err != nil {
		return s.failure(err, header)
	}
	if _, none := body.(noContent); none {
		return &reply{status: http.StatusNoContent, header: header}
	}
	return &reply{status: http.StatusOK, header: header, body: mustJSON(body)}
}

func (s *Server) failure(err error, header http.Header) *reply {
	var known *apiError
	if !errors.As(err, &known) {
		known = &apiError{status: http.StatusInternalServerError, message: "500: Internal Server Error"}
	}
	return &reply{status: known.status, header: header, body: known.body()}
}

// answer writes a reply and marks the request as answered.
func (s *Server) answer(w http.ResponseWriter, c *call, r *reply) {
	s.answered(c.record, r.status)
	maps.Copy(w.Header(), r.header)
	if len(r.body) > 0 && w.Header().Get("Content-Type") == "" {
		w.Header().Set("Content-Type", "application/json")
	}
	w.WriteHeader(r.status)
	_, _ = w.Write(r.body) //nolint:gosec // JSON, or what a test injected
}

// wait blocks for a while or until the request or the server is gone.
func (s *Server) wait(r *http.Request, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-r.Context().Done():
	case <-s.done:
	}
}

// id is the id that a request's path names; zero if it names none.
func (c *call) id(name string) uint64 { return idOf(c.request.PathValue(name)) }

// channelLocked is the channel that a request names, if the bot may see it.
func (s *Server) channelLocked(c *call) (*channel, Permission, error) {
	ch := s.world.channels[graph.ChannelID(c.id("channel"))]
	if ch == nil {
		return nil, 0, errUnknownChannel()
	}
	p := ch.permissions(c.bot.id)
	if p&ViewChannel == 0 {
		return nil, 0, errMissingAccess()
	}
	return ch, p, nil
}
