"""The papers' figures, drawn anew from runs of the shipped scenes, and figures of any run."""
