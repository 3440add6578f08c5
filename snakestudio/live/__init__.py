"""A live robot as a source like any other: references go to the link, snapshots and recordings come out of it."""
