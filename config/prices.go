package config

import (
	"errors"
	"slices"
	"strconv"
	"strings"
)

// Prices are the prices of a million tokens, for each model: prompt/cached/completion.
type Prices string

// price is the price of a million tokens of a model.
type price struct {
	model                      string // "" for every model without a price of its own
	prompt, cached, completion float64
}

// pricesNamed is how many prices a model has.
const pricesNamed = 3

// UnmarshalText reads three prices with slashes between, or a list of them with models.
func (p *Prices) UnmarshalText(text []byte) error {
	*p = Prices(text)
	if p.all() == nil {
		return errors.New("is not three prices with slashes between")
	}
	return nil
}

// Known reports whether the price of a model's tokens is known.
func (p Prices) Known(model string) bool {
	_, known := p.of(model)
	return known
}

// Names reports whether a model has prices of its own.
func (p Prices) Names(model string) bool {
	return slices.ContainsFunc(p.all(), func(one price) bool { return one.model == model })
}

// Of returns the price of tokens of a model, or 0 if it is not known.
func (p Prices) Of(model string, prompt, cached, completion float64) float64 {
	const million = 1e6
	per, _ := p.of(model)
	return (prompt*per.prompt + cached*per.cached + completion*per.completion) / million
}

func (p Prices) of(model string) (per price, known bool) {
	for _, one := range p.all() {
		if one.model == model || one.model == "" && !known {
			per, known = one, true
			if one.model == model {
				break
			}
		}
	}
	return per, known
}

// all returns the prices, or nil if they cannot be read.
func (p Prices) all() []price {
	var all []price
	for entry := range strings.SplitSeq(string(p), ",") {
		model, three, named := strings.Cut(entry, "=")
		if !named {
			model, three = "", entry
		}
		parts := strings.Split(three, "/")
		if len(parts) != pricesNamed || named && strings.TrimSpace(model) == "" {
			return nil
		}
		one := price{model: strings.TrimSpace(model)}
		for i, into := range []*float64{&one.prompt, &one.cached, &one.completion} {
			value, err := strconv.ParseFloat(strings.TrimSpace(parts[i]), 64)
			if err != nil || !(value >= 0) || value > 1e6 {
				return nil
			}
			*into = value
		}
		all = append(all, one)
	}
	return all
}
