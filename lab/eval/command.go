package eval

import (
	"context"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"

	"github.com/spf13/pflag"

	"heddle/bot/conversation"
	"heddle/graph"
	"heddle/graph/affinity"
	"heddle/internal/evaluation"
	"heddle/internal/terminal"
	"heddle/internal/why"
	"heddle/lab/chatlog"
)

// usualShare is the default share of links that are shown as replies.
const usualShare = 0.3

// evalFlags are the flags of lab eval.
type evalFlags struct {
	view       chatlog.View
	mask, json bool
	retention  bool
	reuse      bool
	slices     bool
	parting    bool
	strategies []string
	options    graph.Options
	dump       string
	weights    string
	questions  string
	reader     string
	reading    reading
}

// register defines the flags with their defaults.
func (f *evalFlags) register(flags *pflag.FlagSet) {
	f.options = graph.DefaultOptions()
	f.options.TimeThreshold = graph.AutoThreshold
	flags.Float64Var(&f.view.ReplyShare, "reply-share", usualShare, "share of the messages with a marked parent that show it as a reply, 0 to 1")
	flags.BoolVar(&f.view.Unaddressed, "unaddressed", false, "hide whom messages address, as in channels in which nobody does")
	flags.Float64Var(&f.view.TimeScale, "time-scale", 1, "stretch all times by this factor")
	flags.Func("strategy", "evaluate only this `STRATEGY`, or several with commas: last-10, last-30, last-60, 10-min, chain, plain, heddle", func(s string) error {
		f.strategies = append(f.strategies, strings.Split(s, ",")...)
		return nil
	})
	flags.IntVar(&f.options.History, "history", 100, "messages before a trigger that are weighed")
	flags.IntVar(&f.options.MinLinear, "min-linear", f.options.MinLinear, "newest messages that the search begins from")
	flags.IntVar(&f.options.MaxTotal, "max-total", f.options.MaxTotal, "most messages that are sent")
	flags.IntVar(&f.options.Background, "background", f.options.Background, "most characters that are sent because the question may need them")
	flags.BoolVar(&f.retention, "retention", false, "measure instead what of long conversations with heddle stays")
	flags.BoolVar(&f.reuse, "reuse", false, "measure instead how often an answer could have been given again")
	flags.BoolVar(&f.parting, "parting", false, "measure instead how well whole logs are parted into talks; logs with replies of their own are taken as they are")
	flags.BoolVar(&f.slices, "slices", false, "compare by kind of trigger: slow, busy, two people, after a pause, the first of a talk")
	flags.BoolVar(&f.mask, "mask-replies", false, "hide the trigger's own reply")
	flags.BoolVar(&f.json, "json", false, "write JSON instead of tables")
	flags.StringVar(&f.dump, "dump", "", "write what heddle chooses for every chat message to this `FILE`, as JSON lines")
	flags.StringVar(&f.questions, "questions", "", "measure instead how well the questions to a bot in this `FILE`, or folder of files, are served")
	flags.StringVar(&f.reader, "reader", "", "with --questions: let a reader choose, whose answers are in this `FILE`, under the hash of what it was shown")
	flags.StringVar(&f.reading.prompts, "prompts", "", "with --questions: write what a reader is shown into this `FOLDER`")
	flags.IntVar(&f.reading.least, "doubt", conversation.InDoubt, "characters in doubt from which on a reader is asked; 0 for every question")
	flags.StringVar(&f.weights, "weights", "", "take the weights from this `FILE` instead of those built in")
}

// check returns an error for the first flag that is out of its bounds.
func (f *evalFlags) check() error {
	switch {
	case !(f.view.ReplyShare >= 0 && f.view.ReplyShare <= 1):
		return terminal.Errorf("--reply-share is %v; give a share from 0 to 1", f.view.ReplyShare)
	case !(f.view.TimeScale > 0 && f.view.TimeScale <= 1e4):
		return terminal.Errorf("--time-scale is %v; give a factor above 0, at most 10000", f.view.TimeScale)
	case f.options.History < 1 || f.options.History > 1000:
		return terminal.Errorf("--history is %d; give 1 to 1000 messages", f.options.History)
	case f.options.MaxTotal < 1 || f.options.MinLinear < 0 || f.options.Background < 0:
		return terminal.Errorf("--max-total must be at least 1, --min-linear and --background at least 0")
	}
	return nil
}

