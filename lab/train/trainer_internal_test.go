package train

import (
	"testing"
	"time"

	"heddle/graph"
	"heddle/graph/affinity"
)

// twoTalks is a window of two people who take turns.
func twoTalks() []*graph.Message {
	window := make([]*graph.Message, 8)
	for i, text := range []string{
		"why does the printer on floor two keep jamming?", "who is coming to the climbing hall tonight",
		"did you open the rear tray of the printer", "me, is eight all right?", "yes, the rear tray is empty",
		"eight is fine, bring the long rope", "then it is the roller", "I lent the rope to eve",
	} {
		window[i] = &graph.Message{
			ID: graph.MessageID(i + 1), Channel: 1, Author: graph.UserID(1 + i%4), Text: text,
			Time: time.Unix(int64(60*i), 0),
		}
	}
	return window
}

// alone returns weights of a single network, which judges at every pace.
func alone(net *affinity.Network) affinity.Weights {
	return affinity.Weights{Quiet: net, Busy: net, Needs: new(affinity.Needs)}
}

// learn trains on one window whose every message answers the one two before it.
func learn(rounds int) (first, last float64, network *affinity.Network) {
	window := twoTalks()
	parents := [][]int{{}, {}, {0}, {1}, {2}, {3}, {4}, nil}
	fitted := newTrainer(1)
	for k := range rounds {
		loss, rows := fitted.learn(exercise{Window: window, Parents: parents})
		if rows != 6 {
			panic("rows")
		}
		if k == 0 {
			first = loss
		}
		last = loss
		fitted.step(0.01)
	}
	return first, last, fitted.network()
}

func TestTrainingLearnsWhatItIsShown(t *testing.T) {
	first, last, network := learn(200)
	if last > first/10 {
		t.Errorf("the loss fell from %.3f to %.3f only, want at most %.3f", first, last, first/10)
	}
	row := affinity.NewModel(alone(network)).Links(twoTalks()).Row(6)
	if row[4] < 0.9 {
		t.Errorf("what was shown has the probability %.2f, want at least %.2f", row[4], 0.9)
	}
}

// talkers is a window in which everybody answers the line two before, which replies
// would show.
func talkers() exercise {
	lesson := exercise{Window: twoTalks()}
	n := len(lesson.Window)
	lesson.Parents, lesson.Hidden = make([][]int, n), make([]bool, n)
	return lesson
}

func TestRepliesTeachAndSilenceDoesNotForbid(t *testing.T) {
	lesson := talkers()
	lesson.Parents[6], lesson.Hidden[6] = []int{4}, true
	lesson.Shown = &shown{}
	usual := lesson.Shown.chance(shownCell(2, false))
	fitted := newTrainer(1)
	first, last := 0.0, 0.0
	for k := range 300 {
		loss, rows := fitted.learn(lesson)
		if rows != 7 {
			t.Fatalf("%d rows, want 7", rows)
		}
		if k == 0 {
			first = loss
		}
		last = loss
		fitted.step(0.01)
	}
	if last > first/4 {
		t.Errorf("the loss fell from %.3f to %.3f only, want at most %.3f", first, last, first/4)
	}
	if row := affinity.NewModel(alone(fitted.network())).Links(lesson.Window).Row(6); row[4] < 0.9 {
		t.Errorf("what a reply shows has the probability %.2f, want at least %.2f", row[4], 0.9)
	}
	if learnt := lesson.Shown.chance(shownCell(2, false)); learnt <= usual {
		t.Errorf("messages two back are shown with %.3f, as before, want more than %.3f", learnt, usual)
	}
	for _, c := range []struct {
		distance int
		same     bool
	}{{1, true}, {1, false}, {7, true}, {90, false}} {
		if p := lesson.Shown.chance(shownCell(c.distance, c.same)); !(p > 0 && p < 1) {
			t.Errorf("%+v is shown with the chance %v, want one between 0 and 1", c, p)
		}
	}
}
