"""A continuum robot with imposed strain: the macro-continuous model of Boyer, Ali, Porez 2012 (paper P5)."""
