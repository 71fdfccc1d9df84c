package playground

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	"heddle/graph"
	"heddle/graph/path"
	"heddle/internal/discord"
	"heddle/internal/discordtest"
	"heddle/internal/drawing"
	"heddle/internal/explain"
)

// Preview is the default settings for previews of contexts.
type Preview struct {
	Expand graph.Options
	Shape  path.Shape
}

// lens shows from which messages answers were made, and from which any other message
// would be answered.
type lens struct {
	world    *world
	contexts *contexts
	preview  Preview
}

// serveGraph responds with a drawing of what an answer was made from. For any other
// message, it draws what the message would be answered from with the settings in the
// query.
func (l *lens) serveGraph(w http.ResponseWriter, r *http.Request) {
	channel, id, ok := l.world.named(w, r)
	if !ok {
		return
	}
	m, ok := l.world.discord.Chat.Message(channel, id)
	if !ok {
		refuse(w, http.StatusNotFound, "that message is gone")
		return
	}
	if m.Author == l.world.bot.User {
		b, known := l.contexts.of(id, l.world.answered(channel, id))
		if !known {
			refuse(w, http.StatusNotFound, "what this answer was made from is no longer known")
			return
		}
		view := drawing.Of(b.graph, &b.built, b.tail, l.preview.drawn())
		view.Path.Recorded = true
		view.Alternatives = l.alternatives(r.Context(), channel, b.trigger, b.generation)
		answer(w, http.StatusOK, view)
		return
	}
	settings, err := l.preview.with(r.URL.Query())
	if err != nil {
		refuse(w, http.StatusBadRequest, err.Error())
		return
	}
	previewed, err := explain.Preview(r.Context(), l.place(channel), l.received(m), settings.Expand, r.URL.Query()["beside"])
	if wrong, input := errors.AsType[explain.InputError](err); input {
		refuse(w, http.StatusBadRequest, wrong.Problem)
		return
	}
	if err != nil {
		refuse(w, http.StatusInternalServerError, "what this message would be answered from could not be read")
		return
	}
	built := path.Build(previewed.Graph, settings.Shape)
	view := drawing.Of(previewed.Graph, &built, "", l.preview.drawn())
	view.Beside = besides(&previewed)
	view.Alternatives = l.alternatives(r.Context(), channel, id, latest)
	answer(w, http.StatusOK, view)
}

// drawn returns the settings for drawings.
func (v Preview) drawn() drawing.Settings {
	return drawing.Settings{Expand: v.Expand, Count: v.Shape.Count, Budget: v.Shape.Budget}
}

// place returns the place from which a preview of a channel is read.
func (l *lens) place(id graph.ChannelID) explain.Place {
	c, _ := l.world.channel(id)
	return explain.Place{
		Channel: id, Parent: c.Parent, Self: l.world.bot.User,
		Near: func(channel graph.ChannelID, message graph.MessageID, older, newer int) ([]discord.Message, bool, bool) {
			near, start, end := l.world.discord.Chat.Near(channel, message, older, newer)
			messages := make([]discord.Message, len(near))
			for i, m := range near {
				messages[i] = l.received(m)
			}
			return messages, start, end
		},
	}
}

// received returns a message as the bot receives it.
func (l *lens) received(m discordtest.Message) discord.Message {
	received, err := discord.DecodeMessage(l.world.discord.Chat.Sent(m))
	if err != nil {
		return discord.Message{ID: m.ID, Channel: m.Channel, Type: -1} // the server writes none such
	}
	return received
}

