"""Numbers side by side: vectors of lanes, arithmetic on them, and memory that suits them."""
