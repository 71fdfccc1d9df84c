package conversation

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/bits"
	"slices"
	"strings"
	"unicode/utf8"

	"heddle/graph"
	"heddle/graph/path"
	"heddle/graph/recall"
	"heddle/llm"
)

// fit decides how much of the files is shown. The texts of one message share a quarter of the
// budget, whatever else is in the conversation, so that what is shown of them stays from
// question to question. The files of the question never take more than room, which is what the
// path has beside the system prompt; its first picture is shown all the same.
func (t *tokens) fit(ctx context.Context, p *Prepared, files []file, room int) {
	room -= t.Count(ctx, path.TurnOf(p.Graph.Trigger, p.Graph.Trigger.Name))
	empty := path.Turn{Role: path.RoleUser}
	picture := t.Count(ctx, path.Turn{Role: path.RoleUser, Parts: path.Parts{path.Image{}}}) - t.Count(ctx, empty)
	byMessage := make(map[*graph.Message][]*file)
	shown := 0 // pictures of the question
	for i := range files {
		f := &files[i]
		c, read := p.read[f.attachment().ID]
		switch asks := f.message == &p.Graph.Trigger; {
		case !read:
		case c.text != "":
			byMessage[f.message] = append(byMessage[f.message], f)
		case asks && shown > 0 && picture > room:
			f.why = "unread_many"
			delete(p.read, f.attachment().ID)
		case asks:
			shown, room = shown+1, room-picture
		}
	}
	for m, texts := range byMessage {
		left := t.Budget / 4
		if m == &p.Graph.Trigger {
			left = min(left, room)
		}
		for _, f := range texts { // the line that ends a file is as long as the one that begins it
			left -= t.ofText(ctx, f.attachment().Name)
		}
		t.share(ctx, p.read, texts, max(left, 0))
	}
}

// share divides room tokens among texts: those that need less than an equal part leave the rest
// to the others.
func (t *tokens) share(ctx context.Context, read contents, texts []*file, room int) {
	count := func(text string) int { return t.ofText(ctx, text) }
	need := make(map[*file]int, len(texts))
	for _, f := range texts {
		if need[f] = room; len(read[f.attachment().ID].text) < room*longToken {
			need[f] = min(room, count(read[f.attachment().ID].text))
		}
	}
	slices.SortStableFunc(texts, func(a, b *file) int { return cmp.Compare(need[a], need[b]) })
	for i, f := range texts {
		part := min(need[f], room/(len(texts)-i))
		room -= part
		c := read[f.attachment().ID]
		if c.shown = passageOf(c.text, part, count); c.shown.head == "" {
			f.why = "unread_large"
		}
		read[f.attachment().ID] = c
	}
}

// The bounds of the excerpts from long files.
const (
	mostExcerpts = 8
	mostScanned  = 4 << 20 // bytes of a file
	longestPiece = 400     // bytes of a line
	around       = 2       // lines on either side
)

// excerpt is a place in a long text that shares words with a question.
type excerpt struct {
	message *graph.Message
	file    *graph.Attachment
	line    int
	text    string
	score   float64
}

// excerpts returns the lines around words of the question that are left out of the texts on the
// path, in order, as many as fit into half of room tokens, the best first. It also returns what
// they leave of the room.
func (t *tokens) excerpts(ctx context.Context, p *Prepared, room int) (turns []path.Turn, left int) {
	words := recall.WordsOf(&p.Graph.Trigger)
	if len(words) == 0 || len(p.read) == 0 {
		return nil, room
	}
	var all []excerpt
	for i := range p.Built.Messages {
		m := &p.Built.Messages[i]
		for k := range m.Attachments {
			for _, e := range places(p.read[m.Attachments[k].ID], words) {
				e.message, e.file = m, &m.Attachments[k]
				all = append(all, e)
			}
		}
	}
	best := slices.Clone(all)
	slices.SortStableFunc(best, func(a, b excerpt) int { return cmp.Compare(b.score, a.score) })
	left = room
	taken := make(map[string]bool)
	for _, e := range best {
		if took := t.ofText(ctx, llm.Render(e.turn(p.Built.Names))); len(taken) < mostExcerpts && took <= left-room/2 {
			left -= took
			taken[e.key()] = true
		}
	}
	for i := range all {
		if taken[all[i].key()] {
			turns = append(turns, all[i].turn(p.Built.Names))
		}
	}
	return turns, left
}

func (e *excerpt) key() string { return fmt.Sprint(e.file.ID, e.line, len(e.text)) }

// turn returns an excerpt as the model reads it: a file that says where it begins.
func (e *excerpt) turn(names *path.Names) path.Turn {
	return path.Turn{Role: path.RoleUser, Speaker: names.Of(e.message), Parts: []path.Part{path.File{
		Content: path.Content{Hash: e.file.Hash, Attachment: e.file.ID}, Name: fmt.Sprintf("%s from line %d", e.file.Name, e.line), Type: e.file.Type, Text: e.text,
	}}}
}

// piece is a line of a text, or a part of a long one.
type piece struct {
	line     int
	from, to int
	words    uint64 // of the question
}

// places returns the places that are left out of a text and share words with a question, in
// order. Words count the more the fewer lines have them; those of every eighth line do not.
func places(c content, words recall.Words) []excerpt {
	if c.shown.gap == "" {
		return nil
	}
	pieces := piecesOf(c.text, len(c.shown.head), len(c.text)-len(c.shown.end), words)
	var lines [64]int // that have a word
	for i := range pieces {
		for held := pieces[i].words; held != 0; held &= held - 1 {
			lines[bits.TrailingZeros64(held)]++
		}
	}
	scores := make([]float64, len(pieces))
	var found []int
	best := 0.0
	for i := range pieces {
		for held := pieces[i].words; held != 0; held &= held - 1 {
			if n := lines[bits.TrailingZeros64(held)]; n == 1 || n*8 <= len(pieces) {
				scores[i] += math.Log(1 + float64(len(pieces))/float64(n))
			}
		}
		if scores[i] > 0 {
			found, best = append(found, i), max(best, scores[i])
		}
	}
	slices.SortStableFunc(found, func(a, b int) int { return cmp.Compare(scores[b], scores[a]) })
	var taken []int
	for _, i := range found {
		near := slices.ContainsFunc(taken, func(k int) bool { return max(i-k, k-i) <= 2*around })
		if len(taken) < mostExcerpts && !near && scores[i] >= best/2 {
			taken = append(taken, i)
		}
	}
	slices.Sort(taken)
	var all []excerpt
	for _, i := range taken {
		from, to := &pieces[max(i-around, 0)], &pieces[min(i+around, len(pieces)-1)]
		all = append(all, excerpt{line: from.line, text: strings.TrimSuffix(c.text[from.from:to.to], "\n"), score: scores[i]})
	}
	return all
}

// piecesOf returns the lines of a part of a text.
func piecesOf(text string, from, to int, words recall.Words) (all []piece) {
	line := strings.Count(text[:from], "\n") + 1
	to = min(to, from+mostScanned)
	for from < to {
		end := to
		if at := strings.IndexByte(text[from:to], '\n'); at >= 0 {
			end = from + at + 1
		}
		if end-from > longestPiece {
			end = from + longestPiece
			for !utf8.RuneStart(text[end]) { // text is valid UTF-8
				end--
			}
		}
		all = append(all, piece{line, from, end, words.In(text[from:end])})
		if text[end-1] == '\n' {
			line++
		}
		from = end
	}
	return all
}
