//go:build tools

// Package tools keeps the programs that are built from this module in its go.mod.
package tools

import (
	_ "github.com/kubernetes-sigs/kube-batch/cmd/kube-batch"
)
