package cli

import (
	"context"
	"encoding/json"
	"io"

	"github.com/spf13/pflag"

	"heddle/internal/evaluation"
	"heddle/internal/why"
)

// questionForm describes --questions.
const questionForm = "measure instead how well the questions to a bot in this `FILE` are served. Each line is one: " +
	`{"after": "ID", "author": "ann", "text": "@heddle why?", "needed": ["ID", "ID"]}, where after is the id of the message before it, ` +
	"author who asks, and needed the messages that one must have read to answer it, or []. There may be reply_to (an id), " +
	"talk (the ids of its conversation), delay (in seconds), kind (a word to count by) and, for several exports, channel (the name of its file)"

// eval measures which settings suit an exported channel, or how well questions are served.
func eval(flags *pflag.FlagSet) action {
	asJSON := flags.Bool("json", false, "write JSON instead of tables")
	replies := flags.Uint("replies", evaluation.UsuallyHidden, "most replies that are hidden and looked for; 0 for all")
	questions := flags.String("questions", "", questionForm)
	return func(ctx context.Context, args []string, p Process) error {
		_, bot, err := p.loadPreviewed()
		if err != nil {
			return err
		}
		var measured interface{ WriteText(w io.Writer) error }
		if *questions == "" {
			measured, err = evaluation.Measure(ctx, evaluation.Options{Files: args, Now: bot.Expand, Answering: bot.Answering, Replies: int(*replies), Progress: p.Stderr})
		} else {
			measured, err = serveQuestions(ctx, args, *questions, bot, p.Stderr)
		}
		switch {
		case err != nil:
			return err
		case *asJSON:
			e := json.NewEncoder(p.Stdout)
			e.SetIndent("", "  ")
			return e.Encode(measured)
		default:
			return measured.WriteText(p.Stdout)
		}
	}
}

// serveQuestions measures how well a bot serves the questions of a file.
func serveQuestions(ctx context.Context, exports []string, file string, bot why.Bot, progress io.Writer) (evaluation.QuestionReport, error) {
	logs, err := evaluation.ReadLogs(ctx, exports)
	if err != nil {
		return evaluation.QuestionReport{}, err
	}
	questions, err := evaluation.ReadQuestions(file)
	if err != nil {
		return evaluation.QuestionReport{}, err
	}
	rivals := append(evaluation.OnQuestions(bot.Expand), evaluation.Rival{Name: evaluation.Answering, Strategy: bot.Answering})
	return evaluation.ServeQuestions(ctx, logs, questions, rivals, progress)
}
