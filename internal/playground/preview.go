package playground

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"heddle/bot/guilds"
	"heddle/graph"
	"heddle/internal/discord"
	"heddle/internal/discordtest"
	"heddle/internal/terminal"
	"heddle/internal/why"
)

// serveGraph responds with what an answer was made from. For any other message, and for an
// answer of which that is not known, it is what the message or the question would be answered
// from with the settings in the query. What else the query names is set beside it.
func (p *page) serveGraph(w http.ResponseWriter, r *http.Request) {
	channel, id, ok := p.named(w, r)
	if !ok {
		return
	}
	question, ok := p.world.discord.Chat.Message(channel, id)
	if !ok {
		refuse(w, http.StatusNotFound, "that message is gone")
		return
	}
	var b basis
	recorded := false
	if question.Author == p.world.bot.User {
		to := p.world.answered(channel, id)
		b, recorded = p.contexts.of(id, to)
		question, ok = p.world.discord.Chat.Message(channel, to)
	}
	ok = ok && question.Author != p.world.bot.User
	if !ok && !recorded {
		refuse(w, http.StatusNotFound, "what this answer was made from is no longer known")
		return
	}
	bot := p.preview
	settings := bot.Settings
	var beside []why.Beside
	if ok {
		if err := set(&bot.Expand, r.URL.Query()); err != nil {
			refuse(w, http.StatusBadRequest, err.Error())
			return
		}
		chosen, err := p.place(channel).Preview(r.Context(), p.received(question), bot, r.URL.Query()["beside"])
		if wrong, input := errors.AsType[*terminal.InputError](err); input {
			refuse(w, http.StatusBadRequest, wrong.Error())
			return
		}
		if err != nil {
			refuse(w, http.StatusInternalServerError, "what this message would be answered from could not be read")
			return
		}
		if beside = chosen.Beside; !recorded {
			b = basis{chosen.Graph, chosen.Built, chosen.Request().Tail}
		}
	}
	made := why.Of(r.Context(), b.graph, &b.built, b.tail, settings)
	made.Path.Recorded, made.Beside = recorded, append(made.Beside, beside...)
	respond(w, http.StatusOK, made)
}

// place returns the place from which a preview of a channel is read.
func (p *page) place(id graph.ChannelID) why.Place {
	c, _ := p.world.channel(id)
	place := why.Place{
		Guild: p.world.home, Channel: id, Parent: c.Parent, Named: guilds.Named{Guild: p.world.guild, Channel: c.Name},
		Self: discord.User{ID: p.world.bot.User, Name: botName, Bot: true},
		Near: func(channel graph.ChannelID, message graph.MessageID, older, newer int) (messages []discord.Message) {
			if _, known := p.world.discord.Chat.Message(channel, message); !known {
				return nil
			}
			near, _, _ := p.world.discord.Chat.Near(channel, message, older, newer)
			for _, m := range near {
				messages = append(messages, p.received(m))
			}
			return messages
		},
	}
	if c.Only != 0 {
		place.Guild = 0
	}
	if server, err := url.Parse(p.world.discord.URL()); err == nil {
		place.Files = []string{server.Host}
	}
	if above, in := p.world.channel(c.Parent); in {
		place.Named.Channel = above.Name
	}
	return place
}

// received returns a message as the bot receives it.
func (p *page) received(m discordtest.Message) discord.Message {
	received, err := discord.Decode[discord.Message](p.world.discord.Chat.Sent(m))
	if err != nil {
		return discord.Message{ID: m.ID, Channel: m.Channel, Type: -1} // the server writes none such
	}
	return received
}

// set replaces settings by those in a query.
func set(o *graph.Options, query url.Values) error {
	err := errors.Join(number(query, "MIN_LINEAR", 0, 100, &o.MinLinear), number(query, "MAX_TOTAL", 1, 1000, &o.MaxTotal))
	switch text := query.Get("TIME_THRESHOLD"); text {
	case "":
	case "auto":
		o.TimeThreshold = graph.AutoThreshold
	default:
		span, wrong := time.ParseDuration(text)
		if o.TimeThreshold = span; wrong != nil || span <= 0 {
			err = errors.Join(err, refusedError("TIME_THRESHOLD has to be auto or a time like 10m"))
		}
	}
	switch query.Get("AFFINITY") {
	case "", "on":
	case "off":
		o.Affinity = nil
	default:
		err = errors.Join(err, refusedError("AFFINITY has to be on or off"))
	}
	return err
}

// number reads a whole number. If the query does not have it, into keeps its value.
func number(query url.Values, name string, least, most int, into *int) error {
	text := query.Get(name)
	if text == "" {
		return nil
	}
	n, err := strconv.Atoi(text)
	if *into = n; err != nil || n < least || n > most {
		return refusedError(fmt.Sprintf("%s has to be a whole number from %d to %d", name, least, most))
	}
	return nil
}
