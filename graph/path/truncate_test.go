package path_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"heddle/graph"
	"heddle/graph/path"
)

// TestFollowUpsExtendTheirPredecessor shapes conversations of 200 turns that outgrow
// their budget and their base window many times over.
func TestFollowUpsExtendTheirPredecessor(t *testing.T) {
	random := func(seed uint64) func(int) *float64 {
		r := rand.New(rand.NewPCG(seed, 0))
		return func(int) *float64 { return new(r.Float64()) }
	}
	everything := path.Retention{}
	for name, test := range map[string]struct {
		budget    int
		retention path.Retention
		certain   func(int) *float64
		say       func(int) string
	}{
		"a budget of a third": {8000, everything, random(1), nil},
		"a budget of half":    {12000, everything, random(1), nil},
		"confidence unknown":  {8000, path.DefaultRetention(), func(int) *float64 { return nil }, nil},
		"confidence random":   {12000, path.DefaultRetention(), random(2), nil},
		"confidence high":     {8000, path.DefaultRetention(), func(int) *float64 { return new(0.9) }, nil},
		"answers long, requests short": {20000, path.DefaultRetention(), random(3), func(turn int) string {
			return strings.Repeat("word ", 5+turn%2*80+turn%7*4)
		}},
	} {
		t.Run(name, func(t *testing.T) {
			c := newChat(path.Shape{System: "You are helpful.", Retention: test.retention, Budget: test.budget, Count: characters})
			c.certain = test.certain
			if test.say != nil {
				c.say = test.say
			}
			last, extended, followUps := c.exchange(), 0, 0
			for range 99 {
				built := c.exchange()
				if size := total(built.Path); size > test.budget {
					t.Fatalf("the path takes %d tokens, want at most the budget of %d", size, test.budget)
				}
				followUps++
				if extends(built, last) {
					extended++
				}
				last = built
			}
			if extended*10 < followUps*9 {
				t.Errorf("%d of %d follow-ups extend the path before, want nine in ten", extended, followUps)
			}
			if last.Dropped == 0 && len(last.Messages) == 199 {
				t.Error("nothing was ever left out")
			}
			t.Logf("%d of %d follow-ups extend the path before, want nine in ten", extended, followUps)
		})
	}
}

func TestTheCutStaysThoughWhatWasCutFitsAgain(t *testing.T) {
	messages, _ := pairs(10, 100, func(int) *float64 { return nil })
	shape := path.Shape{Budget: 1000, Count: characters}
	first := path.Build(conversation(asked(90), messages...), shape)
	if first.Cut == 0 || first.Dropped == 0 {
		t.Fatalf("nothing was cut: %+v, want Cut more than 0 and Dropped more than 0", first)
	}
	shape.Lineage = path.Lineage{Positions: map[graph.MessageID]int{}, Cut: first.Cut}
	for i, m := range first.Messages {
		shape.Lineage.Positions[m.ID] = first.Positions[i]
	}
	second := path.Build(conversation(asked(91), append(slices.Clone(messages), asked(90))...), shape)
	if !extends(second, first) {
		t.Errorf("the path was %v and is %v, want it to extend the first", ids(first), ids(second))
	}
	third := path.Build(conversation(replying(asked(91), 2), append(slices.Clone(messages), asked(90))...), shape)
	if got := ids(third); !slices.Equal(got[:2], []uint64{1, 2}) {
		t.Errorf("the path holds %v, want the exchange that is replied to, 1 and 2, first", got)
	}
}

func TestTheBudgetBeatsEveryRuleAndTheTriggerTheBudget(t *testing.T) {
	messages, answers := pairs(10, 100, func(int) *float64 { return new(1.0) })
	trigger := replying(asked(99), 2)
	trigger.Text = strings.Repeat("t", 500)
	shape := path.Shape{Answers: answers, Retention: path.DefaultRetention(), Count: characters}
	for budget, want := range map[int][]uint64{
		0:    {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 99},
		1:    {99},
		503:  {99},       // the trigger with its speaker's name
		705:  {99},       // what is replied to does not fit
		706:  {1, 2, 99}, // it does
		1112: {1, 2, 17, 18, 19, 20, 99},
		1111: {1, 2, 19, 20, 99},
	} {
		shape.Budget = budget
		built := path.Build(conversation(trigger, messages...), shape)
		if got := ids(built); !slices.Equal(got, want) {
			t.Errorf("a budget of %d keeps %v, want %v", budget, got, want)
		}
	}
}

func TestTheStepsAreTakenInOrderAndFreeRoomForEachOther(t *testing.T) {
	messages, answers := pairs(30, 1000, func(answer int) *float64 { return new(0.9 * float64(answer%4) / 2) })
	messages[59].Attachments = []graph.Attachment{{ID: 7, Name: "plan.md"}}
	answers[60] = made(60, 59, 7)
	shape := path.Shape{Answers: answers, Retention: path.DefaultRetention(), Budget: 30000, Count: characters}
	with := path.Build(conversation(asked(99), messages...), shape)
	left := map[path.LeftReason]int{}
	order := []path.LeftReason{path.LeftFulfilled, path.LeftUncertain, path.LeftOverBudget}
	for i, l := range with.Left {
		if left[l.Why]++; i > 0 && slices.Index(order, l.Why) < slices.Index(order, with.Left[i-1].Why) {
			t.Errorf("message %s leaves for reason %s behind one that does for %s, want them in order", l.Message.ID, l.Why, with.Left[i-1].Why)
		}
	}
	if left[path.LeftFulfilled] != 2 || left[path.LeftUncertain] == 0 || left[path.LeftOverBudget] == 0 {
		t.Errorf("so many messages leave for each reason: %v, want 2 that are fulfilled, and some for each other reason", left)
	}
	answers[60] = path.Answer{Trigger: 59, Finish: "failed"}
	without := path.Build(conversation(asked(99), messages...), shape)
	if with.Messages[0].ID > without.Messages[0].ID {
		t.Errorf("with a fulfilled pair the path holds %v, want as old messages as without, %v", ids(with), ids(without))
	}
}

func TestNamesGoByThoseWhoAreLeft(t *testing.T) {
	long := said(1, 1, "ann", strings.Repeat("x", 100))
	short := said(2, 2, "Ann", "y")
	built := path.Build(conversation(said(3, 2, "Ann", "z"), long, short), path.Shape{Budget: 50, Count: characters})
	if turn := built.Path.Turns[1]; turn.Speaker != "Ann" || turn.PlainText() != "y" {
		t.Errorf("the first turn is %+v, want Ann's", turn)
	}
}
