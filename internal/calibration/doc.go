// Package calibration learns from ratings how often answers are good that a model
// was so certain of, and says how well that can be told at all.
package calibration
