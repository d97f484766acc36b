"""Independent implementations that results and passes are compared with; the scripts `oracle_*` run them over many seeds."""
