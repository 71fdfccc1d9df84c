package commands

import (
	"slices"
	"strconv"
	"testing"

	"heddle/bot/conversation"
	"heddle/bot/phrases"
)

func TestThresholdsHaveBounds(t *testing.T) {
	settings := &conversation.OverrideSettings{MostTotal: 200}
	for want, all := range map[phrases.ID][]thresholds{
		"":                {{0, 1, "1s"}, {100, 200, "720h"}, {30, 30, "auto"}},
		"override_most":   {{0, 0, "auto"}, {0, 201, "auto"}},
		"override_newest": {{-1, 30, "auto"}, {31, 30, "auto"}, {101, 200, "auto"}},
		"override_pause":  {{0, 1, "999ms"}, {0, 1, "720h0m1s"}, {0, 1, "soon"}, {0, 1, ""}},
	} {
		for _, one := range all {
			if got := one.fault(settings); got != want {
				t.Errorf("%+v is refused with %q, want %q", one, got, want)
			}
		}
	}
}

// TestModelsAreChoicesWhileDiscordTakesSoMany offers models up to one more than Discord takes
// choices. Those are typed.
func TestModelsAreChoicesWhileDiscordTakesSoMany(t *testing.T) {
	for _, n := range []int{0, 1, mostChoices, mostChoices + 1} {
		var models, offered []string
		for i := range n {
			models = append(models, strconv.Itoa(i))
		}
		option := modelOptions(&conversation.OverrideSettings{Models: models})[0]
		for _, choice := range option.Choices {
			offered = append(offered, choice.Value)
		}
		if isTyped := n > mostChoices; isTyped != (option.Longest > 0) || !isTyped && !slices.Equal(offered, models) || isTyped && len(offered) > 0 {
			t.Errorf("of %d models %q are offered, and texts of %d characters; want that they are typed: %t", n, offered, option.Longest, isTyped)
		}
	}
}
