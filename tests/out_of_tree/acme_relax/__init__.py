"""An op that xdsl-relax does not have, with everything that makes it compile."""
