package train_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"heddle/graph"
	"heddle/graph/affinity"
	"heddle/internal/errtest"
	"heddle/lab/chatlog/chatlogtest"
	"heddle/lab/eval"
	"heddle/lab/train"
)

func TestTrainWritesTheSameBytesEveryTime(t *testing.T) {
	folder := chatlogtest.Place(t, map[string]string{"a.jsonl": chatlogtest.TwoTalks(60), "b.jsonl": chatlogtest.TwoTalks(50)})
	var files [2][]byte
	for k := range files {
		file := filepath.Join(t.TempDir(), "weights")
		out, err := chatlogtest.Run(t, train.Command, folder, "-o", file, "--epochs", "3")
		errtest.None(t, err)
		if !strings.Contains(out, "2 logs with 110 annotated messages") {
			t.Errorf("the output is %q, want %q in it", out, "2 logs with 110 annotated messages")
		}
		files[k] = errtest.Must(os.ReadFile(file))(t)
		if _, err := chatlogtest.Run(t, eval.Command, folder, "--strategy", "heddle", "--weights", file); err != nil {
			t.Errorf("the weights cannot be used: %v", err)
		}
	}
	if !bytes.Equal(files[0], files[1]) {
		t.Error("training twice on the same logs resulted in different weights")
	}
}

func TestTrainSaysWhatItMisses(t *testing.T) {
	folder := chatlogtest.Place(t, map[string]string{"a.jsonl": `{"id":"1","t":0,"author":"a","text":"x"}`})
	file := filepath.Join(t.TempDir(), "weights")
	for want, args := range map[string][]string{
		"-o FILE":                    {folder},
		"name an export":             {"-o", file},
		"-epochs is 0":               {folder, "-o", file, "--epochs", "0"},
		"-teachers is -1":            {folder, "-o", file, "--teachers", "-1"},
		"none of the logs shows":     {folder, "-o", file},
		"--epochs cannot be \"few\"": {folder, "-o", file, "--epochs", "few"},
	} {
		if _, err := chatlogtest.Run(t, train.Command, args...); !chatlogtest.IsInputError(err) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: error %v, want an InputError with %q in it", args, err, want)
		}
	}
	if _, err := os.Stat(file); err == nil {
		t.Error("a file was written although training failed")
	}
}

// everything returns a log in which every message is shown as a reply.
func everything(turns int) string {
	var b strings.Builder
	for i := range turns {
		fmt.Fprintf(&b, `{"id":"m%d","t":%d,"author":"a%d","text":"line %d","reply_to":"m%d"}`+"\n", i, 60*i, i%2, i, max(0, i-1))
	}
	return b.String()
}

func TestTrainLearnsFromRepliesAlone(t *testing.T) {
	folder := chatlogtest.Place(t, map[string]string{
		"replies.jsonl": chatlogtest.Pressed(120, nil), "none.jsonl": `{"id":"1","t":0,"author":"a","text":"x"}`,
		"all.jsonl":    everything(40),
		"random.jsonl": chatlogtest.Pressed(300, rand.New(rand.NewPCG(1, 2))),
	})
	file := filepath.Join(t.TempDir(), "weights")
	out := errtest.Must(chatlogtest.Run(t, train.Command, folder, "-o", file, "--epochs", "1"))(t)
	for _, want := range []string{
		"none.jsonl is left out: it shows neither links nor replies",
		"random.jsonl is left out: its replies look as if they had been pressed at random",
		"all.jsonl is left out: nearly every message in it is a reply",
		"weights from 1 logs with 0 annotated messages and 39 replies",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("the output lacks %q, want it in\n%s", want, out)
		}
	}
}

// TestTrainLearnsWhatQuestionsNeed trains twice on questions that need the oldest of forty
// messages, and once on others that need the newest.
func TestTrainLearnsWhatQuestionsNeed(t *testing.T) {
	folder := chatlogtest.Place(t, map[string]string{"a.jsonl": chatlogtest.TwoTalks(60)})
	questions := t.TempDir()
	for name, needed := range map[string]string{"oldest": "m0", "newest": "m39"} {
		line := fmt.Sprintf(`{"channel":"a","after":"m39","delay":5,"author":"ann","text":"@heddle is it?","kind":"now","needed":[%q]}`+"\n", needed)
		errtest.None(t, os.WriteFile(filepath.Join(questions, name+".jsonl"), []byte(strings.Repeat(line, 100)), 0o600))
	}
	var files [3][]byte
	for k, without := range []string{"new*", "new*", "old*"} {
		file := filepath.Join(t.TempDir(), "weights")
		out, err := chatlogtest.Run(t, train.Command, folder, "-o", file, "--questions", questions, "--without", without)
		if err != nil || !strings.Contains(out, "from 100 of them") {
			t.Fatalf("training prints %q, %v, want 100 questions", out, err)
		}
		files[k] = errtest.Must(os.ReadFile(file))(t)
	}
	if !bytes.Equal(files[0], files[1]) {
		t.Error("training twice on the same questions resulted in different weights")
	}
	var window []*graph.Message
	for i := range 41 {
		window = append(window, &graph.Message{ID: graph.MessageID(i+1) << 22, Author: graph.UserID(i % 3), Time: time.Unix(int64(60*i), 0), Text: "and then?"})
	}
	needs := func(file []byte) []float32 {
		model := errtest.Must(affinity.Read(bytes.NewReader(file)))(t)
		return model.Links(window).Needs
	}
	if oldest, newest := needs(files[0]), needs(files[2]); oldest[0] < 2*newest[0] || newest[39] < 2*oldest[39] {
		t.Errorf("the oldest and newest are needed at %.3f and %.3f, and at %.3f and %.3f after the other lessons, want each far more after its own", oldest[0], oldest[39], newest[0], newest[39])
	}
}
