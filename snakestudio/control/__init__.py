"""Sources of joint references: open-loop gaits, and controllers that read a Snapshot."""
