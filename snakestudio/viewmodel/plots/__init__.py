"""What plots show: channels of a recording, what is kept of hours of rows, charts as data."""
