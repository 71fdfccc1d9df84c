package cli

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"slices"

	"heddle/config"
	"heddle/store/encrypted"
	"heddle/store/redis"
)

// load reads the settings, and warns on p.Stderr of those that should be put right.
func (p Process) load() (config.Config, error) {
	c, warnings, err := config.Load(p.Environ, p.Read)
	for _, w := range warnings {
		tell(p.Stderr, "heddle: warning: %s", w)
	}
	return c, err
}

// showConfig prints the table of all variables, and then what is wrong with them.
func showConfig(ctx context.Context, args []string, p Process) error {
	if _, err := parseFlags(new(flag.FlagSet), "config", args, 0, p); err != nil {
		return err
	}
	c, err := p.load()
	fmt.Fprint(p.Stdout, c.Table())
	if err := p.withReferences(c, err); err != nil {
		return err
	}
	showOverrides(ctx, c, p)
	return nil
}

// withReferences adds to err, the error of loading c, the faults of what the settings
// refer to: an address or a file can be well-formed and still be useless.
func (p Process) withReferences(c config.Config, err error) error {
	var invalid config.InvalidError
	if err != nil && !errors.As(err, &invalid) {
		return err
	}
	faults := slices.Clone(invalid.Faults)
	if _, err := p.readCurves(c.Calibration); err != nil {
		faults = append(faults, config.Fault{Variable: "CALIBRATION", Problem: err.Error(), Remedy: "name a file written by \"heddle calibrate -o\""})
	}
	if err := checkRedis(c.RedisURL.Reveal()); err != nil {
		faults = append(faults, config.Fault{Variable: "REDIS_URL", Problem: "cannot be used", Remedy: err.Error()})
	}
	if _, err := encrypted.ParseMaster(c.StoreKey.Reveal()); c.StoreKey != "" && err != nil {
		faults = append(faults, config.Fault{Variable: "STORE_KEY", Problem: "cannot be used", Remedy: err.Error()})
	}
	if len(faults) == 0 {
		return nil
	}
	return config.InvalidError{Faults: faults}
}

// checkRedis reports what is wrong with the address of a Redis, without connecting.
func checkRedis(url string) error {
	if url == "" {
		return nil
	}
	engine, err := redis.Open(redis.Options{URL: url})
	if err != nil {
		return err
	}
	return engine.Close()
}
