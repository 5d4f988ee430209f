"""The clients that are compared, and the server that answers them."""
