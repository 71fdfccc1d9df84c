package discordtest

// The routes of the REST API, as they are recorded, limited and struck by faults.
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
	RouteAddToThread    = "PUT /channels/{channel}/thread-members/{user}"
	RouteThreadMember   = "GET /channels/{channel}/thread-members/{user}"
	RouteArchived       = "GET /channels/{channel}/threads/archived/public"
	RouteArchivedHidden = "GET /channels/{channel}/threads/archived/private"
	RouteArchivedJoined = "GET /channels/{channel}/users/@me/threads/archived/private"
	RouteReact          = "PUT /channels/{channel}/messages/{message}/reactions/{emoji}/@me"
	RouteUnreact        = "DELETE /channels/{channel}/messages/{message}/reactions/{emoji}/@me"
	RouteUnreactFor     = "DELETE /channels/{channel}/messages/{message}/reactions/{emoji}/{user}"
	RouteReactions      = "GET /channels/{channel}/messages/{message}/reactions/{emoji}"
	RouteClearReactions = "DELETE /channels/{channel}/messages/{message}/reactions"
	RouteClearReaction  = "DELETE /channels/{channel}/messages/{message}/reactions/{emoji}"
	RouteRefreshURLs    = "POST /attachments/refresh-urls"
	RouteCommands       = "GET /applications/{application}/commands"
	RouteSetCommands    = "PUT /applications/{application}/commands"

	RouteAnswer          = "POST /interactions/{interaction}/{token}/callback"
	RouteFollowUp        = "POST /webhooks/{application}/{token}"
	RouteFollowUpMessage = "GET /webhooks/{application}/{token}/messages/{message}"
	RouteEditFollowUp    = "PATCH /webhooks/{application}/{token}/messages/{message}"
	RouteDeleteFollowUp  = "DELETE /webhooks/{application}/{token}/messages/{message}"
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
		RouteUser:           getUser,
		RouteApplication:    getApplication,
		RouteApplicationOld: getApplication,
		RouteGuild:          getGuild,
		RouteGuildChannels:  getGuildChannels,
		RouteGuildRoles:     getGuildRoles,
		RouteGuildMember:    getGuildMember,
		RouteActiveThreads:  getActiveThreads,
		RouteChannel:        getChannel,
		RouteEditChannel:    editChannel,
		RouteDeleteChannel:  deleteChannel,
		RouteMessages:       listMessages,
		RouteMessage:        getMessage,
		RouteCreateMessage:  createMessage,
		RouteEditMessage:    editMessage,
		RouteDeleteMessage:  deleteMessage,
		RouteBulkDelete:     bulkDelete,
		RouteTyping:         postTyping,
		RouteThreadFrom:     threadFromMessage,
		RouteThread:         threadWithoutMessage,
		RouteJoinThread:     joinThread,
		RouteAddToThread:    addToThread,
		RouteThreadMember:   getThreadMember,
		RouteArchived:       getArchivedThreads(PublicThread),
		RouteArchivedHidden: getArchivedThreads(PrivateThread),
		RouteArchivedJoined: getJoinedThreads,
		RouteReact:          react,
		RouteUnreact:        unreact,
		RouteUnreactFor:     unreact,
		RouteReactions:      listReactions,
		RouteClearReactions: clearReactions,
		RouteClearReaction:  clearReactions,
		RouteRefreshURLs:    refreshURLs,
		RouteCommands:       listCommands,
		RouteSetCommands:    replaceCommands,

		RouteAnswer:          answerInteraction,
		RouteFollowUp:        followUp,
		RouteFollowUpMessage: getFollowUp,
		RouteEditFollowUp:    editFollowUp,
		RouteDeleteFollowUp:  deleteFollowUp,
	}
}
