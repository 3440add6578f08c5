"""What the kinds of a part of the scene declare of themselves, each once; who shows, checks or records asks here."""
