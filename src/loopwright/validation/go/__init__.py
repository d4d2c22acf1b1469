"""Reading what `go test` did."""
