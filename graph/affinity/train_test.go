package affinity_test

import (
	"bytes"
	"math"
	"strings"
	"testing"

	"heddle/graph/affinity"
)

func TestWeightsReadBackAsTheyWereWritten(t *testing.T) {
	weights := affinity.Weights{Quiet: affinity.NewTrainer(3).Network(), Busy: affinity.NewTrainer(4).Network()}
	var first, second bytes.Buffer
	if err := weights.Write(&first); err != nil {
		t.Fatal(err)
	}
	if err := (affinity.Weights{Quiet: affinity.NewTrainer(3).Network(), Busy: affinity.NewTrainer(4).Network()}).Write(&second); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(first.Bytes(), second.Bytes()) {
		t.Error("the same seed gave other weights")
	}
	model, err := affinity.Read(&first)
	if err != nil {
		t.Fatal(err)
	}
	got, want := model.Links(twoTalks()), affinity.NewModel(weights).Links(twoTalks())
	for j := range want.Size() {
		for i, p := range want.Row(j) {
			if math.Abs(float64(got.Row(j)[i]-p)) > 0.02 {
				t.Fatalf("link from %d to %d: %v, want %v", j, i, got.Row(j)[i], p)
			}
		}
	}
}

func TestForeignWeightsAreRefused(t *testing.T) {
	var whole bytes.Buffer
	if err := alone(affinity.NewTrainer(3).Network()).Write(&whole); err != nil {
		t.Fatal(err)
	}
	other := bytes.Clone(whole.Bytes())
	other[len("heddle affinity 3\n")]++
	for name, file := range map[string][]byte{
		"nothing": nil, "a text": []byte("hello, this is not a file of weights at all"),
		"cut short": whole.Bytes()[:whole.Len()/2], "other inputs": other,
	} {
		if _, err := affinity.Read(bytes.NewReader(file)); err == nil || !strings.Contains(err.Error(), "train them again") {
			t.Errorf("%s: error %v does not say what to do, want an error and %q in it", name, err, "train them again")
		}
	}
}

// alone returns weights of a single network, which judges at every pace.
func alone(net *affinity.Network) affinity.Weights {
	return affinity.Weights{Quiet: net, Busy: net}
}

// learn trains on one window whose every message answers the one two before it.
func learn(rounds int) (first, last float64, network *affinity.Network) {
	window := twoTalks()
	parents := [][]int{{}, {}, {0}, {1}, {2}, {3}, {4}, nil}
	trainer := affinity.NewTrainer(1)
	for k := range rounds {
		loss, rows := trainer.Learn(affinity.Lesson{Window: window, Parents: parents})
		if rows != 6 {
			panic("rows")
		}
		if k == 0 {
			first = loss
		}
		last = loss
		trainer.Step(0.01)
	}
	return first, last, trainer.Network()
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

func TestTrainingIsReproducible(t *testing.T) {
	var files [2]bytes.Buffer
	for k := range files {
		_, _, network := learn(20)
		if err := alone(network).Write(&files[k]); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(files[0].Bytes(), files[1].Bytes()) {
		t.Error("the same lessons gave other weights")
	}
}

// talkers is a window in which everybody answers the line two before, which replies
// would show.
func talkers() affinity.Lesson {
	lesson := affinity.Lesson{Window: twoTalks()}
	n := len(lesson.Window)
	lesson.Parents, lesson.Hidden = make([][]int, n), make([]bool, n)
	return lesson
}

func TestRepliesTeachAndSilenceDoesNotForbid(t *testing.T) {
	lesson := talkers()
	lesson.Parents[6], lesson.Hidden[6] = []int{4}, true
	lesson.Shown = &affinity.Shown{}
	usual := lesson.Shown.Chance(2, false)
	trainer := affinity.NewTrainer(1)
	first, last := 0.0, 0.0
	for k := range 300 {
		loss, rows := trainer.Learn(lesson)
		if rows != 7 {
			t.Fatalf("%d rows, want 7", rows)
		}
		if k == 0 {
			first = loss
		}
		last = loss
		trainer.Step(0.01)
	}
	if last > first/4 {
		t.Errorf("the loss fell from %.3f to %.3f only, want at most %.3f", first, last, first/4)
	}
	if row := affinity.NewModel(alone(trainer.Network())).Links(lesson.Window).Row(6); row[4] < 0.9 {
		t.Errorf("what a reply shows has the probability %.2f, want at least %.2f", row[4], 0.9)
	}
	if learnt := lesson.Shown.Chance(2, false); learnt <= usual {
		t.Errorf("messages two back are shown with %.3f, as before, want more than %.3f", learnt, usual)
	}
	for _, c := range []struct {
		distance int
		same     bool
	}{{1, true}, {1, false}, {7, true}, {90, false}} {
		if p := lesson.Shown.Chance(c.distance, c.same); !(p > 0 && p < 1) {
			t.Errorf("%+v is shown with the chance %v, want one between 0 and 1", c, p)
		}
	}
}

func TestATeacherIsFollowed(t *testing.T) {
	_, _, teacher := learn(200)
	lesson := talkers()
	lesson.Teachers = []*affinity.Network{teacher}
	trainer := affinity.NewTrainer(7)
	for range 300 {
		trainer.Learn(lesson)
		trainer.Step(0.01)
	}
	if row := affinity.NewModel(alone(trainer.Network())).Links(lesson.Window).Row(6); row[4] < 0.8 {
		t.Errorf("what the teacher knows has the probability %.2f, want at least %.2f", row[4], 0.8)
	}
}
