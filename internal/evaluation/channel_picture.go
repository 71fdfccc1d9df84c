package evaluation

import (
	"fmt"
	"math"
	"strings"
)

// Size of the picture in characters.
const (
	pictureColumns = 64
	pictureRows    = 11
)

// picture draws every strategy as a point. Points further right take more messages, and
// higher ones find more parents. The upper left corner is best.
func (c *Channel) picture(b *strings.Builder) {
	most, least := 1.0, min(0.95, c.Now.Parents.InSent)
	for _, t := range c.points() {
		most = max(most, t.Parents.Sent)
	}
	for _, t := range c.Grid {
		least = min(least, t.Parents.InSent)
	}
	most, least = math.Ceil(most/10)*10, max(math.Floor(least*20)/20, 0)
	canvas := make([][]rune, pictureRows)
	for row := range canvas {
		canvas[row] = []rune(strings.Repeat(" ", pictureColumns+1))
	}
	for _, t := range c.points() {
		x := int(t.Parents.Sent/most*pictureColumns + 0.5)
		y := min(int((1-t.Parents.InSent)/(1-least)*(pictureRows-1)+0.5), pictureRows-1)
		canvas[y][x] = t.mark
	}
	b.WriteString(" found\n")
	for row := range canvas {
		share := 1 - (1-least)*float64(row)/(pictureRows-1)
		label := "      "
		if row%(pictureRows/2) == 0 {
			label = fmt.Sprintf("%4.0f %%", 100*share)
		}
		fmt.Fprintf(b, "%s │%s\n", label, strings.TrimRight(string(canvas[row]), " "))
	}
	fmt.Fprintf(b, "       └%s\n", strings.Repeat("─", pictureColumns+1))
	fmt.Fprintf(b, "        0%*.0f messages\n", pictureColumns-9, most)
	b.WriteString("        1 last 10   3 last 30   m ten minutes   c reply chain\n        · heddle with other settings   H as it is set")
	if c.better() != nil {
		b.WriteString("   R recommended")
	}
	b.WriteString("\n")
	if below := c.below(least); below != "" {
		fmt.Fprintf(b, "        lower than drawn: %s\n", below)
	}
	b.WriteString("\n")
}

// below names the strategies that find less than the least share that is drawn.
func (c *Channel) below(least float64) string {
	var below []string
	for _, t := range c.Ways {
		if t.Parents.InSent < least {
			below = append(below, t.Name)
		}
	}
	return strings.Join(below, ", ")
}

// point is a strategy in the picture.
type point struct {
	Tried

	mark rune
}

// points returns the points to draw, the most important last, so that nothing covers
// it.
func (c *Channel) points() []point {
	var points []point
	for _, t := range c.Grid {
		points = append(points, point{t, '·'})
	}
	for i, t := range c.Ways {
		points = append(points, point{t, []rune("13mc")[i]})
	}
	points = append(points, point{c.Now, 'H'})
	if better := c.better(); better != nil {
		points = append(points, point{*better, 'R'})
	}
	return points
}
