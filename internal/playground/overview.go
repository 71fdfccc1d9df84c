package playground

import (
	"cmp"
	"math"
	"net/http"
	"slices"
	"strings"
	"time"

	"heddle/graph"
	"heddle/internal/discordtest"
)

// overview is what a channel of an export holds: the card on which it opens.
type overview struct {
	Messages int       `json:"messages"`
	First    time.Time `json:"first"`
	Last     time.Time `json:"last"`
	People   []person  `json:"people"`  // who wrote in it, the one who wrote most first; no bots
	Moments  []moment  `json:"moments"` // oldest first
}

// moment is a message before which talks crossed.
type moment struct {
	Message messageView `json:"message"`
	People  int         `json:"people"`  // who wrote shortly before it
	Crossed int         `json:"crossed"` // how often their replies cross
}

const (
	// mostMoments is the number of moments in an overview.
	mostMoments = 5
	// shortly is the number of messages that lead to a moment.
	shortly = 30
	// between is the least number of messages from one moment to the next.
	between = 15
	// leastSaid is the number of bytes of the shortest message that is shown as a moment.
	leastSaid = 20
	// mostFound is the number of messages that a search shows.
	mostFound = 50
)

// everything returns all messages of a channel, oldest first.
func (e exports) everything(id graph.ChannelID) []discordtest.Message {
	all, _, _ := e.page.world.discord.Chat.Near(id, newestID, math.MaxInt, 0)
	return all
}

// serveOverview responds with the overview of a channel.
func (e exports) serveOverview(w http.ResponseWriter, r *http.Request) {
	id, ok := e.page.channelNamed(w, r)
	if !ok {
		return
	}
	all := e.everything(id)
	o := overview{Messages: len(all), People: e.writers(all), Moments: e.moments(all)}
	if len(all) > 0 {
		o.First, o.Last = all[0].ID.Time(), all[len(all)-1].ID.Time()
	}
	respond(w, http.StatusOK, o)
}

// writers returns who wrote messages, the one who wrote most first, without bots.
func (e exports) writers(all []discordtest.Message) []person {
	wrote, people := map[graph.UserID]int{}, []person{}
	for i := range all {
		m := &all[i]
		if wrote[m.Author]++; wrote[m.Author] > 1 {
			continue
		}
		if by := e.page.received(*m).Author; !by.Bot {
			people = append(people, person{m.Author, e.page.world.name(m.Author)})
		}
	}
	slices.SortStableFunc(people, func(a, b person) int { return cmp.Compare(wrote[b.ID], wrote[a.ID]) })
	return people
}

// moments returns the messages before which the replies of many people crossed most. Where
// nobody replies, it returns those before which the most people wrote.
func (e exports) moments(all []discordtest.Message) []moment {
	crossed, people := crossings(all), company(all)
	order := make([]int, len(all))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(crossed[b]*people[b], crossed[a]*people[a]), cmp.Compare(people[b], people[a]))
	})
	var chosen []int
	for _, at := range order {
		m := &all[at]
		near := slices.ContainsFunc(chosen, func(other int) bool { return at-other < between && other-at < between })
		if near || len(m.Content) < leastSaid || m.Author == e.page.world.bot.User {
			continue
		}
		if chosen = append(chosen, at); len(chosen) == mostMoments {
			break
		}
	}
	slices.Sort(chosen)
	moments := []moment{}
	for _, at := range chosen {
		moments = append(moments, moment{e.page.message(all[at]), people[at], crossed[at]})
	}
	return moments
}

// crossings returns for each reply that crosses another one how often the replies shortly
// before it cross. Two replies cross if each begins or ends between the ends of the other.
func crossings(all []discordtest.Message) []int {
	places := make(map[graph.MessageID]int, len(all))
	answers, crosses, sums := make([]int, len(all)), make([]int, len(all)), make([]int, len(all)+1)
	for at := range all {
		m := &all[at]
		places[m.ID], answers[at] = at, -1
		if m.Reference != nil {
			if to, known := places[m.Reference.Message]; known && at-to < shortly {
				answers[at] = to
				for _, other := range answers[to+1 : at] {
					if other >= 0 && other < to {
						crosses[at]++
					}
				}
			}
		}
		sums[at+1] = sums[at] + crosses[at]
	}
	for at := range crosses {
		if crosses[at] > 0 {
			crosses[at] = sums[at+1] - sums[max(0, at+1-shortly)]
		}
	}
	return crosses
}

// company returns for each message how many people wrote shortly before it, with its author.
func company(all []discordtest.Message) []int {
	wrote, people := map[graph.UserID]int{}, make([]int, len(all))
	for at := range all {
		wrote[all[at].Author]++
		if left := at - shortly; left >= 0 {
			if wrote[all[left].Author]--; wrote[all[left].Author] == 0 {
				delete(wrote, all[left].Author)
			}
		}
		people[at] = len(wrote)
	}
	return people
}

// serveFound responds with the newest messages of a channel in which all the words of a query
// stand, or are part of the author's name.
func (e exports) serveFound(w http.ResponseWriter, r *http.Request) {
	id, ok := e.page.channelNamed(w, r)
	if !ok {
		return
	}
	words := strings.Fields(strings.ToLower(r.URL.Query().Get("words")))
	found, shown := 0, []messageView{}
	for _, m := range slices.Backward(e.everything(id)) {
		text := strings.ToLower(e.page.world.name(m.Author) + " " + m.Content)
		if len(words) == 0 || slices.ContainsFunc(words, func(word string) bool { return !strings.Contains(text, word) }) {
			continue
		}
		if found++; found <= mostFound {
			shown = append(shown, e.page.message(m))
		}
	}
	respond(w, http.StatusOK, map[string]any{"found": found, "messages": shown})
}
