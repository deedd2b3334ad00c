"""What `python -m benchmarks <command>` runs: one file for each command, and what the commands share."""
