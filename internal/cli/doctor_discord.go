package cli

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/url"

	"heddle/bot/gateway"
	"heddle/config"
	"heddle/graph"
	"heddle/internal/discord"
	"heddle/internal/terminal"
)

// developers is the address at which the owner of a bot configures it.
const developers = "https://discord.com/developers/applications"

// examineDiscord checks the address, the token, the gateway, the intents, and the
// permissions in every channel of a guild or, without one, of the first few guilds. It
// finds nothing if the settings to reach Discord are missing, as their faults say so.
func examineDiscord(ctx context.Context, c *config.Config, only graph.GuildID) []finding {
	if c.DiscordToken == "" || c.DiscordAPIURL == "" {
		return nil
	}
	rest := discord.NewREST(discord.RESTConfig{BaseURL: string(c.DiscordAPIURL), Token: c.DiscordToken.Reveal()})
	connection := gateway.New(gateway.Config{Token: c.DiscordToken.Reveal(), REST: rest})
	me, err := discord.Read[discord.User](ctx, rest, "/users/@me")
	if err != nil {
		return unreached(err, rest.BaseURL())
	}
	found := []finding{
		inOrder("address", "Discord answers at %s", rest.BaseURL()), inOrder("token", "belongs to %s, id %s", printable(me.Name), me.ID),
		examineGateway(ctx, connection), examineIntents(ctx, rest),
	}
	return append(found, examinePermissions(ctx, rest, me.ID, only)...)
}

// unreached returns the findings if the bot's own account could not be read.
func unreached(err error, base string) []finding {
	refusal, answered := errors.AsType[*discord.Error](err)
	_, network := errors.AsType[net.Error](err) // a *url.Error, too
	switch {
	case discord.IsUnauthorized(err):
		return []finding{
			inOrder("address", "Discord answers at %s", base),
			{fault, "token", "Discord refuses it", "copy the token again from the Bot page of " + developers + ", or reset it there, and set DISCORD_TOKEN to it"},
		}
	case answered && refusal.Status >= http.StatusInternalServerError:
		return []finding{{fault, "address", "Discord fails: " + err.Error(), "see https://discordstatus.com and try again later"}}
	case answered && (refusal.Status == http.StatusForbidden || refusal.Status == http.StatusTooManyRequests):
		return []finding{{fault, "address", "this machine is turned away: " + err.Error(), "wait an hour, as Discord blocks an address that sent too many refused requests, and look at whatever proxy lies between"}}
	case answered, !network:
		return []finding{{fault, "address", "what answers at " + base + " is not Discord's API", "set DISCORD_API_URL to the base of one, such as " + discord.DefaultBaseURL + ", or unset it"}}
	default:
		return []finding{{fault, "address", "nothing answers at " + base + ": " + innermost(err).Error(), "check DISCORD_API_URL, the network, DNS and firewalls"}}
	}
}

// examineGateway checks whether the gateway can be reached.
func examineGateway(ctx context.Context, connection *gateway.Gateway) finding {
	offer, err := connection.Offer(ctx)
	if err != nil {
		return finding{fault, "gateway", "its address cannot be had: " + err.Error(), "check DISCORD_API_URL and whatever proxy lies between"}
	}
	if err := connection.Greeted(ctx, offer); err != nil {
		return finding{fault, "gateway", "does not greet at " + offer.URL + ": " + innermost(err).Error(), "let websockets to it through firewalls and proxies; HTTPS_PROXY names a proxy"}
	}
	return inOrder("gateway", "greets at %s, %s", offer.URL, terminal.Count(max(offer.Shards, 1), "shard"))
}

// examineIntents checks whether the application may read the content of messages.
func examineIntents(ctx context.Context, rest *discord.REST) finding {
	raw, err := rest.Get(ctx, "/applications/@me", url.Values{})
	app := discord.DecodeApplication(raw)
	switch {
	case err != nil || !app.ContentKnown:
		return inOrder("intents", "unknown, as this server does not describe applications")
	case !app.Content:
		return finding{fault, "intents", "Message Content is off, so that Discord does not let heddle connect", "switch on \"Message Content Intent\" on the Bot page of " + developers}
	default:
		return inOrder("intents", "Message Content is on")
	}
}
