package cli

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"

	"github.com/spf13/pflag"

	"heddle/config"
	"heddle/graph"
	"heddle/internal/terminal"
	"heddle/store"
)

// forget shows what is stored that was made from people's words, or for guilds, and erases
// all of it if that is confirmed.
func forget(flags *pflag.FlagSet) action {
	guild := flags.Bool("guild", false, "the IDs are those of servers: erase everything stored for them")
	yes := flags.Bool("yes", false, "erase it; without, what would be erased is only shown")
	return func(ctx context.Context, args []string, p Process) error {
		ids, err := parseIDs(args)
		if err != nil {
			return err
		}
		return p.withStore(ctx, toWrite, func(_ config.Config, opened *opened) error {
			s := opened.store
			var all []store.Erasure
			for _, id := range ids {
				whose, of := fmt.Sprintf("from the words of %d", id), store.Erasure{Person: graph.UserID(id)}
				if *guild {
					whose, of = fmt.Sprintf("for the server %d", id), store.Erasure{Guild: graph.GuildID(id)}
				}
				all = append(all, of)
				extent, err := s.Deletions.Extent(ctx, of)
				if err != nil {
					return err
				}
				showExtent(p.Stdout, whose, &extent)
			}
			if !*yes {
				return terminal.Errorf("nothing was erased; with --yes all of that is, which cannot be undone")
			}
			for _, of := range all {
				if err := s.Deletions.Erase(ctx, of); err != nil {
					return fmt.Errorf("%w; what was begun goes on when heddle runs, or with this command once more", err)
				}
			}
			fmt.Fprintln(p.Stdout, "All of that is erased.") // a running heddle may have erased a part of it
			return nil
		})
	}
}

// parseIDs returns the ids that arguments are.
func parseIDs(args []string) ([]uint64, error) {
	ids := make([]uint64, len(args))
	for i, text := range args {
		var err error
		if ids[i], err = strconv.ParseUint(text, 10, 64); err != nil || ids[i] == 0 {
			return nil, terminal.Errorf("%q is not an id on Discord: a number, which Discord shows with Developer Mode on", text)
		}
	}
	return ids, nil
}

// showExtent shows what an erasure would erase.
func showExtent(w io.Writer, whose string, extent *store.Extent) {
	fmt.Fprintf(w, "Stored %s: answers %d, summaries %d, names of files that answers made %d.\n",
		whose, extent.Answers, extent.Summaries, extent.Files)
	for _, channel := range slices.Sorted(maps.Keys(extent.Channels)) {
		fmt.Fprintf(w, "  in channel %s: answers %d\n", channel, extent.Channels[channel])
	}
}

// optOut lets nothing that people write be used from now on.
func optOut(ctx context.Context, args []string, p Process) error {
	return opt(ctx, args, p, (*store.OptOuts).Add,
		"From now on heddle uses nothing that %d writes. \"heddle forget\" also erases what is stored.\n")
}

// optIn ends opt-outs.
func optIn(ctx context.Context, args []string, p Process) error {
	return opt(ctx, args, p, (*store.OptOuts).Remove,
		"From now on heddle reads what %d writes where it may, and answers them.\n")
}

// opt changes whether what people write is used, for each id in args, and then prints
// told with the id.
func opt(ctx context.Context, args []string, p Process, change func(*store.OptOuts, context.Context, graph.UserID) error, told string) error {
	ids, err := parseIDs(args)
	if err != nil {
		return err
	}
	return p.withStore(ctx, toWrite, func(_ config.Config, s *opened) error {
		for _, id := range ids {
			if err := change(s.store.OptOuts, ctx, graph.UserID(id)); err != nil {
				return err
			}
			fmt.Fprintf(p.Stdout, told, id)
		}
		return nil
	})
}
