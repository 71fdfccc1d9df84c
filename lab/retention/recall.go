package retention

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"heddle/graph"
	"heddle/graph/path"
	"heddle/graph/recall"
)

const (
	// recallRoom is the number of tokens for recalled exchanges: the default for a
	// TOKEN_BUDGET of 4000.
	recallRoom = 400
	// recallLine is the number of tokens of the line above a recalled exchange.
	recallLine = 48
	// mostRecalled bounds the exchanges that are considered.
	mostRecalled = 64
	recallSeeds  = 3
)

// RecallRow is the share of facts of one kind that are in the context when they are
// needed, 150 turns or more after they were told.
type RecallRow struct {
	Kind      string          `json:"kind"`
	Questions int             `json:"questions"` // number of questions for each seed
	Ways      map[string]Mean `json:"ways"`      // by strategy
}

// Mean is a mean over seeds, with the least and the greatest value.
type Mean struct {
	Mean  float64 `json:"mean"`
	Least float64 `json:"least"`
	Most  float64 `json:"most"`
}

// The strategies that are compared.
const (
	wayWindow = "window" // the newest exchanges, with as many tokens as retention and recall take
	wayRules  = "retention"
	wayRecall = "retention and recall"
)

func recallWays() []string { return []string{wayWindow, wayRules, wayRecall} }

// statement is a kind of fact, with the texts that tell it and that ask for it 150
// turns later. In all texts, %s is the same rare word and %d the fact.
type statement struct{ kind, told, aside, asked string }

func statements() []statement {
	return []statement{
		{"a thing's name", "the %s has to be watered every %d hours", "is the %s still there?", "how often does the %s need water?"},
		{"a person's name", "%s has the key of cabinet %d", "did %s say anything?", "which key does %s have?"},
		{"code", "`%s_init()` must not be called twice, see ticket %d", "I am reading %s_init now", "why does %s_init() fail the second time?"},
		{"a file", "the limits stand in conf/%s.yml, at line %d", "conf/%s.yml is in the tree now", "where in %s.yml are the limits?"},
		{"plain words", "my locker at the swimming pool is number %[2]d%.0[1]s", "I went swimming%.0s", "which locker at the pool is mine?%.0s"},
		{"other words", "my train leaves on Mondays at minute %[2]d%.0[1]s", "trains are late%.0s", "when must I be at the station?%.0s"},
	}
}

// recallRows measures scripted conversations of 200 turns without confidences.
// Exchanges of fillers separate the facts.
func recallRows(scripts uint64, fillers []*talk) []RecallRow {
	rows := make([]RecallRow, len(statements()))
	for k, kind := range statements() {
		rows[k] = RecallRow{Kind: kind.kind, Questions: int(scripts), Ways: make(map[string]Mean)} //nolint:gosec // few
	}
	for seed := range uint64(recallSeeds) {
		found := recallFound(seed, scripts, fillers)
		for k := range rows {
			for _, way := range recallWays() {
				rows[k].Ways[way] = rows[k].Ways[way].and(portion(found[k][way], rows[k].Questions), seed)
			}
		}
	}
	return rows
}

// recallFound returns, by kind of fact and by strategy, how many of the facts of scripted
// conversations are in the context of their questions.
func recallFound(seed, scripts uint64, fillers []*talk) []map[string]int {
	found := make([]map[string]int, len(statements()))
	for k := range found {
		found[k] = make(map[string]int)
	}
	for script := range scripts {
		told := newTold(chance(1000*seed+script, 5), fillers)
		for k := range found {
			for way, text := range told.contexts(k) {
				if strings.Contains(text, told.facts[k]) {
					found[k][way]++
				}
			}
		}
	}
	return found
}

// and returns the mean with one more value. n is the number of values before it.
func (m Mean) and(value float64, n uint64) Mean {
	if n == 0 {
		return Mean{value, value, value}
	}
	return Mean{(m.Mean*float64(n) + value) / float64(n+1), min(m.Least, value), max(m.Most, value)}
}

// told is a conversation in which one fact of each kind is told 150 turns or more
// before the end. Each is mentioned once more without its value.
type told struct {
	*talk

	facts, questions []string
	built            path.Built // path of the last request
}

// newTold makes up a conversation and replays it to its end. Its exchanges are random
// words or, if there are fillers, taken from these at random. The facts stand in the
// first quarter.
func newTold(r *rand.Rand, fillers []*talk) *told {
	n := talkLength
	t := &told{talk: &talk{exchanges: make([]exchange, n)}}
	for i := range t.exchanges {
		t.exchanges[i] = exchange{request: babble(r, 8+r.IntN(16)), answer: babble(r, 20+r.IntN(60))}
		if len(fillers) > 0 {
			filler := fillers[r.IntN(len(fillers))]
			from := filler.exchanges[r.IntN(len(filler.exchanges))]
			t.exchanges[i].request, t.exchanges[i].answer = from.request, from.answer
		}
	}
	places := r.Perm(n / 4)
	for k, s := range statements() {
		word, fact := coined(r), 100_000+r.IntN(900_000)
		t.exchanges[places[2*k]].request = fmt.Sprintf(s.told, word, fact)
		t.exchanges[places[2*k+1]].request = fmt.Sprintf(s.aside, word)
		t.facts, t.questions = append(t.facts, strconv.Itoa(fact)), append(t.questions, fmt.Sprintf(s.asked, word))
	}
	t.replay(path.DefaultRetention(), make([]*float64, n), func(i int, built path.Built) {
		if i == n-1 {
			t.built = built
		}
	})
	return t
}

