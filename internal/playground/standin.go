package playground

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"heddle/graph"
	"heddle/internal/openaitest"
	"heddle/internal/terminal"
)

const standInName = "the demo"

// prompt is a request in the form that the simulated model reads.
type prompt struct {
	turns      []turn // the conversation, the question last
	background []turn
}

type turn struct{ who, text string }

// standIn simulates a model. Its answer says that it is a demo, and which messages a model
// would get.
func standIn(request openaitest.Request) openaitest.Reply {
	answer := openaitest.Answer(strings.SplitAfter(reply(readPrompt(request.Chat.Messages)), " ")...)
	begin := time.Now()
	for i := range answer.Chunks {
		gate := make(chan struct{})
		answer.Chunks[i].Wait = gate
		time.AfterFunc(time.Until(begin.Add(time.Duration(i)*pace)), func() { close(gate) })
	}
	return answer
}

// reply answers a prompt: with a report on it or, to a catch-up, with a digest of its talks.
func reply(p prompt) string {
	if len(p.turns) > 0 && strings.HasPrefix(p.turns[0].who, "talk") {
		return digest(p.turns)
	}
	return report(p)
}

// pace is the time between two words, about that of a fast model.
const pace = 20 * time.Millisecond

// greeting begins what the simulated model says.
const greeting = "**Hi, I'm a demo.** No language model is connected yet, so I show you what one would read."

// digest describes talks as a catch-up asks for it, by their first and last messages. It
// tells one talk that was opened with its messages.
func digest(turns []turn) string {
	if turns[0].who == "talk 1" {
		var b strings.Builder
		for i, t := range turns {
			lines := strings.Split(strings.TrimSpace(t.text), "\n")
			_, title, _ := strings.Cut(lines[0], ": ")
			text, _ := json.Marshal(map[string]any{"talk": i + 1, "title": title, "about": "It ends with “" + excerpt(lines[len(lines)-1]) + "”. A real model sums it up here."}) // texts always have JSON
			b.Write(append(text, '\n'))
		}
		return b.String()
	}
	var lines []turn
	for line := range strings.SplitSeq(strings.TrimSpace(turns[0].text), "\n") {
		who, said, _ := strings.Cut(line, ": ")
		lines = append(lines, turn{who, said})
	}
	var b strings.Builder
	b.WriteString(greeting + "\n")
	writeContext(&b, lines)
	return b.String()
}

// report describes a prompt in Markdown.
func report(p prompt) string {
	var b strings.Builder
	b.WriteString(greeting + "\n")
	if len(p.turns) == 0 {
		b.WriteString("That was nothing.")
		return b.String()
	}
	question, context := p.turns[len(p.turns)-1], p.turns[:len(p.turns)-1]
	switch len(context) {
	case 0:
		b.WriteString("You asked out of the blue: nothing before it belongs to this conversation.\n")
	case 1:
		b.WriteString("One earlier message belongs to this conversation:\n")
	default:
		fmt.Fprintf(&b, "%d earlier messages belong to this conversation, oldest first:\n", len(context))
	}
	writeContext(&b, context)
	fmt.Fprintf(&b, "Then **%s** asked: %s\n", question.who, excerpt(question.text))
	if len(p.background) > 0 {
		fmt.Fprintf(&b, "Of other talks it would get %s as background.\n", terminal.Count(len(p.background), "message"))
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// writeContext lists messages: the first and the last ones, if there are many.
func writeContext(b *strings.Builder, context []turn) {
	const begin, end = 4, 7 // with names, as much as fits into one message on Discord
	for i, s := range context {
		switch left := len(context) - begin - end; {
		case i < begin || i >= len(context)-end:
			fmt.Fprintf(b, "> **%s** %s\n", s.who, excerpt(s.text))
		case i == begin:
			fmt.Fprintf(b, "> … %d more …\n", left)
		}
	}
}

// readPrompt reads the turns of a request. Turns of people start with a line [speaker:
// NAME]. A user turn without such a line is heddle's own and contains the background.
func readPrompt(messages []openaitest.Message) prompt {
	var p prompt
	for _, m := range messages {
		switch m.Role {
		case "assistant":
			p.turns = append(p.turns, turn{"heddle", m.Text()})
		case "user":
			if who, text, ok := speaker(m.Text()); ok {
				p.turns = append(p.turns, turn{who, text})
				continue
			}
			p.background = append(p.background, background(m.Text())...)
		}
	}
	return p
}

const speakerLabel = "[speaker: "

// speaker splits a turn into its label and its text, and reports whether there is a
// label.
func speaker(text string) (who, said string, ok bool) {
	rest, ok := strings.CutPrefix(text, speakerLabel)
	if !ok {
		return "", "", false
	}
	first, said, _ := strings.Cut(rest, "\n")
	return strings.TrimSuffix(first, "]"), said, true
}

// background reads the labelled turns within heddle's own turn.
func background(text string) []turn {
	var all []turn
	for _, piece := range strings.Split("\n"+text, "\n"+speakerLabel)[1:] {
		if who, text, ok := speaker(speakerLabel + piece); ok {
			all = append(all, turn{who, text})
		}
	}
	return all
}

// excerpt returns the beginning of a text on one line.
func excerpt(text string) string { return graph.OneLine(text, 100) }
