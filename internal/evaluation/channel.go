package evaluation

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
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
// *InputError.
func Measure(ctx context.Context, o Options) (*Channel, error) {
	logs, err := ReadLogs(ctx, o.Files)
	if err != nil {
		return nil, err
	}
	return measure(ctx, logs, o)
}

// ReadLogs reads exports of channels as logs.
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
		name := strings.TrimSuffix(strings.TrimSuffix(filepath.Base(file), ".gz"), ".json")
		if logs[i], err = NewLog(name, file, c); err != nil {
			return nil, err
		}
	}
	return logs, nil
}

// hiddenReply is a reply in a log, with the message that it replies to.
type hiddenReply struct {
	log           *Log
	reply, parent int
	chains        []int // see chainsOf
}

// measure tries every strategy on replies of the logs.
func measure(ctx context.Context, logs []*Log, o Options) (*Channel, error) {
	report := &Channel{}
	var replies []hiddenReply
	for _, log := range logs {
		first, last := log.Messages[0], log.Messages[len(log.Messages)-1]
		report.Channels = append(report.Channels, ChannelSize{log.Name, len(log.Messages), first.Time.UTC(), last.Time.UTC()})
		at, parents := hideable(log.Messages)
		chains := chainsOf(log.Messages)
		for k := range at {
			replies = append(replies, hiddenReply{log, at[k], parents[k], chains})
		}
	}
	report.Replies = len(replies)
	if len(replies) == 0 {
		return nil, Errorf("%s holds no reply to a message that is in it too, and replies are what is measured; export a channel in which people use the reply button, or more of its time", names(logs))
	}
	replies = spread(replies, o.Replies)
	report.Measured = len(replies)
	simple := append(simpleRivals(o.Now.MaxTotal), rival{name: "heddle, conversation", strategy: conversation{Heddle{o.Now}}})
	tried, err := tryRivals(ctx, replies, slices.Concat(simple, heddles(o.Now)), &o)
	if err != nil {
		return nil, err
	}
	own := tried[len(simple):]
	report.Ways, report.Now, report.Grid = tried[:len(simple)], own[0], own[1:]
	if report.Measured >= leastReplies {
		report.Recommended = recommend(report.Now, report.Grid)
	}
	return report, nil
}

// names returns the files of logs, for an error.
func names(logs []*Log) string {
	var paths []string
	for _, log := range logs {
		paths = append(paths, log.Path)
	}
	return strings.Join(paths, " or ")
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

// rival is a strategy to try.
type rival struct {
	name       string
	thresholds *Thresholds
	strategy   Strategy
}

// simpleRivals returns the strategies that heddle is compared with. Those that have no
// bound of their own take at most most messages.
func simpleRivals(most int) []rival {
	return []rival{
		{name: "last 10", strategy: Last(10)},
		{name: lastThirty, strategy: Last(30)},
		{name: "ten minutes", strategy: Window(windowLength, most)},
		{name: "reply chain", strategy: ReplyChain(most)},
	}
}

// heddles returns heddle with the settings in effect, and then with other settings.
func heddles(now graph.Options) []rival {
	set := NewThresholds(now)
	all := []rival{{name: "heddle, as it is set", thresholds: &set, strategy: Heddle{now}}}
	for _, t := range grid(now) {
		all = append(all, rival{thresholds: &t, strategy: Heddle{t.options(now)}})
	}
	return all
}

// tryRivals tries every strategy on every reply, several replies at a time.
func tryRivals(ctx context.Context, replies []hiddenReply, ways []rival, o *Options) ([]Tried, error) {
	tried := make([]Tried, len(ways))
	each := make([][]Parents, len(replies))
	bar := terminal.Steps(o.Progress, len(replies), "measure")
	defer bar.End()
	working, ctx := errgroup.WithContext(ctx)
	working.SetLimit(runtime.GOMAXPROCS(0))
	for k, r := range replies {
		working.Go(func() (err error) {
			defer bar.Done()
			each[k], err = r.try(ctx, ways, o.Answering)
			return err
		})
	}
	if err := working.Wait(); err != nil {
		return nil, err
	}
	for i := range ways {
		tried[i] = Tried{Name: ways[i].name, Thresholds: ways[i].thresholds}
		for k := range replies {
			tried[i].Parents = tried[i].Parents.Plus(each[k][i])
		}
		tried[i].Parents = tried[i].Parents.Mean()
	}
	return tried, nil
}

// try tries every strategy on a reply.
func (r hiddenReply) try(ctx context.Context, ways []rival, answering Strategy) ([]Parents, error) {
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("stopped: %w", err)
	}
	sight := HideReply(r.log.Messages, r.reply, r.parent)
	answered, err := answering.Select(sight)
	found := make([]Parents, len(ways))
	for i := 0; i < len(ways) && err == nil; i++ {
		var chosen Chosen
		if chosen, err = ways[i].strategy.Select(sight); ways[i].thresholds != nil {
			sent := chosen.sent()
			chosen.Recalled = slices.DeleteFunc(slices.Clone(answered.Recalled), func(at int) bool { return slices.Contains(sent, at) })
		}
		found[i] = ParentsOf(r.parent, &chosen, r.chains)
	}
	if err != nil {
		return nil, fmt.Errorf("message %s of %s: %w", r.log.IDs[r.reply], r.log.Name, err)
	}
	return found, nil
}
