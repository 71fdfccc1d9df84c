package affinity_test

import (
	"bytes"
	"math"
	"strings"
	"testing"

	"heddle/graph/affinity"
)

func TestWeightsReadBackAsTheyWereWritten(t *testing.T) {
	network := affinity.NewTrainer(3).Network()
	var first, second bytes.Buffer
	if err := network.Write(&first); err != nil {
		t.Fatal(err)
	}
	if err := affinity.NewTrainer(3).Network().Write(&second); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(first.Bytes(), second.Bytes()) {
		t.Error("the same seed gave other weights")
	}
	model, err := affinity.Read(&first)
	if err != nil {
		t.Fatal(err)
	}
	got, want := model.Links(twoTalks()), affinity.NewModel(network).Links(twoTalks())
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
	if err := affinity.NewTrainer(3).Network().Write(&whole); err != nil {
		t.Fatal(err)
	}
	other := bytes.Clone(whole.Bytes())
	other[len("heddle affinity 1\n")]++
	for name, file := range map[string][]byte{
		"nothing": nil, "a text": []byte("hello, this is not a file of weights at all"),
		"cut short": whole.Bytes()[:whole.Len()/2], "other inputs": other,
	} {
		if _, err := affinity.Read(bytes.NewReader(file)); err == nil || !strings.Contains(err.Error(), "train them again") {
			t.Errorf("%s: error %v does not say what to do", name, err)
		}
	}
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
		t.Errorf("the loss fell from %.3f to %.3f only", first, last)
	}
	row := affinity.NewModel(network).Links(twoTalks()).Row(6)
	if row[4] < 0.9 {
		t.Errorf("what was shown has the probability %.2f", row[4])
	}
}

func TestTrainingIsReproducible(t *testing.T) {
	var files [2]bytes.Buffer
	for k := range files {
		_, _, network := learn(20)
		if err := network.Write(&files[k]); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(files[0].Bytes(), files[1].Bytes()) {
		t.Error("the same lessons gave other weights")
	}
}
