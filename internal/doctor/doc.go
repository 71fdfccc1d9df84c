// Package doctor checks what heddle needs to answer: the connection to Discord,
// permissions, and the model. Each check adds a finding with its severity and a remedy.
// A check that depends on one that failed is skipped.
package doctor
