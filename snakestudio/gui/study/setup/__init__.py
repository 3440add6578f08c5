"""Set-up of a study: varied values, search, and measures."""
