package e2e_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"heddle/internal/cli"
	"heddle/internal/discordtest"
	"heddle/internal/openaitest"
	"heddle/internal/redistest"
)

// shortData moves the data to a folder with a name so short that the system accepts a
// socket in it.
func (o *operator) shortData() {
	o.t.Helper()
	dir, err := redistest.ShortDir("data")
	if err != nil {
		o.t.Fatal(err)
	}
	o.t.Cleanup(func() { _ = os.RemoveAll(dir) })
	o.data = dir
	o.environ = append(o.environ, "DATA_DIR="+dir)
}

// TestABackupMadeWhileHeddleRunsIsRestored loses the store and restores a backup of it.
// An answer from the backup is given again. A message that was deleted on Discord since
// the backup stays deleted.
func TestABackupMadeWhileHeddleRunsIsRestored(t *testing.T) {
	t.Parallel()
	for name, where := range map[string]func(*scene) (before, after []string){
		"the embedded store": func(s *scene) ([]string, []string) {
			s.shortData()
			after := filepath.Join(s.t.TempDir(), "data")
			return nil, []string{"DATA_DIR=" + after}
		},
		"Redis": func(s *scene) ([]string, []string) {
			return []string{"REDIS_URL=" + s.redis().URL()}, []string{"REDIS_URL=" + s.redis().URL()}
		},
		"from the embedded store to Redis": func(s *scene) ([]string, []string) {
			s.shortData()
			return []string{storeKey}, []string{storeKey, "REDIS_URL=" + s.redis().URL()}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newScene(t, discordtest.Options{})
			before, after := where(s)
			s.model.Queue(openaitest.Answer("Four, as ever."), openaitest.Answer("Green, as ever."))
			r := s.start(before...)
			s.sums(r, "Four, as ever.")
			gone := s.post(s.ann, discordtest.Draft{Content: s.mention("what is green?")})
			s.answer(s.channel, gone, "Green, as ever.")
			r.settled(s, gone)
			file := filepath.Join(t.TempDir(), "backup")
			said, _ := s.must(before, "backup", file)
			if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 || !strings.Contains(said, "can be read only with") {
				t.Errorf("the backup has mode %v, %v; it says %q, want Perm() 0o600, no error and %q in it", info.Mode(), err, said, "can be read only with")
			}
			if s.written(filepath.Dir(file), "as ever") {
				t.Errorf("%q can be read in the backup, want it encrypted", "as ever")
			}
			if status, _, told := s.command(before, "backup", file); status != cli.StatusMisuse || !strings.Contains(told, "is there already") {
				t.Errorf("a second backup into the file ends with %d: %s, want %d and %q in it", status, told, cli.StatusMisuse, "is there already")
			}
			r.end()
			s.discord.Chat.Delete(s.channel, gone)

			s.must(after, "restore", file)
			if status, _, told := s.command(after, "restore", file); status != cli.StatusMisuse || !strings.Contains(told, "the store is not empty") {
				t.Errorf("a second restore ends with %d: %s, want %d and %q in it", status, told, cli.StatusMisuse, "the store is not empty")
			}
			if name == "the embedded store" {
				s.copyKey(strings.TrimPrefix(after[0], "DATA_DIR="))
			}
			r = s.start(after...)
			if err := r.logs.await(s.ctx, "the sources of stored answers were checked against Discord"); err != nil {
				t.Fatal(err)
			}
			s.sums(r, "Four, as ever.")
			r.end()
			shown, _ := s.must(after, "tree")
			if !strings.Contains(shown, "Four, as ever.") || strings.Contains(shown, "Green, as ever.") {
				t.Errorf("what is stored now is %s, want %q in it and no %q in it", shown, "Four, as ever.", "Green, as ever.")
			}
		})
	}
}

// copyKey copies the key that heddle made into another folder.
func (o *operator) copyKey(dir string) {
	o.t.Helper()
	key, err := os.ReadFile(o.keyFile())
	if err != nil {
		o.t.Fatal(err)
	}
	o.write(filepath.Join(dir, "heddle.key"), string(key))
}

// TestADamagedBackupIsRefusedInASentence covers files that are not whole backups.
func TestADamagedBackupIsRefusedInASentence(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	s.model.Queue(openaitest.Answer("Four."))
	r := s.start()
	s.sums(r, "Four.")
	r.end()
	file := filepath.Join(t.TempDir(), "backup")
	s.must(nil, "backup", file)
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	s.write(file, string(content[:len(content)/2]))
	anew := []string{"DATA_DIR=" + t.TempDir()}
	if status, _, told := s.command(anew, "restore", file); status != cli.StatusMisuse || !strings.Contains(told, "the backup is damaged") {
		t.Errorf("half a backup ends with %d: %s, want %d and %q in it", status, told, cli.StatusMisuse, "the backup is damaged")
	}
	if status, _, told := s.command(anew, "restore"); status != cli.StatusMisuse || !strings.Contains(told, "name the file") {
		t.Errorf("no file ends with %d: %s, want %d and %q in it", status, told, cli.StatusMisuse, "name the file")
	}
	s.write(file, string(content))
	s.must(anew, "restore", file)
}
