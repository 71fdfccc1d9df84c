package evaluation

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"heddle/graph"
)

// Thresholds is the settings that determine which messages are in a context.
type Thresholds struct {
	MinLinear     int    `json:"MIN_LINEAR"`
	MaxTotal      int    `json:"MAX_TOTAL"`
	TimeThreshold string `json:"TIME_THRESHOLD"` // auto for the channel's own pace
	Affinity      string `json:"AFFINITY"`       // on or off
}

// NewThresholds returns the settings that correspond to options.
func NewThresholds(o graph.Options) Thresholds {
	t := Thresholds{MinLinear: o.MinLinear, MaxTotal: o.MaxTotal, TimeThreshold: "auto", Affinity: "off"}
	if o.TimeThreshold != graph.AutoThreshold {
		t.TimeThreshold = ShortSpan(o.TimeThreshold)
	}
	if o.Affinity != nil {
		t.Affinity = "on"
	}
	return t
}

// ShortSpan returns a duration without units that are zero: 10m rather than 10m0s.
func ShortSpan(d time.Duration) string {
	text := d.String()
	if short, whole := strings.CutSuffix(text, "m0s"); whole {
		text = short + "m"
	}
	if short, whole := strings.CutSuffix(text, "h0m"); whole {
		text = short + "h"
	}
	return text
}

// env returns the settings as the lines of an .env file.
func (t *Thresholds) env() []string {
	return []string{
		fmt.Sprintf("MIN_LINEAR=%d", t.MinLinear),
		fmt.Sprintf("MAX_TOTAL=%d", t.MaxTotal),
		"TIME_THRESHOLD=" + t.TimeThreshold,
		"AFFINITY=" + t.Affinity,
	}
}

// changes returns those lines of an .env file that are not the same for other settings.
func (t *Thresholds) changes(from *Thresholds) []string {
	before := from.env()
	return slices.DeleteFunc(t.env(), func(line string) bool { return slices.Contains(before, line) })
}

// grid returns the settings that are tried. If base has no affinity, only settings without
// it are tried.
func grid(base graph.Options) (all []graph.Options) {
	affinities := []graph.Affinity{nil}
	if base.Affinity != nil {
		affinities = []graph.Affinity{base.Affinity, nil}
	}
	sizes := []struct{ minLinear, maxTotal int }{
		{3, 10},
		{5, 10},
		{10, 10},
		{3, 15},
		{5, 15},
		{10, 15},
		{3, 30},
		{5, 30},
		{10, 30},
		{20, 30},
		{3, 60},
		{5, 60},
		{10, 60},
		{20, 60},
	}
	for _, affinity := range affinities {
		for _, gap := range []time.Duration{graph.AutoThreshold, 10 * time.Minute, time.Hour} {
			for _, size := range sizes {
				o := base
				o.MinLinear, o.MaxTotal, o.TimeThreshold, o.Affinity = size.minLinear, size.maxTotal, gap, affinity
				all = append(all, o)
			}
		}
	}
	return all
}