// coined returns a random word that occurs nowhere else.
func coined(r *rand.Rand) string {
	var b strings.Builder
	for range 3 {
		b.WriteByte("bdfgklmnprstvz"[r.IntN(14)])
		b.WriteByte("aeiou"[r.IntN(5)])
	}
	return b.String()
}

// contexts returns, by strategy, the text that is sent with the question for a fact.
func (t *told) contexts(fact int) map[string]string {
	last := len(t.exchanges) - 1
	held := t.messages(last)
	onPath := t.built.Messages[:len(t.built.Messages)-1]
	contexts := map[string]string{wayRules: textOf(onPath), wayRecall: textOf(onPath)}
	trigger, room := t.request(last), tokensOf(onPath)
	trigger.Text = t.questions[fact]
	for _, anchor := range recalled(held, &trigger, t.built, recallRoom) {
		for i := range held {
			if held[i].Position().Anchor == anchor {
				contexts[wayRecall] += textOf(held[i : i+1])
				room += tokensOf(held[i : i+1])
			}
		}
		room += recallLine
	}
	from := len(held)
	for from > 0 && room >= tokensOf(held[from-2:from]) {
		from -= 2
		room -= tokensOf(held[from : from+2])
	}
	contexts[wayWindow] = textOf(held[from:])
	return contexts
}

// messages returns the messages of the exchanges before one.
func (t *talk) messages(end int) []graph.Message {
	messages := make([]graph.Message, 0, 2*end)
	for i := range end {
		messages = append(messages, t.request(i), t.response(i))
	}
	return messages
}

// recalled returns the first messages of the exchanges outside of the path that heddle
// recalls for a trigger.
func recalled(held []graph.Message, trigger *graph.Message, built path.Built, room int) []graph.MessageID {
	sent := make(map[graph.MessageID]bool, len(built.Messages))
	for i := range built.Messages {
		sent[built.Messages[i].ID] = true
	}
	search := recall.NewSearch(recall.WordsOf(trigger))
	exchanges := make(map[graph.MessageID][]graph.Message)
	for i := range held {
		if anchor := held[i].Position().Anchor; anchor < trigger.ID {
			exchanges[anchor] = append(exchanges[anchor], held[i])
			search.Add(&held[i])
		}
	}
	var matches []graph.MessageID
	for _, match := range search.Find(recall.LeastOwn) {
		skipped := slices.ContainsFunc(exchanges[match.Anchor], func(m graph.Message) bool { return sent[m.ID] })
		if !skipped && len(matches) < mostRecalled {
			matches = append(matches, match.Anchor)
		}
	}
	return recall.Fit(matches, room, func(anchor graph.MessageID) int {
		return tokensOf(exchanges[anchor]) + recallLine
	})
}

func tokensOf(messages []graph.Message) int {
	sum := 0
	for _, m := range messages {
		sum += tokens(path.TurnOf(m, m.Name))
	}
	return sum
}

func textOf(messages []graph.Message) string {
	var b strings.Builder
	for i := range messages {
		b.WriteString(messages[i].Text + "\n")
	}
	return b.String()
}

// RecallTally counts the needed exchanges that are in the context, over the requests of
// conversations cut from logs.
type RecallTally struct {
	Needed   int `json:"needed"`
	Rules    int `json:"retention"` // in the path
	Recall   int `json:"recall"`    // in the path or recalled
	Window   int `json:"window"`    // in the newest exchanges, with as many tokens as path and recalled ones take
	Tokens   int `json:"tokens"`    // tokens of paths and of recalled exchanges
	Recalled int `json:"recalled"`  // tokens of recalled exchanges, without the lines above them
	Useful   int `json:"useful"`    // how many of these belong to needed exchanges
	Requests int `json:"requests"`  // number of requests that need an exchange
}

// recallOn adds the counts for a talk without confidences.
func (c *RecallTally) recallOn(t *talk) {
	sizes := t.sizes()
	t.replay(path.DefaultRetention(), make([]*float64, len(t.exchanges)), func(i int, built path.Built) {
		needs := t.exchanges[i].needs
		if len(needs) == 0 {
			return
		}
		rules := t.weigh(i, built, sizes)
		c.Requests++
		c.Needed, c.Rules, c.Recall = c.Needed+rules.Needed, c.Rules+rules.Present, c.Recall+rules.Present
		trigger, held, took := t.request(i), t.messages(i), 0
		for _, anchor := range recalled(held, &trigger, built, recallRoom) {
			of := exchangeOf(anchor)
			took += sizes[of]
			if slices.Contains(needs, of) {
				c.Recall++
				c.Useful += sizes[of]
			}
		}
		window := tally{Tokens: rules.Tokens + took}
		needed := make([]bool, i)
		for _, j := range needs {
			needed[j] = true
		}
		t.linear(i, &window, needed, sizes)
		c.Window, c.Tokens, c.Recalled = c.Window+window.Linear, c.Tokens+rules.Tokens+took, c.Recalled+took
	})
}
