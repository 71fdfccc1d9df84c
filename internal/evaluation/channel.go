package evaluation

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"heddle/graph"
	"heddle/internal/chatlog"
	"heddle/internal/progress"
	"heddle/internal/selection"
)

const (
	// mostHeld bounds the messages of a channel that are held: the newest of the
	// export.
	mostHeld = 200_000
	// usuallyHidden is the default number of replies that are hidden.
	usuallyHidden = 300
	// leastReplies is the number of replies that a recommendation requires.
	leastReplies = 20
)

// Channel is a measurement of exported channels. Replies are hidden, and it counts how
// often the message that a person replied to is in the context.
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

// Tried is the result of one strategy with its settings.
type Tried struct {
	Name       string      `json:"name,omitempty"`
	Thresholds *Thresholds `json:"settings,omitempty"`
	Parents    Parents     `json:"hidden_parents"`
}

// asksOfLogs returns the flags that only make sense for annotated logs, or that select
// another measurement.
func asksOfLogs() []string {
	return []string{"strategy", "retention", "reuse", "slices", "dump", "time-scale", "reply-share", "mask-replies"}
}

// exports reports whether all places are exported channels.
func exports(places []string) bool {
	return !slices.ContainsFunc(places, func(place string) bool {
		info, err := os.Stat(place)
		return err != nil && !strings.HasSuffix(place, ".json") || err == nil && info.IsDir() || !strings.HasSuffix(strings.TrimSuffix(place, ".gz"), ".json")
	})
}

// measureChannels measures exports of channels and writes what it finds.
func (f *evalFlags) measureChannels(ctx context.Context, files []string, streams chatlog.Streams) error {
	now, err := f.now()
	if err != nil {
		return err
	}
	logs := make([]*chatlog.Log, len(files))
	for k, file := range files {
		log, err := readChannel(file, streams.Err)
		if err != nil {
			return err
		}
		logs[k] = log
	}
	report, err := measure(ctx, logs, now, f.replies, streams.Err)
	if err != nil {
		return err
	}
	return f.write(report, streams.Out)
}

// now returns the settings in effect: those of the environment, overridden by flags.
func (f *evalFlags) now() (graph.Options, error) {
	o := f.options
	if f.inEffect == nil {
		return o, nil
	}
	set, err := f.inEffect()
	if err != nil {
		return o, err
	}
	o.TimeThreshold = set.TimeThreshold
	if set.Affinity == nil {
		o.Affinity = nil
	}
	if !f.given["min-linear"] {
		o.MinLinear = set.MinLinear
	}
	if !f.given["max-total"] {
		o.MaxTotal = set.MaxTotal
	}
	return o, nil
}

// readChannel reads one export and shows the progress on w.
func readChannel(file string, w io.Writer) (*chatlog.Log, error) {
	f, err := os.Open(file) //nolint:gosec // the file is the caller's choice
	if errors.Is(err, fs.ErrNotExist) {
		return nil, chatlog.Errorf("there is no file %s; name an export that DiscordChatExporter wrote with --format Json", file)
	}
	if err != nil {
		return nil, chatlog.Errorf("%s cannot be opened: %w; name an export that DiscordChatExporter wrote with --format Json", file, err)
	}
	defer f.Close() //nolint:errcheck // nothing was written
	shown, end := progress.Reading(w, f, "read")
	defer end()
	name := strings.TrimSuffix(strings.TrimSuffix(filepath.Base(file), ".gz"), ".json")
	return chatlog.ReadExport(name, file, shown, mostHeld)
}

// hiddenReply is a reply in a log, with the message that it replies to.
type hiddenReply struct {
	log           *chatlog.Log
	reply, parent int
}

// measure tries every strategy on replies of the logs.
func measure(ctx context.Context, logs []*chatlog.Log, now graph.Options, most int, w io.Writer) (*Channel, error) {
	report := &Channel{}
	var replies []hiddenReply
	for _, log := range logs {
		first, last := log.Messages[0], log.Messages[len(log.Messages)-1]
		report.Channels = append(report.Channels, ChannelSize{log.Name, len(log.Messages), first.Time.UTC(), last.Time.UTC()})
		at, parents := hideable(log.Messages)
		for k := range at {
			replies = append(replies, hiddenReply{log, at[k], parents[k]})
		}
	}
	report.Replies = len(replies)
	if len(replies) == 0 {
		return nil, chatlog.Errorf("%s holds no reply to a message that is in it too, and replies are what is measured; export a channel in which people use the reply button, or more of its time", names(logs))
	}
	replies = spread(replies, most)
	report.Measured = len(replies)
	simple := simpleRivals(now.MaxTotal)
	tried, err := tryRivals(ctx, replies, slices.Concat(simple, heddles(now)), w)
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
func names(logs []*chatlog.Log) string {
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
	strategy   selection.Strategy
}

// simpleRivals returns the strategies that heddle is compared with. Those that have no
// bound of their own take at most most messages.
func simpleRivals(most int) []rival {
	return []rival{
		{name: "last 10", strategy: selection.Last(10)},
		{name: "last 30", strategy: selection.Last(30)},
		{name: "ten minutes", strategy: selection.Window(windowLength, most)},
		{name: "reply chain", strategy: selection.ReplyChain(most)},
	}
}

// heddles returns heddle with the settings in effect, and then with other settings.
func heddles(now graph.Options) []rival {
	set := NewThresholds(now)
	all := []rival{{name: "heddle, as it is set", thresholds: &set, strategy: expand{now}}}
	for _, t := range grid(now) {
		all = append(all, rival{thresholds: &t, strategy: expand{t.options(now)}})
	}
	return all
}

// tryRivals tries every strategy on every reply, several replies at a time.
func tryRivals(ctx context.Context, replies []hiddenReply, ways []rival, w io.Writer) ([]Tried, error) {
	tried := make([]Tried, len(ways))
	each := make([][]Parents, len(replies))
	bar := progress.New(w, len(replies), "measure")
	defer bar.End()
	err := several(len(replies), runtime.GOMAXPROCS(0), func(k int) error {
		defer bar.Done()
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("stopped: %w", err)
		}
		r := replies[k]
		sight := hideReply(r.log.Messages, r.reply, r.parent)
		each[k] = make([]Parents, len(ways))
		for i := range ways {
			chosen, err := ways[i].strategy.Select(sight)
			if err != nil {
				return fmt.Errorf("message %s of %s: %w", r.log.IDs[r.reply], r.log.Name, err)
			}
			each[k][i] = parentsOf(r.parent, chosen.Conversation, chosen.Background)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	for i := range ways {
		tried[i] = Tried{Name: ways[i].name, Thresholds: ways[i].thresholds}
		for k := range replies {
			tried[i].Parents = tried[i].Parents.plus(each[k][i])
		}
		tried[i].Parents = tried[i].Parents.mean()
	}
	return tried, nil
}
