"""What the API knows, one file each: its shape as JSON and its operations."""
