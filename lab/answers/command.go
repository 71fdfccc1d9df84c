// Package answers has answers judged, and not only contexts: "lab answers" writes what a model would
// be sent by several strategies, takes its answers and what judges say of them, and reports
// how many are right. All of it is JSON lines in one folder, so that anybody can answer and
// judge, with a model or without. Neither learns which strategy a sheet is of: the ids are
// hashes, answers and judgements have different ones, and the order follows a seed.
package answers

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"heddle/internal/terminal"
	"heddle/lab/chatlog"
	"heddle/lab/eval"
)

// The files of the folder. People and models write answers and grades; the rest is written here.
const (
	sheetsFile  = "sheets.jsonl"  // {"id", "messages"}: what is to be answered
	keyFile     = "key.jsonl"     // what only the report may know
	answersFile = "answers.jsonl" // {"id", "answer"}
	judgingFile = "judging.jsonl" // {"id", "question", "facts", "answer"}: what is to be judged
	gradesFile  = "grades.jsonl"  // {"id", "grade"}
)

// Command takes the next steps that the folder allows: it writes the sheets, then what is to be
// judged once there are answers, and the report once there are grades. With an address it asks
// a model for the answers and grades that are missing.
func Command(ctx context.Context, args []string, streams chatlog.Streams) error {
	flags := chatlog.NewCommandLine("answers", streams.Usage)
	questions := flags.String("questions", "", "the `FILE` of questions to a bot, or a folder of such files")
	folder := flags.String("in", "answers", "keep sheets, answers and grades in this `FOLDER`")
	seed := flags.Uint64("seed", 1, "order and ids of the sheets")
	m := model{key: os.Getenv("OPENAI_API_KEY")} //nolint:forbidigo // a key on a command line would be seen by others
	flags.StringVar(&m.url, "url", "", "have a model answer and judge at this base `URL` of chat completions; its key is OPENAI_API_KEY")
	answering := flags.String("model", "", "the `MODEL` that answers; without it, sheets are answered by others")
	judging := flags.String("judge", "", "the `MODEL` that judges; without it, answers are judged by others")
	places, err := flags.Places(args, streams.Out)
	if err != nil {
		return err
	}
	if *questions == "" || (*answering != "" || *judging != "") != (m.url != "") {
		return terminal.Errorf("name the questions with --questions, and an address with --url if a model is to answer or judge")
	}
	if err := os.MkdirAll(*folder, 0o700); err != nil {
		return terminal.Errorf("the folder cannot be made: %w; name another with --in", err)
	}
	in := func(name string) string { return filepath.Join(*folder, name) }
	key, err := read[keyed](in(keyFile))
	if err != nil {
		return err
	}
	if len(key) == 0 {
		logs, err := chatlog.Read(ctx, places)
		if err != nil {
			return fmt.Errorf("read the logs: %w", err)
		}
		asked, err := eval.ReadQuestions(*questions, nil)
		if err != nil {
			return fmt.Errorf("read the questions: %w", err)
		}
		if key, err = writeSheets(logs, asked, *seed, in); err != nil {
			return err
		}
	}
	return proceed(ctx, key, in, streams, &m, *answering, *judging)
}

// proceed takes answers and grades, and reports.
func proceed(ctx context.Context, key []keyed, in func(string) string, streams chatlog.Streams, m *model, answering, judging string) error {
	if answering != "" {
		if err := m.answer(ctx, answering, in); err != nil {
			return err
		}
	}
	answered, err := read[answer](in(answersFile))
	if err != nil {
		return err
	}
	if len(answered) == 0 {
		fmt.Fprintf(streams.Out, "%s wait in %s. Answer each as {\"id\": …, \"answer\": …} in %s, and run this again.\n", terminal.Count(len(key), "sheet"), in(sheetsFile), in(answersFile))
		return nil
	}
	if err := writeJudging(key, answered, in); err != nil {
		return err
	}
	if judging != "" {
		if err := m.judge(ctx, judging, in); err != nil {
			return err
		}
	}
	grades, err := read[grade](in(gradesFile))
	if err != nil {
		return err
	}
	if len(grades) == 0 {
		fmt.Fprintf(streams.Out, "%s wait in %s. Judge each as {\"id\": …, \"grade\": \"right\", \"partly\" or \"wrong\"} in %s, and run this again.\n", terminal.Count(len(answered), "answer"), in(judgingFile), in(gradesFile))
		return nil
	}
	return report(key, grades, streams.Out)
}
