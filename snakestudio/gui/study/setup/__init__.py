"""What a study is: which values vary, how they are searched, and what counts."""
