"""The pages: reports, and the index that leads to them."""
