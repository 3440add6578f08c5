"""Files made to hurt: what comes from outside may be anything, and is met with a sentence."""
