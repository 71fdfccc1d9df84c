package answers

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"
	"time"

	"heddle/internal/terminal"
)

// model is an API that speaks chat completions.
type model struct{ url, key string }

// patience is how long one completion may take.
const patience = 5 * time.Minute

const judge = `You judge an answer to a question that was asked in a chat. You are given the question, the messages that hold what a right answer needs, and the answer. Say "right" if it says what the question asks for and nothing that the messages contradict; "partly" if something that was asked for is missing; "wrong" if it is false, or says nothing. If there are no messages, the question needs none: judge the answer by what you know. Reply with one of these words and nothing else.`

// answer has a model answer the sheets that have no answer yet.
func (m *model) answer(ctx context.Context, name string, in func(string) string) error {
	sheets, err := read[sheet](in(sheetsFile))
	if err != nil {
		return err
	}
	answered, err := read[answer](in(answersFile))
	if err != nil {
		return err
	}
	for _, s := range sheets {
		if slices.ContainsFunc(answered, func(a answer) bool { return a.ID == s.ID }) {
			continue
		}
		text, err := m.complete(ctx, name, s.Messages)
		if err != nil {
			return err
		}
		if err := add(in(answersFile), answer{s.ID, text}); err != nil {
			return err
		}
	}
	return nil
}

// judge has a model judge the answers that have no grade yet.
func (m *model) judge(ctx context.Context, name string, in func(string) string) error {
	all, err := read[judged](in(judgingFile))
	if err != nil {
		return err
	}
	graded, err := read[grade](in(gradesFile))
	if err != nil {
		return err
	}
	for _, j := range all {
		if slices.ContainsFunc(graded, func(g grade) bool { return g.ID == j.ID }) {
			continue
		}
		text, err := m.complete(ctx, name, []message{
			{"system", judge},
			{"user", "Question:\n" + j.Question + "\n\nMessages:\n" + strings.Join(j.Facts, "\n") + "\n\nAnswer:\n" + j.Answer},
		})
		if err != nil {
			return err
		}
		g := strings.ToLower(strings.Trim(text, " \n\".*"))
		if g != right && g != partly && g != wrong {
			return terminal.Errorf("the judge says %q of answer %s; take a model that says right, partly or wrong", excerpt(text), j.ID)
		}
		if err := add(in(gradesFile), grade{j.ID, g}); err != nil {
			return err
		}
	}
	return nil
}

// complete returns what a model says to messages.
func (m *model) complete(ctx context.Context, name string, messages []message) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	body, err := json.Marshal(map[string]any{"model": name, "messages": messages})
	if err != nil {
		return "", fmt.Errorf("write a request: %w", err)
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, strings.TrimSuffix(m.url, "/")+"/chat/completions", bytes.NewReader(body))
	if err != nil {
		return "", terminal.Errorf("the address is wrong: %w; correct --url", err)
	}
	request.Header.Set("Content-Type", "application/json")
	if m.key != "" {
		request.Header.Set("Authorization", "Bearer "+m.key)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return "", terminal.Errorf("the model cannot be reached: %w; what was answered is kept, run this again", err)
	}
	defer response.Body.Close() //nolint:errcheck // it was read
	const most = 4 << 20
	read, err := io.ReadAll(io.LimitReader(response.Body, most))
	var completion struct {
		Choices []struct {
			Message struct {
				Content string `json:"content"`
			} `json:"message"`
		} `json:"choices"`
	}
	if err != nil || response.StatusCode != http.StatusOK || json.Unmarshal(read, &completion) != nil || len(completion.Choices) == 0 {
		return "", terminal.Errorf("the model answers %s: %s; what was answered is kept, run this again", response.Status, excerpt(string(read)))
	}
	return completion.Choices[0].Message.Content, nil
}

func excerpt(text string) string {
	const most = 200
	return text[:min(len(text), most)]
}

// add appends a line to a file, so that nothing is lost if the next one fails.
func add(file string, one any) error {
	line, err := json.Marshal(one)
	if err != nil {
		return fmt.Errorf("write %s: %w", file, err)
	}
	f, err := os.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600) //nolint:gosec // the folder is the caller's choice
	if err != nil {
		return terminal.Errorf("%s cannot be written: %w", file, err)
	}
	if _, err := f.Write(append(line, '\n')); err != nil {
		_ = f.Close()
		return fmt.Errorf("write %s: %w", file, err)
	}
	return f.Close() //nolint:wrapcheck // it names the file
}
