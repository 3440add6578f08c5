"""Export of recordings to files such as CSV and video, each with the data to reproduce it."""
