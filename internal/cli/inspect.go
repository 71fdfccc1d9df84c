package cli

import (
	"context"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/pflag"

	"heddle/config"
	"heddle/internal/inspect"
	"heddle/internal/terminal"
	"heddle/store"
)

// showTree shows the stored conversations.
func showTree(flags *pflag.FlagSet) action {
	scope := scopeFlag(flags)
	format := flags.String("format", "text", "text or json")
	prompt := flags.String("prompt", "", "show the paths that hold a turn: that with this prompt_hash or its beginning, or with this text (`HASH|TEXT`)")
	match := flags.String("match", "", "show instead how much is stored of the conversation in this `FILE`: a JSON array of messages, or a request with one")
	node := flags.String("path", "", "show the paths through the node whose path_hash is this `HASH`, or its beginning")
	return func(ctx context.Context, _ []string, p Process) error {
		if *format != "text" && *format != "json" {
			return terminal.Errorf("there is no format %q; there are text and json", *format)
		}
		var conversation *inspect.Conversation
		if *match != "" {
			var err error
			if conversation, err = p.readConversation(*match); err != nil {
				return err
			}
		}
		wanted := inspect.Wanted{Prompt: *prompt, Path: *node}
		return p.withScopes(ctx, *scope, func(_ config.Config, s *store.Store, scopes []store.Scope) error {
			var trees []*inspect.Tree
			for _, scope := range scopes {
				tree, err := inspect.Read(ctx, s, scope, wanted)
				if err != nil {
					return err
				}
				if len(tree.Nodes) > 0 || wanted == (inspect.Wanted{}) {
					trees = append(trees, tree)
				}
			}
			nothing := "Nothing that is stored matches.\n"
			switch {
			case conversation != nil:
				return inspect.Show(p.Stdout, inspect.Match(trees, conversation), *format, "Nothing of it is stored.\n")
			case len(scopes) == 0:
				nothing = "Nothing is stored yet.\n"
			}
			return inspect.Show(p.Stdout, trees, *format, nothing)
		})
	}
}

// readConversation reads a conversation from a file.
func (p Process) readConversation(file string) (*inspect.Conversation, error) {
	content, err := p.Read(file)
	if err != nil {
		return nil, unopened(file, err)
	}
	conversation, err := inspect.ParseConversation(content)
	if err != nil {
		return nil, terminal.Errorf("%s: %w", file, err)
	}
	return conversation, nil
}

// verify recomputes every stored hash.
func verify(flags *pflag.FlagSet) action {
	scope := scopeFlag(flags)
	return func(ctx context.Context, _ []string, p Process) error {
		return p.withScopes(ctx, *scope, func(_ config.Config, s *store.Store, scopes []store.Scope) error {
			if len(scopes) == 0 {
				fmt.Fprintln(p.Stdout, "Nothing is stored yet.")
			}
			return inspect.Verify(ctx, p.Stdout, s, scopes)
		})
	}
}

// noConsent says that nobody has permitted an export.
const noConsent = "EXPORT_CONSENT names nobody, so nothing is exported: " +
	"Discord's policy forbids training on what people wrote without their permission. " +
	"Ask them, and list the ids of those who agree, like EXPORT_CONSENT=80351110224678912,80351110224678913"

// noPermission is the note about what exported rows may not be used for.
const noPermission = "Discord's Developer Policy forbids training models on messages unless Discord itself permits it, and the consent of members does not replace that. " +
	"--discord-permits states that it does."

// exportFormats returns the formats of export: "" for the one that there is, and for each that
// was removed what replaced it.
func exportFormats() map[string]string {
	const messages = "its rows hold the request as it was sent, and the response"
	const pairs = "its rows hold ratings, and alternatives have the same path_hash"
	return map[string]string{"raw": "", "openai": messages, "trl": messages, "openai-dpo": pairs, "dpo": pairs}
}

// export writes answers as training data, and on p.Stderr what was withheld.
func export(flags *pflag.FlagSet) action {
	scope := scopeFlag(flags)
	format := flags.String("format", "raw", "raw, the only format")
	permitted := flags.Bool("discord-permits", false, "state that Discord itself has permitted you to train a model on messages, as its terms demand; the consent of members does not replace that")
	return func(ctx context.Context, _ []string, p Process) error {
		switch instead, known := exportFormats()[*format]; {
		case !known:
			return terminal.Errorf("there is no format %q; --format takes raw", *format)
		case instead != "":
			return terminal.Errorf("the format %s is no longer written; use --format raw: %s", *format, instead)
		}
		return p.withScopes(ctx, *scope, func(c config.Config, s *store.Store, scopes []store.Scope) error {
			consent, err := consentOf(ctx, c, s)
			if err != nil {
				return err
			}
			bar := terminal.Bytes(p.Stderr, "export")
			exporter := inspect.Exporter{Store: s, Consent: consent}
			rows, err := exporter.Export(ctx, io.MultiWriter(p.Stdout, bar), scopes)
			bar.End()
			if err != nil {
				return err
			}
			fmt.Fprintf(p.Stderr, "%d rows. %s\n", rows, exporter.Withheld)
			if !*permitted {
				fmt.Fprintln(p.Stderr, noPermission)
			}
			return nil
		})
	}
}

// consentOf returns who permits an export: the people whom the operator lists, without
// those who opted out since.
func consentOf(ctx context.Context, c config.Config, s *store.Store) (inspect.Consent, error) {
	consent := make(inspect.Consent)
	for _, id := range c.ExportConsent {
		consent[id] = true
	}
	if len(consent) == 0 {
		return nil, terminal.Errorf(noConsent)
	}
	out, err := s.OptOuts.All(ctx)
	if err != nil {
		return nil, err
	}
	for _, person := range out.People {
		delete(consent, person)
	}
	return consent, nil
}

func scopeFlag(flags *pflag.FlagSet) *string {
	return flags.String("scope", "", "one scope, such as g81384788765712384 for the channels of a server that everybody may read; empty for all")
}

// withScopes opens the configured store, which must be there, and calls do with the named
// scope, or with all scopes if none is named.
func (p Process) withScopes(ctx context.Context, named string, do func(config.Config, *store.Store, []store.Scope) error) error {
	return p.withStore(ctx, toLook, func(c config.Config, s *opened) error {
		scopes, err := s.store.Archive.Scopes(ctx)
		if err != nil {
			return storeFailure(c, err)
		}
		if named != "" {
			if !slices.Contains(scopes, store.Scope(named)) {
				return terminal.Errorf("nothing is stored in the scope %q; \"heddle tree\" shows the scopes that there are", named)
			}
			scopes = []store.Scope{store.Scope(named)}
		}
		return do(c, s.store, scopes)
	})
}
