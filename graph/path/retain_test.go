package path_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"heddle/graph"
	"heddle/graph/path"
)

// pairs are n exchanges of two messages with texts of so many characters, the ids
// from 1 on being their positions, answered with the confidences given.
func pairs(n, length int, confidence func(answer int) *float64) ([]graph.Message, map[graph.MessageID]path.Answer) {
	var messages []graph.Message
	answers := map[graph.MessageID]path.Answer{}
	for i := range n {
		request, answer := asked(uint64(2*i+1)), answered(uint64(2*i+2), uint64(2*i+1))
		request.Text, answer.Text = strings.Repeat("q", length), strings.Repeat("a", length)
		messages = append(messages, request, answer)
		answers[answer.ID] = path.Answer{Trigger: request.ID, Finish: "stop", Confidence: confidence(2*i + 2)}
	}
	return messages, answers
}

// atOnce are the default rules, applied as soon as a message is not recent.
func atOnce() path.Retention {
	r := path.DefaultRetention()
	r.Step = 1
	return r
}

func TestConfidenceDecidesExactlyAtItsThresholds(t *testing.T) {
	for name, test := range map[string]struct {
		confidence *float64
		stays      []int // of the answers 2 to 12, all of them old
	}{
		"always":               {new(0.7), []int{2, 4, 6, 8, 10, 12}},
		"certain":              {new(1.0), []int{2, 4, 6, 8, 10, 12}},
		"just below always":    {new(math.Nextafter(0.7, 0)), []int{6, 12}},
		"spaced":               {new(0.6), []int{6, 12}},
		"just below spaced":    {new(math.Nextafter(0.6, 0)), nil},
		"none":                 {new(0.0), nil},
		"unknown":              {nil, nil},
		"not a number":         {new(math.NaN()), nil},
		"above 1 is no share":  {new(1.01), nil},
		"negative is no share": {new(-0.1), nil},
	} {
		t.Run(name, func(t *testing.T) {
			messages, answers := pairs(16, 1000, func(int) *float64 { return test.confidence })
			built := path.Build(conversation(asked(99), messages...), path.Shape{Answers: answers, Retention: atOnce()})
			var stay []int
			for _, id := range ids(built) {
				if id <= 12 && id%2 == 0 {
					stay = append(stay, int(id))
				}
			}
			if !slices.Equal(stay, test.stays) {
				t.Errorf("of the old answers %v stay, want %v", stay, test.stays)
			}
			for i, m := range built.Messages[:len(built.Messages)-1] {
				if other := 1 - 2*(i%2); built.Messages[i+other].Position().Anchor != m.Position().Anchor {
					t.Fatalf("message %s stands without its request or answer in %v, want both", m.ID, ids(built))
				}
			}
			if got := 2 * (6 - len(stay)); built.Dropped != got || len(built.Left) != got {
				t.Errorf("%d messages count as dropped and %d are told, want %d", built.Dropped, len(built.Left), got)
			}
		})
	}
}

func TestTheLastTwentyStay(t *testing.T) {
	for messages, left := range map[int]int{19: 0, 20: 0, 21: 1, 22: 2, 25: 5} {
		g := &graph.Graph{Trigger: asked(99)}
		for i := range messages {
			m := asked(uint64(i + 1))
			m.Text = strings.Repeat("x", 4001)
			g.Conversation = append(g.Conversation, graph.Node{Message: &m, Probability: 0.1})
		}
		if built := path.Build(g, path.Shape{Retention: atOnce()}); built.Dropped != left {
			t.Errorf("of %d messages %d are left out, want %d", messages, built.Dropped, left)
		}
		if built := path.Build(g, path.Shape{Retention: path.DefaultRetention()}); built.Dropped != 0 {
			t.Errorf("of %d messages %d are left out before a step is full, want 0", messages, built.Dropped)
		}
	}
}

func TestTheBaseWindowCountsCharacters(t *testing.T) {
	const family = "👨\u200d👩\u200d👧" // 5 code points
	for name, test := range map[string]struct {
		text  string
		stays bool
	}{
		"exactly full":     {strings.Repeat("x", 4000-20), true},
		"one over":         {strings.Repeat("x", 4001-20), false},
		"joined, full":     {strings.Repeat(family, 796), true},
		"joined, one over": {strings.Repeat(family, 796) + "x", false},
	} {
		t.Run(name, func(t *testing.T) {
			messages := []graph.Message{said(1, 1, "ann", test.text)}
			for i := range 20 {
				messages = append(messages, said(uint64(i+2), 1, "ann", "y"))
			}
			built := path.Build(conversation(asked(99), messages...), path.Shape{Retention: atOnce()})
			if stays := built.Dropped == 0; stays != test.stays {
				t.Errorf("the old message stays: %t, want %t", stays, test.stays)
			}
		})
	}
}

