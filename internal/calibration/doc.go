// Package calibration fits how often people found answers good to how certain the
// model was of them, and measures how good the fit is.
package calibration
