"""The JSON of the graph executor of Relay."""
