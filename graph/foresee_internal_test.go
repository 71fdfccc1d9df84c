package graph

import (
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
	"time"
)

// guessed is an affinity that guesses, the same for the same messages.
type guessed struct{}

func (guessed) Links(window []*Message) Links {
	links := NewLinks(len(window))
	for j, m := range window {
		random, left := rand.New(rand.NewPCG(uint64(m.ID), 3)), float32(1)
		for i, row := j-1, links.Row(j); i >= 0; i-- {
			row[i] = left * random.Float32() / 2
			left -= row[i]
		}
	}
	return links
}

// slow is a channel without a reply, and a source of it.
func slow(seed uint64, size int) ([]Message, SourceFunc) {
	random := rand.New(rand.NewPCG(seed, 11))
	messages := make([]Message, size)
	at := time.Unix(1e9, 0)
	for i := range messages {
		at = at.Add(time.Duration(random.ExpFloat64() * float64(time.Minute)))
		messages[i] = Message{ID: MessageID(10 * (i + 1)), Channel: 1, Time: at, Author: UserID(1 + random.IntN(5)), Text: "thread"}
		if random.IntN(12) == 0 {
			messages[i].References = []Reference{{Kind: ReferenceReply, Channel: 1, Message: MessageID(10 * (1 + random.IntN(i+1)))}}
		}
	}
	return messages, func(b Batch) (Reading, error) {
		r := Reading{Found: make([]Found, len(b.Lookups)), Stretches: make([]Stretch, len(b.Walks))}
		for i, l := range b.Lookups {
			if at := int(l.Message)/10 - 1; at >= 0 && at < len(messages) {
				r.Found[i] = Found{ReferenceResolved, messages[at]}
			}
		}
		for i, w := range b.Walks {
			s := &r.Stretches[i]
			for _, m := range slices.Backward(messages) {
				if w.Direction == Older && m.ID < w.From.Message && len(s.Messages) < w.Limit {
					s.Messages = append(s.Messages, m)
				}
			}
			for _, m := range messages {
				if w.Direction == Newer && m.ID > w.From.Message && len(s.Messages) < w.Limit {
					s.Messages = append(s.Messages, m)
				}
			}
			if len(s.Messages) < w.Limit {
				s.End = EndChannel
			}
		}
		return r, nil
	}
}

// TestWhatIsForeseenIsWhatIsDrawn compares expansions after Foresee with others, bit for
// bit, and demands that most take over what was foreseen.
func TestWhatIsForeseenIsWhatIsDrawn(t *testing.T) {
	used := 0
	const channels = 100
	for seed := range uint64(channels) {
		messages, source := slow(seed, 30+int(seed)*2)
		last := &messages[len(messages)-1]
		options := Options{MinLinear: 10, MaxTotal: 30, Affinity: guessed{}, Scratch: NewScratch()}
		trigger := Message{ID: last.ID + 10, Channel: 1, Time: last.Time.Add(time.Minute), Author: 2, Text: "which?"}
		if seed%4 == 0 {
			trigger.References = []Reference{{Kind: ReferenceReply, Channel: 1, Message: MessageID(10 * (1 + seed%20))}}
		}
		want, err := Expand(source, trigger, options)
		if err != nil {
			t.Fatal(err)
		}
		options.Foreseen = NewForeseen()
		judge := func(before []*Message) Links {
			links := NewLinks(len(before) + 1)
			for j := range before {
				copy(links.Row(j), guessed{}.Links(before).Row(j))
			}
			return links
		}
		if err := Foresee(source, Message{ID: last.ID + 1, Channel: 1}, options, judge); err != nil {
			t.Fatal(err)
		}
		got, err := Expand(source, trigger, options)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("channel %d: with what was foreseen the graph is another, want the same", seed)
		}
		memory := options.Scratch.take()
		if kept := options.Foreseen.of(1); kept != nil && kept.key == options.Foreseen.key(&memory.belief) {
			used++
		}
		options.Foreseen.Forget(1)
		if options.Foreseen.of(1) != nil {
			t.Fatal("what is forgotten is kept, want nothing of the channel")
		}
	}
	if used < channels/2 {
		t.Errorf("what was foreseen is used in %d of %d channels, want most", used, channels)
	}
}

// TestWhatWasNotForeseenIsDrawn changes one thing at a time of what turns are drawn from.
func TestWhatWasNotForeseenIsDrawn(t *testing.T) {
	f := NewForeseen()
	begin := func(people string, longest time.Duration, weight float64) *belief {
		b := newBelief(len(people))
		alikely(b)
		b.beginTurns(talking(people), longest, weight)
		return b
	}
	f.foresee(1, begin("abcabcab", time.Hour, 1))
	other := begin("abcabcab", time.Hour, 1)
	other.row(5)[2] = 0.1
	settled := begin("abcabcab", time.Hour, 1)
	settled.settled[3] = true
	for name, b := range map[string]*belief{
		"another link": other, "a reply": settled,
		"other people": begin("abcbbcab", time.Hour, 1), "pauses": begin("abcabcab", time.Second, 1),
		"another weight": begin("abcabcab", time.Hour, 0.5), "a message more": begin("aabcabcab", time.Hour, 1),
	} {
		if from := f.resume(1, b); from != 0 {
			t.Errorf("%s: turns are drawn from message %d on, want all", name, from)
		}
	}
	if from := f.resume(1, begin("abcabcad", time.Hour, 1)); from != 7 {
		t.Errorf("with another trigger turns are drawn from message %d on, want 7", from)
	}
	if from := f.resume(2, begin("abcabcab", time.Hour, 1)); from != 0 {
		t.Errorf("in another channel turns are drawn from message %d on, want all", from)
	}
}

// TestFewChannelsAreForeseen foresees more channels than are kept.
func TestFewChannelsAreForeseen(t *testing.T) {
	f := NewForeseen()
	for channel := range ChannelID(foreseenChannels + 10) {
		b := newBelief(3)
		b.beginTurns(talking("aba"), time.Hour, 1)
		f.foresee(1+channel, b)
	}
	table := <-f.table
	f.table <- table
	if n := len(table.channels); n != foreseenChannels {
		t.Errorf("%d channels are kept, want %d", n, foreseenChannels)
	}
	if f.of(1) != nil || f.of(foreseenChannels+10) == nil {
		t.Errorf("the channel that was foreseen first is kept: %v, the last: %v, want only the last", f.of(1) != nil, f.of(foreseenChannels+10) != nil)
	}
}
