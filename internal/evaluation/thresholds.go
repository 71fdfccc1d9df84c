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
	MinLinear     int           `json:"MIN_LINEAR"`
	MaxTotal      int           `json:"MAX_TOTAL"`
	TimeThreshold time.Duration `json:"-"` // graph.AutoThreshold for the channel's own pace
	Gap           string        `json:"TIME_THRESHOLD"`
	Affinity      string        `json:"AFFINITY"` // on or off
}

// NewThresholds returns the settings that correspond to options.
func NewThresholds(o graph.Options) Thresholds {
	t := Thresholds{MinLinear: o.MinLinear, MaxTotal: o.MaxTotal, TimeThreshold: o.TimeThreshold, Gap: "auto", Affinity: "off"}
	if o.TimeThreshold != graph.AutoThreshold {
		t.Gap = ShortSpan(o.TimeThreshold)
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
		"TIME_THRESHOLD=" + t.Gap,
		"AFFINITY=" + t.Affinity,
	}
}

// changes returns those lines of an .env file that are not the same for other settings.
func (t *Thresholds) changes(from *Thresholds) []string {
	before := from.env()
	return slices.DeleteFunc(t.env(), func(line string) bool { return slices.Contains(before, line) })
}

// options returns base with the settings applied. The affinity is that of base.
func (t *Thresholds) options(base graph.Options) graph.Options {
	base.MinLinear, base.MaxTotal, base.TimeThreshold = t.MinLinear, t.MaxTotal, t.TimeThreshold
	if t.Affinity == "off" {
		base.Affinity = nil
	}
	return base
}

// grid returns the settings that are tried. MIN_LINEAR is never above MAX_TOTAL. If
// base has no affinity, only settings without it are tried.
func grid(base graph.Options) []Thresholds {
	affinities := []graph.Affinity{nil}
	if base.Affinity != nil {
		affinities = []graph.Affinity{base.Affinity, nil}
	}
	var all []Thresholds
	for _, affinity := range affinities {
		for _, gap := range []time.Duration{graph.AutoThreshold, 10 * time.Minute, time.Hour} {
			for _, size := range gridSizes() {
				all = append(all, NewThresholds(graph.Options{
					MinLinear: size.least, MaxTotal: size.most, TimeThreshold: gap, Affinity: affinity,
				}))
			}
		}
	}
	return all
}

// gridSize is a pair of MIN_LINEAR and MAX_TOTAL.
type gridSize struct{ least, most int }

func gridSizes() []gridSize {
	var sizes []gridSize
	for _, most := range []int{10, 15, 30, 60} {
		for _, least := range []int{3, 5, 10, 20} {
			if least <= most {
				sizes = append(sizes, gridSize{least, most})
			}
		}
	}
	return sizes
}
