"""Compiled programs that processes leave for each other on disk. A hit imports neither passes nor lowerings: nothing here may."""
