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
	"heddle/internal/errtest"
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
	return []byte(o.read(told[0][2]))
}

// used returns how many bytes of the embedded store's file are in use. Zeros follow.
func (o *operator) used() int64 {
	o.t.Helper()
	return int64(len(strings.TrimRight(o.read(filepath.Join(o.data, bolt.FileName)), "\x00")))
}

// TestADamagedFileIsQuarantinedAndAnswersGoOn damages the file between two runs. A
// mention that Discord shows to be answered is not answered again; others are.
func TestADamagedFileIsQuarantinedAndAnswersGoOn(t *testing.T) {
	inScenes(t, map[string]func(*scene) []byte{
		"emptied":     func(s *scene) []byte { return s.cut(0) },
		"cut by half": func(s *scene) []byte { return s.cut(s.used() / 2) },
		"full of zeros": func(s *scene) []byte {
			zeros := strings.Repeat("\x00", 40_000)
			s.write(filepath.Join(s.data, bolt.FileName), zeros)
			return []byte(zeros)
		},
	}, func(s *scene, damage func(*scene) []byte) {
		s.always(openaitest.Answer("Four, as ever."))
		r := s.start()
		s.sums(r, "Four, as ever.")
		before := r.answers(s, s.ann, "and 3 + 3?", "Four, as ever.")
		r.end()
		missed := s.ask(s.bob, "and 4 + 4?")
		left := damage(s)

		s.always(openaitest.Answer("Afresh: four."))
		r = s.start()
		s.wholeAnswer(missed, "Afresh: four.")
		s.sums(r, "Afresh: four.")
		s.wholeAnswer(before, "Four, as ever.")
		r.end()
		s.same("that what was left is quarantined", bytes.Equal(s.quarantined(r), left), true)
		s.unreadable(s.data, "as ever") // in the quarantined file neither
		r = s.start()
		s.sums(r, "Afresh: four.")
		r.end()
		s.lacks(r.logs.String(), "is damaged")
		s.askedTimes(4)
	})
}

// TestWhoLooksIntoADamagedFileIsToldAndChangesNothing covers the commands, each with a file of its
// own: a process in which the damage was a fault keeps the file locked until it ends.
func TestWhoLooksIntoADamagedFileIsToldAndChangesNothing(t *testing.T) {
	inScenes(t, map[string]string{"verify": "verify", "tree": "tree"}, func(s *scene, command string) {
		s.stored().Close()
		left := s.cut(10_000)
		s.misuse("move it away to start with an empty store", nil, command)
		s.same("that the file is as it was left", s.read(filepath.Join(s.data, bolt.FileName)) == string(left), true)
	})
}

// TestWhoLooksIntoAStoreThatIsMissingBeginsNone covers the commands that need a store, with
// a folder that is missing and with one that is empty.
func TestWhoLooksIntoAStoreThatIsMissingBeginsNone(t *testing.T) {
	s := newScene(t)
	missing, empty, elsewhere := filepath.Join(s.data, "missing"), t.TempDir(), t.TempDir()
	for _, command := range [][]string{
		{"verify"},
		{"tree"},
		{"tree", "--format", "json"},
		{"export", "--format", "raw"},
		{"backup", filepath.Join(elsewhere, "backup")},
	} {
		for folder, why := range map[string]string{missing: "does not exist", empty: "no store is in the folder"} {
			s.misuse(why, []string{"DATA_DIR=" + folder, "EXPORT_CONSENT=1"}, command...)
		}
	}
	for _, command := range [][]string{{"forget", "--yes", "1"}, {"opt-out", "1"}} { // these create a store, but no folder
		s.misuse("does not exist", []string{"DATA_DIR=" + missing}, command...)
	}
	for folder, heddle := range map[string]string{missing: "does not exist yet; heddle makes it", empty: "heddle makes its store there"} {
		setting := []string{"DATA_DIR=" + folder}
		s.must(setting, "config")
		_, said, _ := s.command(setting, "doctor")
		s.contains(strings.Join(strings.Fields(said), " "), heddle)
	}
	if _, err := os.Stat(missing); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the missing folder is there: %v, want %v", err, fs.ErrNotExist)
	}
	for _, folder := range []string{empty, elsewhere} {
		s.same("what is in the empty folder", len(errtest.Must(os.ReadDir(folder))(t)), 0)
	}
}

