package config_test

import (
	"fmt"
	"strings"
	"testing"

	"heddle/config"
)

// TestAFallbackIsReadAndItsKeyIsShownNowhere loads a provider in one line.
func TestAFallbackIsReadAndItsKeyIsShownNowhere(t *testing.T) {
	t.Parallel()
	c, _, err := config.Load([]string{"LLM_FALLBACK_1=small https://models.example.com/v1/ sk-secret", "LLM_FALLBACK_3=tiny http://localhost:8080/v1"}, noFiles)
	if err != nil {
		t.Fatal(err)
	}
	all := c.Fallbacks()
	if len(all) != 2 || all[0] != (config.Provider{Model: "small", BaseURL: "https://models.example.com/v1", Key: "sk-secret"}) || all[1].Model != "tiny" || all[1].Key != "" {
		t.Errorf("the fallbacks are %q, want 2 of them, %q first, Model %q of the second and Key \"\" of the second", all, (config.Provider{Model: "small", BaseURL: "https://models.example.com/v1", Key: "sk-secret"}), "tiny")
	}
	if shown := c.Table() + fmt.Sprintf("%v %+v %#v %s", c, c, c, all); strings.Contains(shown, "sk-secret") {
		t.Error("a key is shown, want it hidden")
	}
	_, _, err = config.Load([]string{"LLM_FALLBACK_1=sk-secret https://models.example.com/v1 large more"}, noFiles)
	if err == nil || strings.Contains(err.Error(), "sk-secret") {
		t.Errorf("a faulty line is reported as %v, want an error and no %q in it", err, "sk-secret")
	}
}

// TestPricesAreOfModels reads prices with and without models.
func TestPricesAreOfModels(t *testing.T) {
	t.Parallel()
	var p config.Prices
	if err := p.UnmarshalText([]byte("large=2/1/8, 1/0.5/2")); err != nil {
		t.Fatal(err)
	}
	if large, other := p.Of("large", 1e6, 1e6, 1e6), p.Of("any", 1e6, 1e6, 1e6); large != 11 || other != 3.5 {
		t.Errorf("a large one costs %g, another %g, want 11 and %g", large, other, 3.5)
	}
	if err := p.UnmarshalText([]byte("large=2/1/8")); err != nil || p.Known("any") || !p.Known("large") {
		t.Errorf("prices of one model: %v, known of others: %t; want no error and its own alone", err, p.Known("any"))
	}
}
