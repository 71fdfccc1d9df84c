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
	RouteSearch         = "GET /guilds/{guild}/messages/search"
	RouteMyMember       = "PATCH /guilds/{guild}/members/@me"
	RouteMyNick         = "PATCH /guilds/{guild}/members/@me/nick" // deprecated, and what discord.py asks
	RouteChannel        = "GET /channels/{channel}"
	RouteMessages       = "GET /channels/{channel}/messages"
	RouteMessage        = "GET /channels/{channel}/messages/{message}"
	RouteCreateMessage  = "POST /channels/{channel}/messages"
	RouteEditMessage    = "PATCH /channels/{channel}/messages/{message}"
	RouteDeleteMessage  = "DELETE /channels/{channel}/messages/{message}"
	RoutePollVoters     = "GET /channels/{channel}/polls/{message}/answers/{answer}"
	RouteEndPoll        = "POST /channels/{channel}/polls/{message}/expire"
	RouteReact          = "PUT /channels/{channel}/messages/{message}/reactions/{emoji}/@me"
	RouteUnreact        = "DELETE /channels/{channel}/messages/{message}/reactions/{emoji}/@me"
	RouteTyping         = "POST /channels/{channel}/typing"
	RouteCrosspost      = "POST /channels/{channel}/messages/{message}/crosspost"
	RouteStartThread    = "POST /channels/{channel}/threads"
	RouteEditChannel    = "PATCH /channels/{channel}"
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

// handlers returns the handler of every route.
func (s *rest) handlers() map[string]handler {
	return map[string]handler{
		RouteGateway:        s.gateway.getURL,
		RouteGatewayBot:     s.gateway.getURLForBots,
		RouteMe:             getMe,
		RouteMyGuilds:       getMyGuilds,
		RouteOpenDM:         reading(openDM),
		RouteApplication:    getApplication,
		RouteApplicationOld: getApplication,
		RouteGuild:          inGuild(getGuild),
		RouteGuildChannels:  inGuild(getGuildChannels),
		RouteGuildMember:    inGuild(getGuildMember),
		RouteSearch:         inGuild(searchMessages),
		RouteMyMember:       inGuild(editMyMember),
		RouteMyNick:         inGuild(editMyMember),
		RouteChannel:        inChannel(getChannel),
		RouteMessages:       inChannel(listMessages),
		RouteMessage:        getMessage,
		RouteCreateMessage:  reading(createMessage),
		RouteEditMessage:    reading(editMessage),
		RouteDeleteMessage:  deleteMessage,
		RoutePollVoters:     listVoters,
		RouteEndPoll:        expirePoll,
		RouteReact:          putReaction,
		RouteUnreact:        deleteReaction,
		RouteTyping:         inChannel(postTyping),
		RouteCrosspost:      crosspost,
		RouteStartThread:    reading(startPost),
		RouteEditChannel:    reading(editThread),
		RouteThreadFrom:     reading(threadFromMessage),
		RouteAddToThread:    inChannel(addToThread),
		RouteThreadMember:   inChannel(getThreadMember),
		RouteCommands:       listCommands,
		RouteSetCommands:    reading(replaceCommands),

		RouteAnswer:         reading(answerInteraction),
		RouteFollowUp:       reading(followUp),
		RouteEditFollowUp:   reading(editFollowUp),
		RouteDeleteFollowUp: deleteFollowUp,
	}
}
