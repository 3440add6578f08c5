"""What scene tree and inspector show."""
