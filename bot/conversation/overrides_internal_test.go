package conversation

import (
	"reflect"
	"testing"

	"heddle/store"
)

// TestOnlyWhatTheOperatorAllowsIsApplied chooses everything under settings that allow
// each thing alone.
func TestOnlyWhatTheOperatorAllowsIsApplied(t *testing.T) {
	newest, most, bound := 5, 90, 40
	chosen := store.Override{MinLinear: &newest, MaxTotal: &most, TimeThreshold: "1h", Model: "b", Persona: "a poet"}
	for name, test := range map[string]struct {
		settings OverrideSettings
		want     store.Override
	}{
		"nothing":   {OverrideSettings{}, store.Override{}},
		"context":   {OverrideSettings{Context: true, MostTotal: 90}, store.Override{MinLinear: &newest, MaxTotal: &most, TimeThreshold: "1h"}},
		"less":      {OverrideSettings{Context: true, MostTotal: bound}, store.Override{MinLinear: &newest, MaxTotal: &bound, TimeThreshold: "1h"}},
		"a persona": {OverrideSettings{Persona: true}, store.Override{Persona: "a poet"}},
		"the model": {OverrideSettings{Models: []string{"a", "b"}}, store.Override{Model: "b"}},
		"another":   {OverrideSettings{Models: []string{"a", "c"}}, store.Override{}},
	} {
		if got := test.settings.allowed(chosen); !reflect.DeepEqual(got, test.want) {
			t.Errorf("where %s is allowed, %+v applies, want %+v", name, got, test.want)
		}
	}
}
