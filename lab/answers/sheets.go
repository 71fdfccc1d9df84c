package answers

import (
	"bufio"
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"unicode/utf8"

	"heddle/bot/conversation"
	"heddle/graph"
	"heddle/graph/affinity"
	"heddle/internal/evaluation"
	"heddle/internal/terminal"
	"heddle/internal/why"
	"heddle/lab/chatlog"
)

// sheet is a request without a hint at its strategy.
type sheet struct {
	ID       string    `json:"id"`
	Messages []message `json:"messages"`
}

type message struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

// keyed is what only the report may know of a sheet.
type keyed struct {
	ID         string   `json:"id"`
	Judged     string   `json:"judged"` // the id under which its answer is judged
	Strategy   string   `json:"strategy"`
	Kind       string   `json:"kind"`
	Question   string   `json:"question"`
	Facts      []string `json:"facts"` // the messages that an answer needs
	Characters int      `json:"characters"`
}

type answer struct {
	ID     string `json:"id"`
	Answer string `json:"answer"`
}

// judged is an answer to be judged.
type judged struct {
	ID       string   `json:"id"`
	Question string   `json:"question"`
	Facts    []string `json:"facts"`
	Answer   string   `json:"answer"`
}

// rivals returns the strategies that are compared: heddle as it answers, windows, and the chain of
// replies that other bots read.
func rivals() ([]evaluation.Rival, error) {
	const recalled, chain = 6, 30
	weights, err := affinity.Default()
	if err != nil {
		return nil, fmt.Errorf("read the weights built in: %w", err)
	}
	bot := why.Bot{Settings: conversation.Settings{Expand: graph.DefaultOptions(), Recall: recalled}}
	bot.Expand.Affinity, bot.Expand.TimeThreshold = weights, graph.AutoThreshold
	return []evaluation.Rival{
		{Name: "heddle", Strategy: bot.Answering},
		{Name: "last-60", Strategy: evaluation.Last(60)},
		{Name: "last-30", Strategy: evaluation.Last(30)},
		{Name: "reply-chain", Strategy: evaluation.ReplyChain(chain)},
	}, nil
}

// writeSheets writes a sheet for each question and strategy, and their key, and returns the key.
func writeSheets(logs []*chatlog.Log, questions []evaluation.Question, seed uint64, in func(string) string) ([]keyed, error) {
	plain := make([]*evaluation.Log, len(logs))
	for i, log := range logs {
		plain[i] = &log.Log
	}
	compared, err := rivals()
	if err != nil {
		return nil, err
	}
	var sheets []sheet
	var key []keyed
	for n := range questions {
		posed, err := questions[n].Pose(plain)
		if err != nil {
			return nil, err //nolint:wrapcheck // it names file and line
		}
		var facts []string
		for _, i := range posed.Needed {
			facts = append(facts, said(&posed.Sight.Before[i]))
		}
		for _, rival := range compared {
			chosen, err := rival.Strategy(posed.Sight)
			if err != nil {
				return nil, fmt.Errorf("choose for question %d: %w", n+1, err)
			}
			id := blind("sheet", seed, n, rival.Name)
			messages, characters := request(&posed.Sight, &chosen)
			sheets = append(sheets, sheet{id, messages})
			key = append(key, keyed{id, blind("judged", seed, n, rival.Name), rival.Name, posed.Kind, said(&posed.Sight.Trigger), facts, characters})
		}
	}
	slices.SortFunc(sheets, func(a, b sheet) int { return cmp.Compare(a.ID, b.ID) })
	if err := write(in(sheetsFile), sheets); err != nil {
		return nil, err
	}
	return key, write(in(keyFile), key) // last, as it shows that the sheets are whole
}

// blind returns an id by which nobody tells a strategy. In order of ids, sheets are shuffled.
func blind(of string, seed uint64, question int, strategy string) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s %d %d %s", of, seed, question, strategy))
	return hex.EncodeToString(sum[:8])
}

const system = "You are a friendly member of this Discord channel. Each message begins with who said it. Answer the last one, from what was said here. If that does not hold the answer, say so."

// request returns what a model is sent: the conversation, the background in one message, and the
// question last; and how many characters of the channel that is. All strategies have one form.
func request(sight *evaluation.Sight, chosen *evaluation.Chosen) (messages []message, characters int) {
	messages = []message{{"system", system}}
	for _, i := range chosen.Conversation {
		messages = append(messages, message{"user", said(&sight.Before[i])})
		characters += utf8.RuneCountInString(sight.Before[i].Text)
	}
	beside := slices.Concat(chosen.Background, chosen.Recalled)
	slices.Sort(beside)
	var around bytes.Buffer
	for _, i := range slices.Compact(beside) {
		around.WriteString(said(&sight.Before[i]) + "\n")
		characters += utf8.RuneCountInString(sight.Before[i].Text)
	}
	if around.Len() > 0 {
		messages = append(messages, message{"user", "(Also said in the channel, for what the question asks about:)\n" + around.String()})
	}
	return append(messages, message{"user", said(&sight.Trigger)}), characters
}

func said(m *graph.Message) string { return "[" + cmp.Or(m.Name, "somebody new") + "] " + m.Text }

// writeJudging writes the answers that are to be judged, shuffled.
func writeJudging(key []keyed, answers []answer, in func(string) string) error {
	var all []judged
	for _, a := range answers {
		at := slices.IndexFunc(key, func(k keyed) bool { return k.ID == a.ID })
		if at < 0 {
			return terminal.Errorf("%s answers sheet %q, and there is no such sheet; correct its id", in(answersFile), a.ID)
		}
		all = append(all, judged{key[at].Judged, key[at].Question, key[at].Facts, a.Answer})
	}
	slices.SortFunc(all, func(a, b judged) int { return cmp.Compare(a.ID, b.ID) })
	return write(in(judgingFile), all)
}

// read reads a file of JSON lines; nothing if there is none.
func read[T any](file string) (all []T, err error) {
	text, err := os.ReadFile(file) //nolint:gosec // the folder is the caller's choice
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, terminal.Errorf("%s cannot be read: %w", file, err)
	}
	const longest = 16 << 20
	lines := bufio.NewScanner(bytes.NewReader(text))
	lines.Buffer(nil, longest)
	for n := 1; lines.Scan(); n++ {
		if len(bytes.TrimSpace(lines.Bytes())) == 0 {
			continue
		}
		var one T
		if err := json.Unmarshal(lines.Bytes(), &one); err != nil {
			return nil, terminal.Errorf("%s, line %d is not as expected: %w; each line is one JSON object", file, n, err)
		}
		all = append(all, one)
	}
	if err := lines.Err(); err != nil {
		return nil, terminal.Errorf("%s cannot be read: %w", file, err)
	}
	return all, nil
}

// write writes a file of JSON lines.
func write[T any](file string, all []T) error {
	return chatlog.WriteFile(file, func(w io.Writer) error { //nolint:wrapcheck // it names the file
		lines := json.NewEncoder(w)
		lines.SetEscapeHTML(false)
		for i := range all {
			if err := lines.Encode(all[i]); err != nil {
				return fmt.Errorf("write %s: %w", file, err)
			}
		}
		return nil
	})
}
