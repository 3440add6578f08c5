"""Content of scene tree and inspector."""
