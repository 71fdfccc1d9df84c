package doctor

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"

	"heddle/bot/gateway"
	"heddle/graph"
	"heddle/internal/discord"
)

// developers is the address at which the owner of a bot configures it.
const developers = "https://discord.com/developers/applications"

// REST reads from Discord; discord.REST is one.
type REST interface {
	Get(ctx context.Context, path string, query url.Values) (json.RawMessage, error)
	BaseURL() string
}

// Gateway asks where the gateway is and whether it can be reached; gateway.Gateway is
// one.
type Gateway interface {
	Offer(ctx context.Context) (gateway.Offer, error)
	Greeted(ctx context.Context, o gateway.Offer) error
}

// Discord checks what heddle needs of Discord.
type Discord struct {
	REST    REST
	Gateway Gateway
	Clock   Clock         // knows Discord's time from REST's responses
	Guild   graph.GuildID // the guild whose channels are checked; zero: the first few guilds
}

// Examine checks the address, the token, the clock, the gateway, the intents and the
// permissions in every channel.
func (d Discord) Examine(ctx context.Context, to *Report) {
	raw, err := d.REST.Get(ctx, "/users/@me", nil)
	var me discord.User
	if err == nil {
		me, err = discord.DecodeUser(raw)
	}
	defer reportClock(d.Clock, to)
	if err != nil {
		d.unreached(err, to)
		return
	}
	to.Fine("address", "Discord answers at %s", d.REST.BaseURL())
	to.Fine("token", "belongs to %s, id %s", printable(me.Name), me.ID)
	d.gateway(ctx, to)
	d.intents(ctx, to)
	d.permissions(ctx, me.ID, to)
}

// unreached adds the finding that the bot's own account could not be read.
func (d Discord) unreached(err error, to *Report) {
	refusal, answered := errors.AsType[*discord.Error](err)
	switch {
	case discord.IsUnauthorized(err):
		to.Fine("address", "Discord answers at %s", d.REST.BaseURL())
		to.Add(Finding{Fault, "token", "Discord refuses it", "copy the token again from the Bot page of " + developers + ", or reset it there, and set DISCORD_TOKEN to it"})
	case answered && refusal.Status >= http.StatusInternalServerError:
		to.Add(Finding{Fault, "address", "Discord fails: " + err.Error(), "see https://discordstatus.com and try again later"})
	case answered && (refusal.Status == http.StatusForbidden || refusal.Status == http.StatusTooManyRequests):
		to.Add(Finding{Fault, "address", "this machine is turned away: " + err.Error(), "wait an hour, as Discord blocks an address that sent too many refused requests, and look at whatever proxy lies between"})
	case answered, !isNetwork(err):
		to.Add(Finding{Fault, "address", "what answers at " + d.REST.BaseURL() + " is not Discord's API", "set DISCORD_API_URL to the base of one, such as " + discord.DefaultBaseURL + ", or unset it"})
	default:
		to.Add(Finding{Fault, "address", "nothing answers at " + d.REST.BaseURL() + ": " + innermost(err).Error(), "check DISCORD_API_URL, the network, DNS and firewalls"})
	}
}

// fewSessions is the number of sessions left for the day below which a warning is
// given. Each restart uses one session per shard, and Discord resets the token of a bot
// that uses too many.
const fewSessions = 50

// gateway checks whether the gateway can be reached, and how many sessions are left.
func (d Discord) gateway(ctx context.Context, to *Report) {
	offer, err := d.Gateway.Offer(ctx)
	if err != nil {
		to.Add(Finding{Fault, "gateway", "its address cannot be had: " + err.Error(), "check DISCORD_API_URL and whatever proxy lies between"})
		return
	}
	if err := d.Gateway.Greeted(ctx, offer); err != nil {
		to.Add(Finding{Fault, "gateway", "does not greet at " + offer.URL + ": " + innermost(err).Error(), "let websockets to it through firewalls and proxies; HTTPS_PROXY names a proxy"})
		return
	}
	shards := plural(max(offer.Shards, 1), "shard")
	switch {
	case !offer.Limited:
		to.Fine("gateway", "greets at %s, %s", offer.URL, shards)
	case offer.Left <= 0:
		to.Add(Finding{Fault, "gateway", "no session can be begun for " + rounded(offer.Reset) + ", as today's are used up", "wait, and find out what restarts heddle so often"})
	case offer.Left < fewSessions:
		to.Add(Finding{Warning, "gateway", "only " + plural(offer.Left, "session") + " can be begun before " + rounded(offer.Reset) + " have passed", "find out what restarts heddle so often: Discord resets the token of a bot that uses them up"})
	default:
		to.Fine("gateway", "greets at %s, %s, %d of %d sessions left today", offer.URL, shards, offer.Left, offer.Total)
	}
}

// intents checks whether the application may read the content of messages.
func (d Discord) intents(ctx context.Context, to *Report) {
	raw, err := d.REST.Get(ctx, "/applications/@me", nil)
	app := discord.DecodeApplication(raw)
	switch {
	case err != nil || !app.ContentKnown:
		to.Fine("intents", "unknown, as this server does not describe applications")
	case !app.Content:
		to.Add(Finding{Fault, "intents", "Message Content is off, so that Discord does not let heddle connect", "switch on \"Message Content Intent\" on the Bot page of " + developers})
	default:
		to.Fine("intents", "Message Content is on")
	}
}
