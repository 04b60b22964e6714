"""What several tests share: `from support.<module> import ...`."""
