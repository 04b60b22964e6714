"""The `rdyn` command: one thin file per verb over the library."""
