package train

import (
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"heddle/graph"
)

// People ask heddle about earlier messages, in some of their words. Logs contain few
// such questions, so some lessons end with an invented one.
const (
	shortestAsked = 4 // least number of words of a message that is asked about
	mostAsked     = 5 // most words of it that the question uses
	askWeight     = 8 // weight of the question, in messages
	longWord      = 4 // least number of characters of a word that the question uses
)

// ask appends to a lesson a question about a random message of it.
func (v *variation) ask(lesson *exercise) {
	about := v.random.IntN(len(lesson.Window))
	m := lesson.Window[about]
	words := strings.FieldsFunc(m.Text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	if len(words) < shortestAsked {
		return
	}
	var taken []string
	for _, k := range v.random.Perm(len(words)) {
		if utf8.RuneCountInString(words[k]) >= longWord && len(taken) < 2+v.random.IntN(mostAsked-1) {
			taken = append(taken, strings.ToLower(words[k]))
		}
	}
	if len(taken) < 2 {
		return
	}
	slices.Sort(taken)
	v.random.Shuffle(len(taken), func(a, b int) { taken[a], taken[b] = taken[b], taken[a] })
	last := lesson.Window[len(lesson.Window)-1]
	question := &graph.Message{
		ID: last.ID + 1, Channel: last.Channel, Text: "so " + strings.Join(taken, " ") + "?",
		Author: lesson.Window[v.random.IntN(len(lesson.Window))].Author,
		Time:   last.Time.Add(time.Duration(v.random.ExpFloat64() * float64(2*time.Minute))),
	}
	lesson.Window = append(lesson.Window, question)
	lesson.Parents = append(lesson.Parents, []int{about})
	lesson.Hidden, lesson.Blind = append(lesson.Hidden, false), append(lesson.Blind, false)
	lesson.Weight = append(lesson.Weight, askWeight)
}
