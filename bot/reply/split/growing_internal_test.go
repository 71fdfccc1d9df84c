package split

import (
	"slices"
	"strings"
	"testing"

	"heddle/internal/expensive"
	"heddle/internal/markdown"
)

// TestASpoilerIsHiddenWhileItGrows shows an answer word by word: what is to be hidden never
// stands in the open.
func TestASpoilerIsHiddenWhileItGrows(t *testing.T) {
	var g Growing
	for _, step := range []struct{ more, shown string }{
		{"It was ", "It was"},
		{"||", "It was"},
		{"the butler", "It was ||the butler||"},
		{" with a rope", "It was ||the butler with a rope||"},
		{"||.", "It was ||the butler with a rope||."},
	} {
		g.tail += step.more
		if got := g.Unfinished(" ▍"); got != step.shown+" ▍" {
			t.Errorf("after %q it shows %q, want %q", step.more, got, step.shown)
		}
	}
	g.tail = "a || b"
	if got := g.First().Text; got != "a || b" {
		t.Errorf("in the end it says %q, want %q", got, "a || b")
	}
}

// TestASpoilerIsHiddenHoweverFullTheMessageIs shows an answer letter by letter up to the
// limit of a message and beyond: no shown text opens a spoiler that it does not close.
func TestASpoilerIsHiddenHoweverFullTheMessageIs(t *testing.T) {
	for from := Limit - 40; from < Limit; from++ {
		var g Growing
		g.tail = strings.Repeat("x", from) + "||"
		for range 80 {
			g.tail += "y"
			if c := g.First(); c.More {
				g.Skip(c)
			}
			shown := g.Unfinished(" ▍")
			if n := strings.Count(shown, veil); n%2 != 0 || Units(shown) > Limit {
				t.Fatalf("%d characters with %d bars are shown, want at most %d and every spoiler closed: …%q", Units(shown), 2*n, Limit, shown[max(0, len(shown)-60):])
			}
		}
	}
}

// TestALinkIsShownWithItsAddressAtEveryMoment shows an answer letter by letter: what may
// become a link or code waits for its end, and nothing that was shown is taken back.
func TestALinkIsShownWithItsAddressAtEveryMoment(t *testing.T) {
	const written = "See [the docs](https://evil.example/a), [ours](https://known.example/b) and `[x](https://evil.example/b)`."
	const want = "See the docs (<https://evil.example/a>), [ours](https://known.example/b) and `[x](https://evil.example/b)`."
	g := Growing{Hosts: func() []string { return []string{"known.example"} }}
	for _, letter := range written {
		g.Add(string(letter))
		shown := g.Unfinished("")
		if !strings.HasPrefix(want, shown) {
			t.Fatalf("people read %q, want a beginning of %q", shown, want)
		}
	}
	g.End()
	if got := g.First().Text; got != want {
		t.Errorf("people read %q in the end, want %q", got, want)
	}
}

// TestMessagesHaveRoomForTheAddressesOfTheirLinks splits a text of links alone.
func TestMessagesHaveRoomForTheAddressesOfTheirLinks(t *testing.T) {
	for _, link := range []string{"[a](b:c) ", "[a]](b:c) ", "[a](b:`c`) "} {
		for _, message := range Messages(strings.Repeat(link, 500), Limit, nil) {
			if n := Units(message); n > Limit || strings.Contains(message, target) {
				t.Errorf("a message of %q has %d characters, want at most %d and no masked link", link, n, Limit)
			}
		}
	}
}

// grow shows an answer in pieces of size bytes, and calls see after each.
func grow(text string, size int, see func(g *Growing, shown string)) {
	var g Growing
	for text != "" {
		n := min(size, len(text))
		g.Add(text[:n])
		text = text[n:]
		for c := g.First(); c.More; c = g.First() {
			g.Skip(c)
		}
		see(&g, g.Unfinished(" ▍"))
	}
}

// TestWhatIsReadWithEveryPieceStaysShort floods an answer with what fills no message: each
// edit reads no more than the message that grows and the row of a table that does.
func TestWhatIsReadWithEveryPieceStaysShort(t *testing.T) {
	for _, begins := range []string{"", "word", "`", "||", markdown.Fence + "\n", markdown.Fence + "\n" + markdown.Fence, "|a|b|\n|-|-|\n|", "[a](http://b", "- "} {
		for _, flood := range []string{" ", "\n", "\t\n", " \n", "\r", "\u3000", "`", "|", "[", "(", "\u0301", "x"} {
			most := 0
			grow(begins+strings.Repeat(flood, 20_000/len(flood)), 50, func(g *Growing, _ string) {
				most = max(most, len(g.tail)+len(g.text.markup.held)+len(g.text.tables.held))
			})
			if most > 4*mostRow {
				t.Errorf("after %q and much %q each edit reads %d bytes, want at most %d", begins, flood, most, 4*mostRow)
			}
		}
	}
}

// BenchmarkExpensiveGrowing shows answers as they grow.
func BenchmarkExpensiveGrowing(b *testing.B) {
	expensive.Text(b, func(text string) { grow(text, 512, func(*Growing, string) {}) })
}

// TestAnAnswerGrowsIntoItsMessages shows answers that come in small pieces: the messages are
// those of the whole text.
func TestAnAnswerGrowsIntoItsMessages(t *testing.T) {
	list := "- a\n  - " + strings.Repeat("wool ", 150) + "\n    - " + strings.Repeat("silk ", 150) + "\n\n    " + strings.Repeat("flax ", 300) + "\n  - b\n"
	wide := strings.Repeat("羊の毛と麻の糸。「綿」を機で織る", 200) + "\n#### 終わり\n---\n" + strings.Repeat("布", 2500)
	for _, text := range []string{list, list + wide, wide + list, "~~~\n" + list + "~~~\n" + wide} {
		var g Growing
		var got []string
		for piece := range slices.Chunk([]rune(text), 41) {
			g.Add(string(piece))
			for c := g.First(); c.More; c = g.First() {
				got = append(got, c.Text)
				g.Skip(c)
			}
		}
		g.End()
		for c := g.First(); c.Text != ""; c = g.First() {
			got = append(got, c.Text)
			g.Skip(c)
		}
		if want := Messages(text, Limit, nil); strings.Join(got, "¶") != strings.Join(want, "¶") {
			t.Errorf("an answer of %d bytes grows into %d messages %q, want %d %q", len(text), len(got), got, len(want), want)
		}
	}
}
