//go:build tools

// Package tools keeps the programs that are built from this module in its go.mod.
package tools

import (
	_ "github.com/distribution/distribution/v3/cmd/registry"
)
