package config

import (
	"errors"
	"net"
	"net/netip"
	"strconv"
	"strings"
)

// Loopback is an address to listen on that only this machine reaches.
type Loopback string

// UnmarshalText accepts host:port with a host that is this machine.
func (l *Loopback) UnmarshalText(text []byte) error {
	var address Address
	if err := address.UnmarshalText(text); err != nil {
		return err
	}
	host, _, err := net.SplitHostPort(string(text))
	if err != nil {
		return errors.New("is not host:port")
	}
	if at, err := netip.ParseAddr(host); host != "localhost" && (err != nil || !at.IsLoopback()) {
		return errors.New("can be reached from other machines")
	}
	*l = Loopback(text)
	return nil
}

// Prices are what a million tokens cost: prompt/cached/completion.
type Prices string

// pricesNamed is how many prices there are.
const pricesNamed = 3

// UnmarshalText reads three prices with slashes between.
func (p *Prices) UnmarshalText(text []byte) error {
	*p = Prices(text)
	if p.all() == nil {
		return errors.New("is not three prices with slashes between")
	}
	return nil
}

// Of returns what tokens cost. It is 0 if no prices are set.
func (p Prices) Of(prompt, cached, completion float64) float64 {
	all := p.all()
	if all == nil {
		return 0
	}
	const million = 1e6
	return (prompt*all[0] + cached*all[1] + completion*all[2]) / million
}

// all returns the prices, or nil if they cannot be read.
func (p Prices) all() []float64 {
	parts := strings.Split(string(p), "/")
	if len(parts) != pricesNamed {
		return nil
	}
	all := make([]float64, len(parts))
	for i, part := range parts {
		price, err := strconv.ParseFloat(strings.TrimSpace(part), 64)
		if err != nil || !(price >= 0) || price > 1e6 {
			return nil
		}
		all[i] = price
	}
	return all
}
