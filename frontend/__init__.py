"""Importers of other people's programs, one file or folder per source."""
