package e2e_test

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"heddle/internal/cli"
	"heddle/internal/discordtest"
	"heddle/internal/openaitest"
	"heddle/store/bolt"
)

// aside matches the line of the log that names the quarantined file.
var aside = regexp.MustCompile(`the store's file is damaged and was quarantined.* file=(\S+) quarantine=(\S+) `)

// quarantined returns the content of the quarantined file, which the log names once.
func (o *operator) quarantined(r *running) []byte {
	o.t.Helper()
	told := aside.FindAllStringSubmatch(r.logs.String(), -1)
	file := filepath.Join(o.data, bolt.FileName)
	if len(told) != 1 || told[0][1] != file || !strings.HasPrefix(told[0][2], file+".damaged-") {
		o.t.Fatalf("the operator is told %q, want one of them, [1] %v of the first and [2] %q at its start of the first", told, file, file+".damaged-")
	}
	content, err := os.ReadFile(told[0][2])
	if err != nil {
		o.t.Fatal(err)
	}
	return content
}

// used returns how many bytes of the embedded store's file are in use. Zeros follow.
func (o *operator) used() int64 {
	o.t.Helper()
	content, err := os.ReadFile(filepath.Join(o.data, bolt.FileName))
	if err != nil {
		o.t.Fatal(err)
	}
	return int64(len(bytes.TrimRight(content, "\x00")))
}

// TestADamagedFileIsQuarantinedAndAnswersGoOn damages the file between two runs. A
// mention that Discord shows to be answered is not answered again; others are.
func TestADamagedFileIsQuarantinedAndAnswersGoOn(t *testing.T) {
	t.Parallel()
	for name, damage := range map[string]func(*scene) []byte{
		"emptied":                func(s *scene) []byte { return s.cut(0) },
		"cut to a page":          func(s *scene) []byte { return s.cut(4096) },
		"cut to its first pages": func(s *scene) []byte { return s.cut(10_000) },
		"cut by half":            func(s *scene) []byte { return s.cut(s.used() / 2) },
		"full of zeros": func(s *scene) []byte {
			zeros := strings.Repeat("\x00", 40_000)
			s.write(filepath.Join(s.data, bolt.FileName), zeros)
			return []byte(zeros)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newScene(t, discordtest.Options{})
			s.always(openaitest.Answer("Four, as ever."))
			r := s.start()
			s.sums(r, "Four, as ever.")
			before := s.post(s.ann, discordtest.Draft{Content: s.mention("and 3 + 3?")})
			s.answer(s.channel, before, "Four, as ever.")
			r.settled(s, before)
			r.end()
			missed := s.post(s.bob, discordtest.Draft{Content: s.mention("and 4 + 4?")})
			left := damage(s)

			s.always(openaitest.Answer("Afresh: four."))
			r = s.start()
			s.wholeAnswer(missed, "Afresh: four.")
			s.sums(r, "Afresh: four.")
			s.wholeAnswer(before, "Four, as ever.")
			r.end()
			if content := s.quarantined(r); !bytes.Equal(content, left) {
				t.Errorf("of %d bytes %d are quarantined, want the same bytes", len(left), len(content))
			}
			s.nowhere("as ever") // in the quarantined file neither
			r = s.start()
			s.sums(r, "Afresh: four.")
			r.end()
			if strings.Contains(r.logs.String(), "is damaged") {
				t.Error("the next run finds damage, too, want a sound store")
			}
			if asked := len(s.model.Requests()); asked != 4 {
				t.Errorf("the model was asked %d times, want for two questions, for the missed one and for one afresh", asked)
			}
		})
	}
}

// TestAQuarantinedFileHoldsNoReadableText damages a file in which answers are stored.
func TestAQuarantinedFileHoldsNoReadableText(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	s.always(openaitest.Answer("The password is swordfish."))
	r := s.start()
	s.sums(r, "The password is swordfish.")
	r.end()
	s.cut(s.used() / 2)
	r = s.start()
	r.end()
	if len(s.quarantined(r)) == 0 {
		t.Error("nothing is quarantined")
	}
	s.nowhere("swordfish", "2 + 2", "ann")
}

// TestWhoLooksIntoADamagedFileIsToldAndChangesNothing covers the commands.
func TestWhoLooksIntoADamagedFileIsToldAndChangesNothing(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	s.stored().Close()
	left := s.cut(10_000)
	for _, command := range []string{"verify", "tree", "migrate"} {
		status, out, said := s.command(nil, command)
		if status != cli.StatusMisuse || out != "" || !strings.Contains(said, "move it away to start with an empty store") {
			t.Errorf("%s ends with status %d, %q and %q, want %d, \"\" and %q in it", command, status, out, said, cli.StatusMisuse, "move it away to start with an empty store")
		}
	}
	if content, err := os.ReadFile(filepath.Join(s.data, bolt.FileName)); err != nil || !bytes.Equal(content, left) {
		t.Errorf("the file changed, want it as it was left: %v", err)
	}
}

