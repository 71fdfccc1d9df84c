package evaluation

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"heddle/graph"
	"heddle/internal/export"
	"heddle/internal/terminal"
)

const (
	// UsuallyHidden is the default number of replies that are hidden.
	UsuallyHidden = 300
	// windowLength is how far back the strategy "ten minutes" looks.
	windowLength = 10 * time.Minute
	// leastReplies is the number of replies that a recommendation requires.
	leastReplies = 20
)

// Channel is a measurement of exported channels. Replies are hidden, and it counts how
// often the message that a person replied to is in the context.
type Channel struct {
	Channels []ChannelSize `json:"channels"`
	Pace     float64       `json:"pace"`     // the median of the seconds between two messages
	Replies  int           `json:"replies"`  // number of replies to messages in the same export
	Measured int           `json:"measured"` // how many of these were measured, spread evenly over them
	Ways     []Tried       `json:"ways"`     // simpler strategies, and heddle's conversation alone
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

// Tried is the result of one strategy with its settings.
type Tried struct {
	Name       string      `json:"name,omitempty"`
	Thresholds *Thresholds `json:"settings,omitempty"`
	Parents    Parents     `json:"hidden_parents"`

	strategy Strategy
}

// Options is what is measured, and how.
type Options struct {
	Files     []string      // exports of channels
	Now       graph.Options // the settings in effect
	Answering Strategy      // heddle as it answers with them: what it recalls is sent with any settings
	Replies   int           // most replies that are hidden; 0 for all
	Progress  io.Writer     // shows the progress if it is a terminal
}

// lastThirty names the strategy that most bots follow.
const lastThirty = "last 30"

// Measure measures exports of channels. Errors that the user can correct are of type
// *terminal.InputError.
func Measure(ctx context.Context, o Options) (*Channel, error) {
	logs, err := ReadLogs(ctx, o.Files)
	if err != nil {
		return nil, err
	}
	report := &Channel{}
	var replies []hiddenReply
	var gaps []float64
	for _, log := range logs {
		first, last := log.Messages[0], log.Messages[len(log.Messages)-1]
		report.Channels = append(report.Channels, ChannelSize{log.Name, len(log.Messages), first.Time.UTC(), last.Time.UTC()})
		for i := range log.Messages[1:] {
			gaps = append(gaps, log.Messages[i+1].Time.Sub(log.Messages[i].Time).Seconds())
		}
		at, parents := hideable(log.Messages)
		chains := chainsOf(log.Messages)
		for k := range at {
			replies = append(replies, hiddenReply{log, at[k], parents[k], chains})
		}
	}
	report.Replies = len(replies)
	if len(replies) == 0 {
		return nil, terminal.Errorf("%s holds no reply to a message that is in it too, and replies are what is measured; export a channel in which people use the reply button, or more of its time", strings.Join(o.Files, " or "))
	}
	slices.Sort(gaps)
	report.Pace = gaps[len(gaps)/2] // a reply and its message are two
	replies = spread(replies, o.Replies)
	report.Measured = len(replies)
	tried := append(simple(o.Now.MaxTotal), Tried{Name: "heddle, conversation", strategy: conversation(o.Now)})
	ways := len(tried)
	tried = append(tried, set("heddle, as it is set", o.Now))
	for _, other := range grid(o.Now) {
		tried = append(tried, set("", other))
	}
	if err := try(ctx, replies, tried, &o); err != nil {
		return nil, err
	}
	report.Ways, report.Now, report.Grid = tried[:ways], tried[ways], tried[ways+1:]
	if report.Measured >= leastReplies {
		report.Recommended = recommend(report.Now, report.Grid)
	}
	return report, nil
}

// ReadLogs reads exports of channels as logs, one for each channel.
func ReadLogs(ctx context.Context, files []string) ([]*Log, error) {
	channels, err := export.LoadFiles(ctx, files, 0)
	if err != nil {
		return nil, err
	}
	logs := make([]*Log, len(channels))
	for i := range channels {
		file := channels[i].File
		name := strings.TrimSuffix(strings.TrimSuffix(filepath.Base(file), ".gz"), ".json")
		if logs[i], err = NewLog(partOf.ReplaceAllString(name, ""), file, channels[i]); err != nil {
			return nil, err
		}
	}
	return logs, nil
}

// partOf matches what the exporter writes behind the names of a channel's files.
var partOf = regexp.MustCompile(` \[part [0-9]+\]$`)

// hiddenReply is a reply in a log, with the message that it replies to.
type hiddenReply struct {
	log           *Log
	reply, parent int
	chains        []int // see chainsOf
}

// spread returns at most most replies, evenly and deterministically spread over all; 0
// is no bound.
func spread(replies []hiddenReply, most int) []hiddenReply {
	if most == 0 || len(replies) <= most {
		return replies
	}
	kept := make([]hiddenReply, most)
	for k := range kept {
		kept[k] = replies[(2*k+1)*len(replies)/(2*most)]
	}
	return kept
}

// simple returns the strategies that heddle is compared with. Those that have no bound of
// their own take at most most messages.
func simple(most int) []Tried {
	return []Tried{
		{Name: "last 10", strategy: Last(10)},
		{Name: lastThirty, strategy: Last(30)},
		{Name: "ten minutes", strategy: Window(windowLength, most)},
		{Name: "reply chain", strategy: ReplyChain(most)},
	}
}

// set returns heddle with settings.
func set(name string, o graph.Options) Tried {
	return Tried{Name: name, Thresholds: new(NewThresholds(o)), strategy: Heddle(o)}
}

// try tries every strategy on every reply, several replies at a time.
func try(ctx context.Context, replies []hiddenReply, ways []Tried, o *Options) error {
	found := make([][]Parents, len(replies))
	err := each(ctx, len(replies), o.Progress, func(ctx context.Context, k int) (err error) {
		found[k], err = replies[k].try(ctx, ways, o.Answering)
		return err
	})
	if err != nil {
		return err
	}
	for i := range ways {
		for k := range found {
			ways[i].Parents = ways[i].Parents.Plus(found[k][i])
		}
		ways[i].Parents = ways[i].Parents.Mean()
	}
	return nil
}

// each calls do for every index below n, several at a time, and shows its progress if
// progress is a terminal.
func each(ctx context.Context, n int, progress io.Writer, do func(ctx context.Context, k int) error) error {
	bar := terminal.Steps(progress, n, "measure")
	defer bar.End()
	working, ctx := errgroup.WithContext(ctx)
	working.SetLimit(runtime.GOMAXPROCS(0))
	for k := range n {
		working.Go(func() error {
			defer bar.Done()
			return do(ctx, k)
		})
	}
	return working.Wait()
}

// try tries every strategy on a reply.
func (r hiddenReply) try(ctx context.Context, ways []Tried, answering Strategy) ([]Parents, error) {
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("stopped: %w", err)
	}
	sight := HideReply(r.log.Messages, r.reply, r.parent)
	answered, err := answering(sight)
	found := make([]Parents, len(ways))
	for i := 0; i < len(ways) && err == nil; i++ {
		var chosen Chosen
		if chosen, err = ways[i].strategy(sight); ways[i].Thresholds != nil {
			sent := chosen.sent()
			chosen.Recalled = slices.DeleteFunc(slices.Clone(answered.Recalled), func(at int) bool { return slices.Contains(sent, at) })
		}
		found[i] = ParentsOf(r.parent, &chosen, r.chains)
		found[i].Characters = length(sight.Before, chosen.sent())
	}
	if err != nil {
		return nil, fmt.Errorf("message %s of %s: %w", r.log.IDs[r.reply], r.log.Name, err)
	}
	return found, nil
}
