package cli

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"runtime"
	"runtime/debug"
	"text/tabwriter"
)

// Build is what a release build knows of itself. The linker writes it; a build without
// it is described by what Go's linker notes of the working copy.
type Build struct {
	Version string // v1.2.3
	Commit  string
	Date    string // of the commit, in RFC 3339
}

// unknown stands for what neither a release build nor a working copy says.
const unknown = "unknown"

// described returns b, completed by what Go noted in the binary.
func (b Build) described() Build {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		info = &debug.BuildInfo{}
	}
	noted := make(map[string]string)
	for _, setting := range info.Settings {
		noted[setting.Key] = setting.Value
	}
	if b.Commit == "" && noted["vcs.modified"] == "true" {
		noted["vcs.revision"] += ", with changes"
	}
	return Build{
		Version: cmp.Or(b.Version, info.Main.Version, unknown),
		Commit:  cmp.Or(b.Commit, noted["vcs.revision"], unknown),
		Date:    cmp.Or(b.Date, noted["vcs.time"], unknown),
	}
}

// showVersion prints which heddle this is, and what it was built from and with.
func showVersion(_ context.Context, args []string, p Process) error {
	if _, err := parseFlags(new(flag.FlagSet), "version", args, 0, p); err != nil {
		return err
	}
	b := p.Build.described()
	table := tabwriter.NewWriter(p.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintf(table, "heddle\t%s\ncommit\t%s\ndate\t%s\ngo\t%s %s/%s\n", b.Version, b.Commit, b.Date, runtime.Version(), runtime.GOOS, runtime.GOARCH)
	if err := table.Flush(); err != nil {
		return fmt.Errorf("write the version: %w", err)
	}
	return nil
}
