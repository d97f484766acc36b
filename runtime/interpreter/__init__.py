"""The numpy interpreter: one file of rules per op family, one engine."""
