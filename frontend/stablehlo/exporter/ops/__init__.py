"""What each op of the dialect becomes, one file a family; `rules` joins them."""
