package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/pflag"

	"heddle/config"
	"heddle/graph"
	"heddle/internal/terminal"
	"heddle/store"
	"heddle/store/bolt"
)

// The statuses of heddle doctor, by the worst that it found.
const (
	StatusWarned  = 1 // heddle answers, but not everywhere or not as well as it could
	StatusFaulted = 2 // heddle cannot answer
)

// examine checks everything that heddle needs and prints what is to be mended. A check that
// depends on one that failed is skipped.
func examine(flags *pflag.FlagSet) action {
	only := flags.Uint64("guild", 0, "`ID` of the one server whose channels are looked at; without, the first twenty are")
	channel := flags.Uint64("live", 0, "`ID` of a channel; instead of all that, try there what heddle relies on of Discord, delete it again, and print what was seen")
	press := flags.Duration("press", time.Minute, "with --live, how long somebody has to press a button; 0 shows none")
	return func(ctx context.Context, _ []string, p Process) error {
		c, warnings, err := config.LoadBot(p.Environ, p.Read)
		if *channel != 0 && c.DiscordToken != "" && c.DiscordAPIURL != "" {
			return said(tryLive(ctx, &c, graph.ChannelID(*channel), *press, p))
		}
		worst := printFindings(p.Stdout, slices.Concat(
			examineSettings(warnings, err), examineDiscord(ctx, &c, graph.GuildID(*only)), examineModels(ctx, &c), examineTranscriber(ctx, &c), examineServers(ctx, serversOf(c, p.Environ)), []finding{examineStore(ctx, c)},
		))
		return said(int(worst))
	}
}

// examineSettings checks the settings, which were loaded with warnings and an error.
func examineSettings(warnings []config.Fault, err error) (found []finding) {
	invalid, _ := errors.AsType[config.InvalidError](err)
	for _, f := range invalid.Faults {
		found = append(found, finding{fault, "settings", f.Variable + " " + f.Problem, f.Remedy})
	}
	for _, w := range warnings {
		found = append(found, finding{warning, "settings", w.Variable + " " + w.Problem, w.Remedy})
	}
	if found == nil {
		found = []finding{inOrder("settings", "can all be used")}
	}
	return found
}

// examineStore opens the store, reads its schema and writes a value that it removes again. It
// begins no store: an embedded one of another user than heddle's would be closed to heddle.
func examineStore(ctx context.Context, c config.Config) finding {
	if lacks(c, "") {
		return inOrder("store", "the folder %q does not exist yet; heddle makes it", c.DataDir)
	}
	look, none := pingStore, lacks(c, bolt.FileName)
	if none {
		look = tryFolder
	}
	switch err := look(ctx, c); {
	case err == nil && none:
		return inOrder("store", "the folder %q can be used; heddle makes its store there", c.DataDir)
	case err == nil && c.RedisURL != "" && c.StoreKey == "":
		return finding{warning, "store", "Redis keeps what is written, and what heddle stores there can be read by whoever reads Redis", "set STORE_KEY to have it encrypted"}
	case err == nil && c.RedisURL != "":
		return inOrder("store", "Redis keeps what is written, and what it holds fits this version or is new")
	case err == nil:
		return inOrder("store", "the folder %q can be used, and what it holds fits this version or is new", c.DataDir)
	case errors.Is(err, store.ErrLocked):
		return inOrder("store", "in use by a heddle that runs, and not looked into")
	case errors.Is(err, store.ErrCorrupt): // heddle would quarantine it; the error says what to do
		return finding{warning, "store", err.Error(), ""}
	case errors.Is(err, store.ErrKey):
		return finding{fault, "store", err.Error(), "set STORE_KEY to the key that the store was encrypted with, or to none if it was not"}
	case errors.Is(err, store.ErrFull) && c.RedisURL != "":
		return finding{warning, "store", err.Error(), "raise maxmemory of the server; until then heddle remembers nothing new"}
	case errors.Is(err, store.ErrFull):
		return finding{warning, "store", err.Error(), "make room on the disk of DATA_DIR; until then heddle remembers nothing new"}
	case errors.Is(err, store.ErrUnavailable) && c.RedisURL != "":
		return finding{warning, "store", err.Error(), "check REDIS_URL and that the server runs; until then heddle remembers nothing"}
	case errors.Is(err, store.ErrUnavailable):
		return finding{warning, "store", err.Error(), "check DATA_DIR, its disk and its rights; until then heddle remembers nothing"}
	default:
		return finding{fault, "store", err.Error(), "mend " + storeSetting(c) + ", or name another store"}
	}
}

