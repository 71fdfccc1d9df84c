// Package inspect shows what is stored, checks it, and exports it as data to train
// on: what the commands tree, verify and export do. It only reads.
package inspect