// Command is the command "lab eval". It measures how well contexts are chosen in annotated
// logs.
func Command(ctx context.Context, args []string, streams chatlog.Streams) error {
	var f evalFlags
	line := chatlog.NewCommandLine("eval", streams.Usage)
	f.register(line.FlagSet)
	places, err := line.Places(args, streams.Out)
	if err != nil {
		return err
	}
	if err := f.check(); err != nil {
		return err
	}
	model, err := readModel(f.weights)
	if err != nil {
		return err
	}
	f.options.Affinity = model
	strategies, err := compared(f.options).named(f.strategies)
	if err != nil {
		return err
	}
	logs, err := chatlog.Read(ctx, places)
	if err != nil {
		return err
	}
	if f.questions != "" {
		return f.measureQuestions(ctx, logs, strategies, streams)
	}
	if f.retention {
		return f.measureRetention(ctx, logs, streams)
	}
	if f.reuse {
		return f.measureReuse(ctx, logs, streams)
	}
	if f.parting {
		return f.measureParting(ctx, logs, streams)
	}
	return f.evaluate(ctx, logs, strategies, streams)
}

// evaluate compares the strategies on annotated logs, and writes a dump if that is asked
// for.
func (f *evalFlags) evaluate(ctx context.Context, logs []*chatlog.Log, strategies Strategies, streams chatlog.Streams) error {
	setting := Setting{View: f.view, MaskReplies: f.mask, Workers: runtime.GOMAXPROCS(0)}
	if f.dump != "" {
		if err := f.writeDump(ctx, logs, setting, streams); err != nil {
			return err
		}
	}
	if chatlog.Sum(logs, (*chatlog.Log).Learnable) == 0 {
		if f.dump != "" {
			return nil
		}
		return terminal.Errorf("none of the logs is annotated or shows replies, so nothing can be scored; give --dump FILE to see what is chosen")
	}
	bar := terminal.Steps(streams.Err, len(logs), "evaluate")
	outcomes, err := Run(ctx, logs, strategies, setting, bar.Done)
	bar.End()
	if err != nil {
		return err
	}
	if f.slices && !f.json {
		return f.write(sliced(outcomes), streams.Out)
	}
	return f.write(Report{Summaries: Summarize(outcomes), Outcomes: outcomes}, streams.Out)
}

// measureQuestions measures how well questions to a bot are served.
func (f *evalFlags) measureQuestions(ctx context.Context, logs []*chatlog.Log, strategies Strategies, streams chatlog.Streams) error {
	questions, err := ReadQuestions(f.questions, nil)
	if err != nil {
		return err
	}
	var rivals []evaluation.Rival
	for _, s := range strategies {
		rivals = append(rivals, s.Rival)
		if s.Name == heddleName { // as it answers, beside what it chooses
			rivals = append(rivals, evaluation.Rival{Name: evaluation.Answering, Strategy: f.bot().Answering})
		}
	}
	reads := f.reader != "" || f.reading.prompts != ""
	if f.reader != "" {
		if f.reading.answers, err = ReadAnswers(f.reader); err != nil {
			return err
		}
	}
	if reads {
		bot := f.bot()
		bot.Expand.Reader = f.reading.choose
		rivals = append(rivals, evaluation.Rival{Name: "reading", Strategy: bot.Answering})
	}
	report, err := evaluation.ServeQuestions(ctx, plain(logs), questions, rivals, streams.Err)
	if err != nil {
		return err
	}
	if reads {
		fmt.Fprintf(streams.Err, "The reader was asked %d times, %d without an answer.\n", f.reading.asked.Load(), f.reading.unanswered.Load())
	}
	return f.write(report, streams.Out)
}

// bot returns heddle with the shares of its budget by default.
func (f *evalFlags) bot() why.Bot {
	const recalled = 6
	return why.Bot{Settings: conversation.Settings{Expand: f.options, Recall: recalled}}
}

func (f *evalFlags) writeDump(ctx context.Context, logs []*chatlog.Log, setting Setting, streams chatlog.Streams) error {
	strategy := func() evaluation.Strategy { return evaluation.Heddle(f.options) }
	bar := terminal.Steps(streams.Err, len(logs), "dump")
	defer bar.End()
	return chatlog.WriteFile(f.dump, func(w io.Writer) error { return Dump(ctx, w, logs, strategy, setting, bar.Done) })
}

// readModel reads the weights from a file, or those built in if file is "".
func readModel(file string) (*affinity.Model, error) {
	if file == "" {
		model, err := affinity.Default()
		if err != nil {
			return nil, fmt.Errorf("read the weights built in: %w", err)
		}
		return model, nil
	}
	r, err := os.Open(file) //nolint:gosec // the file is the caller's choice
	if err != nil {
		return nil, terminal.Errorf("the weights cannot be opened: %w; name a file that lab train wrote", err)
	}
	defer r.Close() //nolint:errcheck // nothing was written
	model, err := affinity.Read(r)
	if err != nil {
		return nil, terminal.Errorf("%s: %w", file, err)
	}
	return model, nil
}