func TestTheBaseWindowStaysHoweverUncertain(t *testing.T) {
	messages, answers := pairs(20, 500, func(answer int) *float64 {
		if answer == 4 {
			return new(0.7)
		}
		return nil
	})
	r := atOnce()
	r.Base, r.Recent = 6000, 6
	built := path.Build(conversation(asked(99), messages...), path.Shape{Answers: answers, Retention: r})
	if got := ids(built); len(got) != 15 || !slices.Equal(got[:3], []uint64{3, 4, 29}) {
		t.Errorf("the path holds %v, want one certain exchange, 6 that fit the window, and the trigger", got)
	}
}

func TestMessagesThatNobodyAnsweredAreWorthTheirAdmission(t *testing.T) {
	node := func(id uint64, probability float64, reasons ...graph.Reason) graph.Node {
		m := asked(id)
		m.Text = strings.Repeat("x", 4001)
		return graph.Node{Message: &m, Probability: probability, Reasons: reasons}
	}
	g := &graph.Graph{Trigger: asked(99), Conversation: []graph.Node{
		node(1, 0.69), node(2, 0.7), node(3, 0.6), node(4, 0.65),
		node(5, 0.1, graph.Reason{Kind: graph.ReasonReference, Reference: graph.ReferenceReply}),
		node(6, 0.1, graph.Reason{Kind: graph.ReasonReference, Reference: graph.ReferenceAddress}),
		node(7, 0.1, graph.Reason{Kind: graph.ReasonLineage}),
		node(8, math.NaN()), node(9, 0.1),
	}}
	for i := range 20 {
		g.Conversation = append(g.Conversation, node(uint64(10+i), 0.1))
	}
	built := path.Build(g, path.Shape{Retention: atOnce()})
	if got, want := ids(built)[:4], []uint64{2, 3, 5, 7}; !slices.Equal(got, want) {
		t.Errorf("of the old messages %v stay, want %v", got, want)
	}
	for _, left := range built.Left {
		if left.Why != path.LeftUncertain {
			t.Errorf("message %s is left out for reason %s, want %s", left.Message.ID, left.Why, path.LeftUncertain)
		}
	}
}

func TestWhatIsRepliedToStaysHoweverUncertain(t *testing.T) {
	messages, answers := pairs(20, 1000, func(int) *float64 { return new(0.0) })
	built := path.Build(conversation(replying(asked(99), 4), messages...), path.Shape{Answers: answers, Retention: atOnce()})
	if got := ids(built); !slices.Equal(got[:2], []uint64{3, 4}) {
		t.Errorf("the path begins with %v, want 3 and 4", got[:2])
	}
}

// One question may have several answers that no record tells apart. The most certain
// one decides, whichever it is.
func TestTheMostCertainAnswerDecides(t *testing.T) {
	for _, confidence := range [][2]float64{{0.9, 0.1}, {0.1, 0.9}} {
		messages := []graph.Message{asked(1), answered(2, 1), answered(3, 1)}
		answers := map[graph.MessageID]path.Answer{}
		for i, c := range confidence {
			answers[graph.MessageID(2+i)] = path.Answer{Finish: "stop", Confidence: &c}
		}
		for i := range messages {
			messages[i].Text = strings.Repeat("x", 4001)
		}
		for i := range 20 {
			messages = append(messages, asked(uint64(10+i)))
		}
		built := path.Build(conversation(asked(99), messages...), path.Shape{Answers: answers, Retention: atOnce()})
		if got := ids(built); !slices.Equal(got[:3], []uint64{1, 2, 3}) {
			t.Errorf("answers of confidence %v leave, the path begins with %v, want %v", confidence, got[:3], []uint64{1, 2, 3})
		}
	}
}

// A conversation of a hundred exchanges is continued again and again, by paths that
// find some of what left once more: what is told to be missing is missing.
func TestWhatIsMissingIsCounted(t *testing.T) {
	const found = 60 // of the newest messages, the graph finds so many
	messages, answers := pairs(100, 500, func(answer int) *float64 {
		if answer%10 == 0 {
			return new(0.9)
		}
		return new(0.1)
	})
	var lineage path.Lineage
	var onPath []graph.Message
	for end := 2; end <= len(messages); end += 2 {
		conversation := conversation(asked(uint64(end+1)), messages[max(end-found, 0):end]...)
		conversation.Join(1, onPath)
		built := path.Build(conversation, path.Shape{Answers: answers, Retention: path.DefaultRetention(), Lineage: lineage})
		if missing := end - (len(built.Messages) - 1); built.Dropped != missing {
			t.Fatalf("of %d messages %d are missing and %d count as dropped, want as many", end, missing, built.Dropped)
		}
		lineage = path.Lineage{Positions: map[graph.MessageID]int{}, Cut: built.Cut, Checkpoint: built.Checkpoint, Dropped: built.Dropped}
		onPath = built.Messages
		for i := range built.Messages {
			lineage.Positions[built.Messages[i].ID] = built.Positions[i]
		}
	}
	if lineage.Dropped < 50 {
		t.Errorf("only %d messages left, want at least 50", lineage.Dropped)
	}
}
