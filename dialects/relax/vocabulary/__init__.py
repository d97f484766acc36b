"""The names by which the stages talk to each other: attributes, each with its type and meaning. No other file spells one."""
