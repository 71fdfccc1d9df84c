package discordtest

// The routes of the REST API, as they are recorded, limited and struck by faults.
const (
	RouteGateway        = "GET /gateway"
	RouteGatewayBot     = "GET /gateway/bot"
	RouteMe             = "GET /users/@me"
	RouteMyGuilds       = "GET /users/@me/guilds"
	RouteOpenDM         = "POST /users/@me/channels"
	RouteApplication    = "GET /applications/@me"
	RouteApplicationOld = "GET /oauth2/applications/@me"
	RouteGuild          = "GET /guilds/{guild}"
	RouteGuildChannels  = "GET /guilds/{guild}/channels"
	RouteGuildMember    = "GET /guilds/{guild}/members/{user}"
	RouteChannel        = "GET /channels/{channel}"
	RouteMessages       = "GET /channels/{channel}/messages"
	RouteMessage        = "GET /channels/{channel}/messages/{message}"
	RouteCreateMessage  = "POST /channels/{channel}/messages"
	RouteEditMessage    = "PATCH /channels/{channel}/messages/{message}"
	RouteDeleteMessage  = "DELETE /channels/{channel}/messages/{message}"
	RouteTyping         = "POST /channels/{channel}/typing"
	RouteThreadFrom     = "POST /channels/{channel}/messages/{message}/threads"
	RouteAddToThread    = "PUT /channels/{channel}/thread-members/{user}"
	RouteThreadMember   = "GET /channels/{channel}/thread-members/{user}"
	RouteCommands       = "GET /applications/{application}/commands"
	RouteSetCommands    = "PUT /applications/{application}/commands"

	RouteAnswer         = "POST /interactions/{interaction}/{token}/callback"
	RouteFollowUp       = "POST /webhooks/{application}/{token}"
	RouteEditFollowUp   = "PATCH /webhooks/{application}/{token}/messages/{message}"
	RouteDeleteFollowUp = "DELETE /webhooks/{application}/{token}/messages/{message}"
)

// noContent makes an answer a 204 without a body.
type noContent struct{}

// handler answers a call. It runs with the world's lock held: for reading if the
// route is a GET, for writing otherwise.
type handler func(*call) (any, error)

// handlers returns the handler of every route.
func (s *rest) handlers() map[string]handler {
	return map[string]handler{
		RouteGateway:        s.discovery.getGateway,
		RouteGatewayBot:     s.discovery.getGatewayBot,
		RouteMe:             getMe,
		RouteMyGuilds:       getMyGuilds,
		RouteOpenDM:         openDM,
		RouteApplication:    getApplication,
		RouteApplicationOld: getApplication,
		RouteGuild:          getGuild,
		RouteGuildChannels:  getGuildChannels,
		RouteGuildMember:    getGuildMember,
		RouteChannel:        getChannel,
		RouteMessages:       listMessages,
		RouteMessage:        getMessage,
		RouteCreateMessage:  createMessage,
		RouteEditMessage:    editMessage,
		RouteDeleteMessage:  deleteMessage,
		RouteTyping:         postTyping,
		RouteThreadFrom:     threadFromMessage,
		RouteAddToThread:    addToThread,
		RouteThreadMember:   getThreadMember,
		RouteCommands:       listCommands,
		RouteSetCommands:    replaceCommands,

		RouteAnswer:         answerInteraction,
		RouteFollowUp:       followUp,
		RouteEditFollowUp:   editFollowUp,
		RouteDeleteFollowUp: deleteFollowUp,
	}
}
