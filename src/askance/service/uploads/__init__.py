"""Files that people upload in the browser: received in parts, checked as a whole, and added as items."""
