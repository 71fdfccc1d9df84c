package config_test

import (
	"slices"
	"testing"

	"heddle/config"
)

func TestToolsAreChosenByName(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]string{
		"off": nil, "search_channel": {"search_channel"}, "ask_subagent, create_artifact": {"ask_subagent", "create_artifact"},
	} {
		var tools config.Tools
		if err := tools.UnmarshalText([]byte(text)); err != nil || !slices.Equal(tools.Names(), want) {
			t.Errorf("%q chooses %q with %v, want %q", text, tools.Names(), err, want)
		}
	}
	for _, text := range []string{"", ",", "fly", "search_channel,search_channel", "off,search_channel", "Search_Channel"} {
		var tools config.Tools
		if err := tools.UnmarshalText([]byte(text)); err == nil {
			t.Errorf("%q chooses %q, want an error", text, tools.Names())
		}
	}
}

func TestVisionIsOnOffOrAuto(t *testing.T) {
	t.Parallel()
	for text, fits := range map[string]bool{"auto": true, "on": true, "off": true, "": false, "yes": false, "ON": false} {
		var vision config.Vision
		if err := vision.UnmarshalText([]byte(text)); (err == nil) != fits {
			t.Errorf("%q: %v, want it to fit: %t", text, err, fits)
		}
	}
}
