"""Passes that turn quantized ops into integer arithmetic."""
