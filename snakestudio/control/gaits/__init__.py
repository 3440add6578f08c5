"""Open-loop gaits."""
