package evaluation

import (
	"cmp"
	"context"
	"errors"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"heddle/graph"
	"heddle/internal/export"
)

const (
	// UsuallyHidden is the default number of replies that are hidden.
	UsuallyHidden = 300
	// windowLength is how far back the strategy "ten minutes" looks.
	windowLength = 10 * time.Minute
	// leastReplies is the number of replies that a recommendation requires.
	leastReplies = 20
)

// Channel is a measurement of exported channels. Replies are hidden, and each is then a
// question that needs the message that a person replied to.
type Channel struct {
	Channels []ChannelSize `json:"channels"`
	Replies  int           `json:"replies"`  // number of replies to messages in the same export
	Measured int           `json:"measured"` // how many of these were measured, spread evenly over them
	Ways     []Tried       `json:"ways"`     // simpler strategies
	Now      Tried         `json:"now"`      // heddle with the settings in effect
	Grid     []Tried       `json:"grid"`     // heddle with other settings
	// Recommended is the best of the settings, or nil if there are too few replies.
	Recommended *Tried `json:"recommended"`
}

// ChannelSize is how much of a channel was read.
type ChannelSize struct {
	Name     string    `json:"name"`
	Messages int       `json:"messages"`
	From     time.Time `json:"from"`
	To       time.Time `json:"to"`
}

// Tried is the result of one strategy, with its settings if it is heddle.
type Tried struct {
	Thresholds *Thresholds `json:"settings,omitempty"`
	Served
}

// Options is what is measured, and how.
type Options struct {
	Files    []string      // exports of channels
	Now      graph.Options // the settings in effect
	Replies  int           // most replies that are hidden; 0 for all
	Progress io.Writer     // shows the progress if it is a terminal
}

// lastThirty names the strategy that most bots follow.
const lastThirty = "last 30"

// ReadLogs reads exports of channels as logs. Errors that the user can correct are of type
// *InputError.
func ReadLogs(ctx context.Context, files []string) ([]*Log, error) {
	logs := make([]*Log, len(files))
	for i, file := range files {
		c, err := export.LoadFile(ctx, file, 0)
		if errors.Is(err, export.ErrUnreadable) {
			return nil, Errorf("%w", err)
		}
		if err != nil {
			return nil, err
		}
		name := strings.TrimSuffix(filepath.Base(file), ".json")
		if logs[i], err = NewLog(name, file, c); err != nil {
			return nil, err
		}
	}
	return logs, nil
}

// Measure tries every strategy on replies of exports. Errors that the user can correct are
// of type *InputError.
func Measure(ctx context.Context, o Options) (*Channel, error) {
	logs, err := ReadLogs(ctx, o.Files)
	if err != nil {
		return nil, err
	}
	report := &Channel{}
	var hidden []Posed
	for _, log := range logs {
		first, last := log.Messages[0], log.Messages[len(log.Messages)-1]
		report.Channels = append(report.Channels, ChannelSize{log.Name, len(log.Messages), first.Time.UTC(), last.Time.UTC()})
		hidden = append(hidden, hiddenReplies(log)...)
	}
	report.Replies = len(hidden)
	if len(hidden) == 0 {
		return nil, Errorf("%s holds no reply to a message that is in it too, and replies are what is measured; export a channel in which people use the reply button, or more of its time", strings.Join(o.Files, " or "))
	}
	hidden = spread(hidden, o.Replies)
	report.Measured = len(hidden)
	rivals := simpleRivals(o.Now.MaxTotal)
	simple := len(rivals)
	settings := append([]Thresholds{NewThresholds(o.Now)}, grid(o.Now)...)
	for i := range settings {
		rivals = append(rivals, Rival{"", Heddle{settings[i].options(o.Now)}})
	}
	rivals[simple].Name = "heddle, as it is set"
	served, err := serveAll(ctx, hidden, rivals, o.Progress)
	if err != nil {
		return nil, err
	}
	tried := make([]Tried, len(rivals))
	for i, rival := range rivals {
		tried[i].Served = meanOf(served[i])
		if tried[i].Strategy = rival.Name; i >= simple {
			tried[i].Thresholds = &settings[i-simple]
		}
	}
	report.Ways, report.Now, report.Grid = tried[:simple], tried[simple], tried[simple+1:]
	if report.Measured >= leastReplies {
		report.Recommended = recommend(report.Now, report.Grid)
	}
	return report, nil
}

// spread returns at most most replies, evenly and deterministically spread over all; 0
// is no bound.
func spread(replies []Posed, most int) []Posed {
	if most == 0 || len(replies) <= most {
		return replies
	}
	kept := make([]Posed, most)
	for k := range kept {
		kept[k] = replies[(2*k+1)*len(replies)/(2*most)]
	}
	return kept
}

// simpleRivals returns the strategies that heddle is compared with. Those that have no
// bound of their own take at most most messages.
func simpleRivals(most int) []Rival {
	return []Rival{
		{"last 10", Last(10)},
		{lastThirty, Last(30)},
		{"ten minutes", Window(windowLength, most)},
		{"reply chain", ReplyChain(most)},
	}
}

const (
	// messagePrice is the share of the parents that one more message in the context
	// must find to be worth sending. At this price 15 more messages must find one more
	// parent in 44.
	messagePrice = 0.0015
	// worthAChange is by how much other settings must be better than those in effect to
	// be recommended.
	worthAChange = 0.005
	// worthASwitch is the same for settings that switch AFFINITY on or off. It is
	// higher because replies measure what is found, and not which messages of other
	// talks are in the context, which AFFINITY is meant to keep out.
	worthASwitch = 0.02
)

// worth returns the share of the parents that settings find, less the price of their
// messages.
func (t *Tried) worth() float64 { return t.AllNeeded - messagePrice*t.Messages }

// recommend returns the settings that are worth most. It prefers those in effect unless
// others are clearly better.
func recommend(now Tried, grid []Tried) *Tried {
	clear := slices.DeleteFunc(slices.Clone(grid), func(t Tried) bool {
		margin := worthAChange
		if t.Thresholds.Affinity != now.Thresholds.Affinity {
			margin = worthASwitch
		}
		return t.worth() <= now.worth()+margin
	})
	if len(clear) == 0 {
		return &now
	}
	best := slices.MaxFunc(clear, func(a, b Tried) int { return cmp.Compare(a.worth(), b.worth()) })
	return &best
}