// TestWhoLooksIntoAStoreThatIsMissingBeginsNone covers the commands that need a store, with
// a folder that is missing and with one that is empty.
func TestWhoLooksIntoAStoreThatIsMissingBeginsNone(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	missing, empty, elsewhere := filepath.Join(s.data, "missing"), t.TempDir(), t.TempDir()
	for _, command := range [][]string{
		{"verify"},
		{"tree"},
		{"tree", "-format", "json"},
		{"migrate"},
		{"export", "-format", "raw"},
		{"calibrate"},
		{"rekey"},
		{"backup", filepath.Join(elsewhere, "backup")},
	} {
		for folder, why := range map[string]string{missing: "does not exist", empty: "no store is in the folder"} {
			status, out, said := s.command([]string{"DATA_DIR=" + folder, "EXPORT_CONSENT=1"}, command...)
			if status != cli.StatusMisuse || out != "" || !strings.Contains(said, why) {
				t.Errorf("%v ends with status %d, %q and %q, want %d, \"\" and %q in it", command, status, out, said, cli.StatusMisuse, why)
			}
		}
	}
	for _, command := range [][]string{{"forget", "-yes", "1"}, {"opt-out", "1"}} { // these create a store, but no folder
		status, out, said := s.command([]string{"DATA_DIR=" + missing}, command...)
		if status != cli.StatusMisuse || out != "" || !strings.Contains(said, "does not exist") {
			t.Errorf("%v ends with status %d, %q and %q, want %d, \"\" and %q in it", command, status, out, said, cli.StatusMisuse, "does not exist")
		}
	}
	for folder, heddle := range map[string]string{missing: "does not exist yet; heddle makes it", empty: "heddle makes its store there"} {
		setting := []string{"DATA_DIR=" + folder}
		s.must(setting, "config")
		if _, said, _ := s.command(setting, "doctor"); !strings.Contains(strings.Join(strings.Fields(said), " "), heddle) {
			t.Errorf("doctor says %q, want %q", said, heddle)
		}
	}
	if _, err := os.Stat(missing); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the missing folder is there: %v, want %v", err, fs.ErrNotExist)
	}
	for _, folder := range []string{empty, elsewhere} {
		if left, err := os.ReadDir(folder); err != nil || len(left) > 0 {
			t.Errorf("the empty folder holds %v, %v, want none and no error", left, err)
		}
	}
}

// TestAFileThatIsCutWhileHeddleRunsCostsNoAnswer truncates it between two questions.
func TestAFileThatIsCutWhileHeddleRunsCostsNoAnswer(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	s.always(openaitest.Answer("Four, as ever."))
	r := s.start()
	s.sums(r, "Four, as ever.")
	s.cut(10_000)
	s.always(openaitest.Answer("Afresh: four."))
	s.sums(r, "Afresh: four.")
	s.sums(r, "Afresh: four.")
	r.end()
	s.quarantined(r)
	if r.status != cli.StatusDone {
		t.Errorf("it ends with status %d, want %d", r.status, cli.StatusDone)
	}
	if logs := r.logs.String(); !strings.Contains(logs, "counts.requests=3 counts.hits=1 counts.misses=2 ") || strings.Contains(logs, "could not be corrected") {
		t.Error("not every question was answered as it should be")
	}
}

// TestWhatAnEmptiedRedisForgotIsNotAnsweredTwice empties Redis between two runs.
func TestWhatAnEmptiedRedisForgotIsNotAnsweredTwice(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	server := s.redis()
	s.always(openaitest.Answer("Four, as ever."))
	r := s.start("REDIS_URL=" + server.URL())
	before := s.post(s.ann, discordtest.Draft{Content: s.mention("2 + 2?")})
	s.answer(s.channel, before, "Four, as ever.")
	r.settled(s, before)
	r.end()
	missed := s.post(s.bob, discordtest.Draft{Content: s.mention("and 4 + 4?")})
	if answer, err := server.Do(s.ctx, "FLUSHALL"); err != nil || answer != "+OK" {
		t.Fatalf("%q, %v, want %q and no error", answer, err, "+OK")
	}
	s.always(openaitest.Answer("Afresh: eight."))
	s.start("REDIS_URL=" + server.URL())
	s.wholeAnswer(missed, "Afresh: eight.")
	s.wholeAnswer(before, "Four, as ever.")
	if asked := len(s.model.Requests()); asked != 2 {
		t.Errorf("the model was asked %d times for two questions, want 2", asked)
	}
}

// TestABeginningThatACrashLeftIsAnsweredThoughTheFileIsLost kills heddle in an answer,
// and takes its file away.
func TestABeginningThatACrashLeftIsAnsweredThoughTheFileIsLost(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	trigger := s.killedInMidAnswer()
	s.cut(10_000)
	s.model.Queue(openaitest.Answer("The warp is what runs lengthwise. ", "The weft runs across it."))
	s.spawn()
	s.wholeAnswer(trigger, "The warp is what runs lengthwise. The weft runs across it.")
}
