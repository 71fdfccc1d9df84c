package cli

import (
	"context"
	"errors"
	"fmt"
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
	connect := gateway.Config{Token: c.DiscordToken.Reveal(), REST: rest}
	me, err := discord.Read[discord.User](ctx, rest, "/users/@me")
	if err != nil {
		return unreached(err, rest.BaseURL())
	}
	raw, err := rest.Get(ctx, "/users/@me/guilds", url.Values{"limit": {"200"}, "with_counts": {"true"}})
	all := discord.DecodeGuilds(raw)
	offer, greeted := examineGateway(ctx, gateway.New(connect))
	found := []finding{
		inOrder("address", "Discord answers at %s", rest.BaseURL()), inOrder("token", "belongs to %s, id %s", printable(me.Name), me.ID),
		greeted, examineIntents(ctx, rest, all),
	}
	if err != nil {
		return append(found, finding{warning, "permissions", "heddle's servers cannot be listed: " + err.Error(), "try again later"})
	}
	looked, chosen := chosenGuilds(all, only)
	var hidden map[graph.GuildID]int
	if greeted.level == fine && len(looked) > 0 {
		hidden = hiddenChannels(ctx, connect, offer, looked)
	}
	for _, guild := range looked {
		found = append(found, examineGuild(ctx, rest, guild, me.ID, hidden[guild.ID])...)
	}
	return append(found, chosen...)
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

// examineGateway checks whether the gateway can be reached. It returns what the gateway offers.
func examineGateway(ctx context.Context, connection *gateway.Gateway) (discord.Offer, finding) {
	offer, err := connection.Offer(ctx)
	if err != nil {
		return offer, finding{fault, "gateway", "its address cannot be had: " + err.Error(), "check DISCORD_API_URL and whatever proxy lies between"}
	}
	if err := connection.Greeted(ctx, offer); err != nil {
		return offer, finding{fault, "gateway", "does not greet at " + offer.URL + ": " + innermost(err).Error(), "let websockets to it through firewalls and proxies; HTTPS_PROXY names a proxy"}
	}
	return offer, inOrder("gateway", "greets at %s, %s", offer.URL, terminal.Count(max(offer.Shards, 1), "shard"))
}

// reviewed is the number of people from which on Discord reviews the Message Content intent, since
// 2026-06-10.
const reviewed = 10_000

// examineIntents checks whether the application may read the content of messages. It counts people
// once for each server that they share with heddle, as Discord tells no other number.
func examineIntents(ctx context.Context, rest *discord.REST, guilds []discord.Guild) finding {
	raw, err := rest.Get(ctx, "/applications/@me", url.Values{})
	app := discord.DecodeApplication(raw)
	people := 0
	for i := range guilds {
		people += guilds[i].People
	}
	switch {
	case err != nil || !app.ContentKnown:
		return inOrder("intents", "unknown, as this server does not describe applications")
	case !app.Content:
		return finding{fault, "intents", "Message Content is off, so that Discord does not let heddle connect", "switch on \"Message Content Intent\" on the Bot page of " + developers}
	case people >= reviewed && !app.Approved:
		return finding{
			warning, "intents", fmt.Sprintf("Message Content is on, and heddle's servers have %d members; from 10,000 people who can see the bot on, Discord reviews the intent, and again every year", people),
			"apply on the Bot page of " + developers + " within 90 days of Discord's notice, or heddle stops reading messages",
		}
	default:
		return inOrder("intents", "Message Content is on; from 10,000 people who can see the bot on, Discord reviews it every year")
	}
}