// with returns the settings, overridden by those in a query.
func (v Preview) with(query url.Values) (Preview, error) {
	s := sliders{query: query}
	s.number("MIN_LINEAR", 0, 100, &v.Expand.MinLinear)
	s.number("MAX_TOTAL", 1, 1000, &v.Expand.MaxTotal)
	s.number("RETAIN_BASE_CHARS", 0, 1_000_000, &v.Shape.Retention.Base)
	s.number("RETAIN_RECENT", 0, 1000, &v.Shape.Retention.Recent)
	s.share("RETAIN_ALWAYS", &v.Shape.Retention.Always)
	s.share("RETAIN_SPACED", &v.Shape.Retention.Spaced)
	s.span("TIME_THRESHOLD", &v.Expand.TimeThreshold)
	switch query.Get("AFFINITY") {
	case "", "on":
	case "off":
		v.Expand.Affinity = nil
	default:
		s.refuse("AFFINITY", "on or off")
	}
	return v, s.err
}

// sliders reads settings from a query, and remembers the first invalid one.
type sliders struct {
	query url.Values
	err   error
}

// refuse records that a slider has a value that is not allowed.
func (s *sliders) refuse(name, allowed string) {
	if s.err == nil {
		s.err = refusedError(fmt.Sprintf("%s has to be %s", name, allowed))
	}
}

// number reads a whole number. If the query does not have the slider, into keeps its value.
func (s *sliders) number(name string, least, most int, into *int) {
	text := s.query.Get(name)
	if text == "" {
		return
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < least || n > most {
		s.refuse(name, fmt.Sprintf("a whole number from %d to %d", least, most))
		return
	}
	*into = n
}

// share reads a share from 0 to 1, as number reads a number.
func (s *sliders) share(name string, into *float64) {
	text := s.query.Get(name)
	if text == "" {
		return
	}
	share, err := strconv.ParseFloat(text, 64)
	if err != nil || !(share >= 0 && share <= 1) {
		s.refuse(name, "a number from 0 to 1")
		return
	}
	*into = share
}

// span reads a duration, as number reads a number.
func (s *sliders) span(name string, into *time.Duration) {
	switch text := s.query.Get(name); text {
	case "":
	case "auto":
		*into = graph.AutoThreshold
	default:
		span, err := time.ParseDuration(text)
		if err != nil || span <= 0 {
			s.refuse(name, "auto or a time like 10m")
			return
		}
		*into = span
	}
}

// settingsView is the settings in effect, which are the initial positions of the page's
// sliders.
type settingsView struct {
	MinLinear     int     `json:"MIN_LINEAR"`
	MaxTotal      int     `json:"MAX_TOTAL"`
	TimeThreshold string  `json:"TIME_THRESHOLD"`
	Affinity      string  `json:"AFFINITY"`
	RetainBase    int     `json:"RETAIN_BASE_CHARS"`
	RetainRecent  int     `json:"RETAIN_RECENT"`
	RetainAlways  float64 `json:"RETAIN_ALWAYS"`
	RetainSpaced  float64 `json:"RETAIN_SPACED"`
}

func (v Preview) view() settingsView {
	s := settingsView{
		MinLinear: v.Expand.MinLinear, MaxTotal: v.Expand.MaxTotal, TimeThreshold: "auto", Affinity: "off",
		RetainBase: v.Shape.Retention.Base, RetainRecent: v.Shape.Retention.Recent, RetainAlways: v.Shape.Retention.Always, RetainSpaced: v.Shape.Retention.Spaced,
	}
	if v.Expand.TimeThreshold != graph.AutoThreshold {
		s.TimeThreshold = v.Expand.TimeThreshold.String()
	}
	if v.Expand.Affinity != nil {
		s.Affinity = "on"
	}
	return s
}

// besides returns what heddle takes, and what simpler strategies would take.
func besides(previewed *explain.Previewed) []drawing.Beside {
	all := make([]drawing.Beside, len(previewed.Beside))
	for i, b := range previewed.Beside {
		all[i] = drawing.Beside{Strategy: b.Strategy, Messages: ids(b.Messages), Characters: b.Characters}
	}
	return all
}

func ids(messages []graph.Message) []graph.MessageID {
	list := make([]graph.MessageID, len(messages))
	for i := range messages {
		list[i] = messages[i].ID
	}
	slices.Sort(list)
	return list
}
