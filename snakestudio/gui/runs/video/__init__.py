"""Videos of a run: how they shall look, a picture of it beforehand, and a camera that moves."""