// TestAFileThatIsCutWhileHeddleRunsCostsNoAnswer truncates it between two questions.
func TestAFileThatIsCutWhileHeddleRunsCostsNoAnswer(t *testing.T) {
	s := newScene(t)
	s.always(openaitest.Answer("Four, as ever."))
	r := s.start()
	s.sums(r, "Four, as ever.")
	s.cut(10_000)
	s.always(openaitest.Answer("Afresh: four."))
	s.sums(r, "Afresh: four.")
	s.sums(r, "Afresh: four.")
	r.end()
	s.same("the status", r.status, cli.StatusDone)
}

// shortData moves the data to a folder with a name so short that the system accepts a
// socket in it.
func (o *operator) shortData() {
	o.t.Helper()
	dir := errtest.Must(os.MkdirTemp("/tmp", "data"))(o.t)
	o.t.Cleanup(func() { _ = os.RemoveAll(dir) })
	o.data = dir
	o.environ = append(o.environ, "DATA_DIR="+dir)
}

// TestABackupMadeWhileHeddleRunsIsRestored loses the store and restores a backup of it,
// with the same key or with another. An answer from the backup is given again. A message
// that was deleted on Discord since the backup stays deleted.
func TestABackupMadeWhileHeddleRunsIsRestored(t *testing.T) {
	inScenes(t, map[string]func(*scene) (before, after []string){
		"the embedded store": func(s *scene) ([]string, []string) {
			s.shortData()
			return nil, []string{"DATA_DIR=" + filepath.Join(s.t.TempDir(), "data")}
		},
		"Redis": func(s *scene) ([]string, []string) {
			return []string{"REDIS_URL=" + s.redis().URL()}, []string{"REDIS_URL=" + s.redis().URL()}
		},
		"from the embedded store to Redis": func(s *scene) ([]string, []string) {
			s.shortData()
			return []string{storeKey}, []string{storeKey, "REDIS_URL=" + s.redis().URL()}
		},
	}, func(s *scene, where func(*scene) (before, after []string)) {
		before, after := where(s)
		s.model.Queue(openaitest.Answer("Four, as ever."), openaitest.Answer("Green, as ever."))
		r := s.start(before...)
		s.sums(r, "Four, as ever.")
		gone := r.answers(s, s.ann, "what is green?", "Green, as ever.")
		file := s.backedUp(before)
		r.end()
		s.discord.Chat.Delete(s.channel, gone)

		restore := []string{"restore"}
		if before == nil { // the new folder gets a key of its own
			s.misuse("name the file with that key by --key", after, "restore", file)
			restore = append(restore, "--key", s.keyFile())
		}
		damaged := filepath.Join(s.t.TempDir(), "damaged")
		s.write(damaged, s.read(file)[:100])
		s.misuse("the backup is damaged", after, append(restore, damaged)...)
		s.misuse("name the file", after, "restore")
		s.must(after, append(restore, file)...)
		s.misuse("the store is not empty", after, append(restore, file)...)
		if before == nil {
			s.misuse("the key does not fit the store", append(after, "STORE_KEY="+s.read(s.keyFile())), "verify")
		}
		r = s.start(after...)
		r.checked(s)
		s.sums(r, "Four, as ever.")
		r.end()
		shown, _ := s.must(after, "tree")
		s.contains(shown, "Four, as ever.")
		s.lacks(shown, "Green, as ever.")
	})
}

// backedUp writes a backup beside a link that somebody else has put where it might be
// drafted, and returns its file. Nobody but whoever has the key can read it.
func (s *scene) backedUp(environ []string) (file string) {
	s.t.Helper()
	file = filepath.Join(s.t.TempDir(), "backup")
	elsewhere := filepath.Join(s.t.TempDir(), "elsewhere")
	s.ok(os.Symlink(elsewhere, file+".partial"))
	said, _ := s.must(environ, "backup", file)
	if _, err := os.Stat(elsewhere); err == nil {
		s.t.Errorf("the backup was written through a link that somebody else had put there")
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 || !strings.Contains(said, "can be read only with") {
		s.t.Errorf("the backup has mode %v, %v; it says %q, want Perm() 0o600, no error and %q in it", info.Mode(), err, said, "can be read only with")
	}
	s.unreadable(filepath.Dir(file), "as ever")
	s.misuse("is there already", environ, "backup", file)
	return file
}
