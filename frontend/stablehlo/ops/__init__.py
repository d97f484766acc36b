"""The converters, one file a family; `rules` joins them."""