// tryFolder returns an error if no store can be made in its folder. It leaves nothing
// there.
func tryFolder(_ context.Context, c config.Config) error {
	const begins = 64 << 10 // bytes, more than a new store has
	probe, err := os.CreateTemp(c.DataDir, "heddle-doctor-")
	if err == nil {
		_, err = probe.Write(make([]byte, begins))
		err = errors.Join(err, probe.Sync(), probe.Close(), os.Remove(probe.Name()))
	}
	switch {
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT), errors.Is(err, syscall.EFBIG):
		return storeFailure(c, fmt.Errorf("%w: %w", store.ErrFull, err))
	case err != nil:
		return storeFailure(c, fmt.Errorf("%w: nothing can be written there: %w", store.ErrUnavailable, err))
	}
	return nil
}

// pingStore opens the store, which reads its schema, tries to write and closes it.
func pingStore(ctx context.Context, c config.Config) error {
	stored, err := Process{}.openStore(ctx, c, toLook, nil, slog.New(slog.DiscardHandler))
	if err != nil {
		return err
	}
	return errors.Join(stored.store.Try(ctx), stored.Close())
}

// level is the severity of a finding, and the status of heddle doctor after it.
type level int

const (
	fine    level = StatusDone
	warning level = StatusWarned
	fault   level = StatusFaulted
)

// String returns the level as it is printed.
func (l level) String() string { return [...]string{"ok", "warning", "FAULT"}[l] }

// finding is the result of one check.
type finding struct {
	level  level
	about  string // what was checked, in one word
	found  string // one clause
	remedy string // what to do about it; empty if there is nothing to do
}

// inOrder returns the finding that something is in order.
func inOrder(about, format string, args ...any) finding {
	return finding{about: about, found: fmt.Sprintf(format, args...)}
}

// printFindings writes findings, each with its remedy below it, and then how many of them need
// attention. It returns the worst level.
func printFindings(w io.Writer, findings []finding) level {
	about, count := 0, map[level]int{}
	for _, f := range findings {
		about = max(about, len(f.about))
		count[f.level]++
	}
	for _, f := range findings {
		indent := 8 + 1 + about + 2
		fmt.Fprintf(w, "%-8s %-*s  %s", f.level, about, f.about, strings.TrimLeft(terminal.Wrap(f.found, indent), " "))
		if f.remedy != "" {
			remedy := strings.TrimLeft(terminal.Wrap(f.remedy, indent+2), " ")
			fmt.Fprintf(w, "%s→ %s", strings.Repeat(" ", indent), remedy)
		}
	}
	faults, warnings := terminal.Count(count[fault], "fault"), terminal.Count(count[warning], "warning")
	switch {
	case count[fault] > 0 && count[warning] > 0:
		fmt.Fprintf(w, "\nheddle cannot answer until this is mended: %s. In addition: %s.\n", faults, warnings)
		return fault
	case count[fault] > 0:
		fmt.Fprintf(w, "\nheddle cannot answer until this is mended: %s.\n", faults)
		return fault
	case count[warning] > 0:
		fmt.Fprintf(w, "\nheddle can answer. %s.\n", warnings)
		return warning
	}
	fmt.Fprint(w, "\nNothing needs mending.\n")
	return fine
}

// printable returns a name that people chose without characters that would disturb a
// terminal.
func printable(name string) string { return cmp.Or(graph.OneLine(name, 100), "(no name)") }

// innermost returns the error at the end of err's chain, which says the most: no such
// host, connection refused.
func innermost(err error) error {
	for {
		var inner error
		switch x := err.(type) { //nolint:errorlint // it walks the chain itself
		case interface{ Unwrap() error }:
			inner = x.Unwrap()
		case interface{ Unwrap() []error }:
			if all := x.Unwrap(); len(all) > 0 {
				inner = all[len(all)-1]
			}
		}
		if inner == nil {
			return err
		}
		err = inner
	}
}
