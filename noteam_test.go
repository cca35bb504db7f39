//go:build !dolt

package main

// withDolt is true in a build with -tags dolt.
const withDolt = false
