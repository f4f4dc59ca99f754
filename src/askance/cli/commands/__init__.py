"""The commands, one folder each: its options in `command`, its work beside them."""
