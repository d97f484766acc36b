"""The ops of the relax dialect, one file a family. What families share is beside this folder."""
