package playground

import (
	"fmt"
	"strings"
	"time"

	"heddle/internal/openaitest"
)

const standInName = "offline stand-in"

// standIn answers in a model's place: it says that it is none, and what it was
// given to answer from.
type standIn struct{}

// heard is a request as the stand-in understands it.
type heard struct {
	turns      []said // the conversation, the question last
	background []said
}

type said struct{ who, text string }

func (standIn) answer(request openaitest.Request) openaitest.Reply {
	text := report(hear(request.Chat.Messages))
	reply := openaitest.Answer(words(text)...)
	begin := time.Now()
	for i := range reply.Chunks {
		gate := make(chan struct{})
		reply.Chunks[i].Wait = gate
		time.AfterFunc(time.Until(begin.Add(time.Duration(i)*pace)), func() { close(gate) })
	}
	return reply
}

// pace is the time between two words, about that of a quick model.
const pace = 20 * time.Millisecond

// report tells what was heard.
func report(h heard) string {
	var b strings.Builder
	b.WriteString("**I am offline**: no language model is connected, so I can only say what I was given.\n")
	if len(h.turns) == 0 {
		b.WriteString("That was nothing.")
		return b.String()
	}
	question, context := h.turns[len(h.turns)-1], h.turns[:len(h.turns)-1]
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
	if len(h.background) > 0 {
		fmt.Fprintf(&b, "%d more %s only background, from other talks.\n", len(h.background), plural(len(h.background), "is", "are"))
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// writeContext lists messages, those in the middle left out where all would not
// fit into one message on Discord.
func writeContext(b *strings.Builder, context []said) {
	const room = 1500 // bytes, which leaves enough for the rest
	lines := make([]string, len(context))
	size := 0
	for i, s := range context {
		lines[i] = fmt.Sprintf("> **%s** %s\n", s.who, excerpt(s.text))
		size += len(lines[i])
	}
	first, last := len(lines)/2, len(lines)/2 // what lies between is left out
	for ; size > room && first > 0; first, last = first-1, last+1 {
		size -= len(lines[first-1]) + len(lines[last])
	}
	b.WriteString(strings.Join(lines[:first], ""))
	if first < last {
		fmt.Fprintf(b, "> … %d more …\n", last-first)
	}
	b.WriteString(strings.Join(lines[last:], ""))
}

func plural(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

// hear reads the turns of a request: people's start with a line [speaker: NAME],
// the last one without such a line is heddle's own and holds the background.
func hear(messages []openaitest.Message) heard {
	var h heard
	for _, m := range messages {
		switch m.Role {
		case "assistant":
			h.turns = append(h.turns, said{"heddle", m.Text()})
		case "user":
			if who, text, ok := speaker(m.Text()); ok {
				h.turns = append(h.turns, said{who, text})
				continue
			}
			h.background = append(h.background, background(m.Text())...)
		}
	}
	return h
}

const speakerLabel = "[speaker: "

func speaker(text string) (who, said string, ok bool) {
	rest, ok := strings.CutPrefix(text, speakerLabel)
	if !ok {
		return "", "", false
	}
	first, said, _ := strings.Cut(rest, "\n")
	return strings.TrimSuffix(first, "]"), said, true
}

// background reads the labelled turns inside of heddle's own turn.
func background(text string) []said {
	var all []said
	for _, piece := range strings.Split("\n"+text, "\n"+speakerLabel)[1:] {
		if who, text, ok := speaker(speakerLabel + piece); ok {
			all = append(all, said{who, text})
		}
	}
	return all
}

// excerpt is the beginning of a text on one line.
func excerpt(text string) string {
	const most = 100
	line := []rune(strings.Join(strings.Fields(text), " "))
	if len(line) > most {
		return string(line[:most-1]) + "…"
	}
	return string(line)
}

// words cuts a text behind its spaces.
func words(text string) []string { return strings.SplitAfter(text, " ") }
