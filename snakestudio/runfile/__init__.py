"""The files that runs are kept in: recorded while they go, read back whatever ended them, gone on from; the folder."""
