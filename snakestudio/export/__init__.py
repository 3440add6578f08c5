"""Files made of a recording: CSV and video, each with what is needed to make it again."""
