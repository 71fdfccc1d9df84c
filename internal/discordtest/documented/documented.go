// Package documented checks the bodies of requests against Discord's documentation: names,
// types and limits, which are in bodies.schema.json. Discord ignores what it does not know;
// other servers that speak its API refuse it.
package documented

import (
	"bytes"
	_ "embed"
	"fmt"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"heddle/internal/discordtest"
)

//go:embed bodies.schema.json
var schema []byte

// Test is a test that can fail; testing.TB is one.
type Test interface {
	Errorf(format string, args ...any)
}

// Demanded returns an Options.Inspect that fails a test for every request that holds what
// the documentation does not allow.
func Demanded(t Test) func(discordtest.Request) {
	return func(r discordtest.Request) {
		if err := check(r); err != nil {
			t.Errorf("heddle sends what Discord's documentation does not allow: %v, in %s", err, r.Body)
		}
	}
}

// bodies returns the schema of an object that holds the body of a request by its route.
//
//nolint:gochecknoglobals // compiled once, never changed
var bodies = sync.OnceValue(func() *jsonschema.Schema {
	const name = "bodies.schema.json"
	compiler := jsonschema.NewCompiler()
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(schema))
	if err == nil {
		err = compiler.AddResource(name, value)
	}
	if err != nil {
		panic("documented: " + err.Error())
	}
	return compiler.MustCompile(name)
})

// check returns an error if the documentation does not allow the body of a request for its
// route.
func check(r discordtest.Request) error {
	if len(r.Body) == 0 {
		return nil
	}
	sent, err := jsonschema.UnmarshalJSON(bytes.NewReader(r.Body))
	if err != nil {
		return fmt.Errorf("read the body: %w", err)
	}
	if err := bodies().Validate(map[string]any{r.Route: sent}); err != nil {
		return fmt.Errorf("check the body: %w", err)
	}
	return unique(sent, map[string]bool{})
}

// unique returns an error if the id of a component occurs twice in a value, which Discord
// refuses. It notes those that it has seen.
func unique(value any, seen map[string]bool) error {
	switch value := value.(type) {
	case []any:
		for _, item := range value {
			if err := unique(item, seen); err != nil {
				return err
			}
		}
	case map[string]any:
		if id, ok := value["custom_id"].(string); ok {
			if seen[id] {
				return fmt.Errorf("custom_id %q occurs twice", id)
			}
			seen[id] = true
		}
		for _, inner := range value {
			if err := unique(inner, seen); err != nil {
				return err
			}
		}
	}
	return nil
}
