package eval

import (
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"heddle/graph"
	"heddle/internal/evaluation"
	"heddle/lab/chatlog"
)

// ReadQuestions reads the questions of a file, or of those files in a folder whose names,
// without their ends, match none of some patterns.
func ReadQuestions(place string, without []string) (all []evaluation.Question, err error) {
	files, err := filepath.Glob(filepath.Join(place, "*.jsonl"))
	if err == nil && len(files) == 0 {
		files = []string{place}
	}
	files = slices.DeleteFunc(files, func(file string) bool {
		return slices.ContainsFunc(without, func(pattern string) bool {
			left, _ := filepath.Match(pattern, strings.TrimSuffix(filepath.Base(file), ".jsonl"))
			return left
		})
	})
	for _, file := range files {
		questions, err := evaluation.ReadQuestions(file)
		if err != nil {
			return nil, err
		}
		all = append(all, questions...)
	}
	return all, nil
}

// plain returns logs without their marks.
func plain(logs []*chatlog.Log) []*evaluation.Log {
	all := make([]*evaluation.Log, len(logs))
	for i, log := range logs {
		all[i] = &log.Log
	}
	return all
}

// Asked is a question from which can be learnt: the page of messages before it and then the
// question itself, and which of the page it needs.
type Asked struct {
	Kind   string
	Window []*graph.Message
	Needed []bool
}

// Length returns the number of characters of a message of the window.
func (a *Asked) Length(i int) float64 { return float64(utf8.RuneCountInString(a.Window[i].Text)) }

// ReadAsked reads the questions of a file, or of those files in a folder whose names match
// none of some patterns.
func ReadAsked(place string, logs []*chatlog.Log, without []string) (all []Asked, err error) {
	questions, err := ReadQuestions(place, without)
	if err != nil {
		return nil, err
	}
	for k := range questions {
		a, err := questions[k].Pose(plain(logs))
		if err != nil {
			return nil, err
		}
		chosen, _ := evaluation.Last(page)(a.Sight)
		asked := Asked{Kind: a.Kind}
		for _, i := range chosen.Conversation {
			asked.Window, asked.Needed = append(asked.Window, &a.Sight.Before[i]), append(asked.Needed, slices.Contains(a.Needed, i))
		}
		asked.Window = append(asked.Window, &a.Sight.Trigger)
		all = append(all, asked)
	}
	return all, nil
}

// page is the number of messages before a question that are judged.
const page = 100
