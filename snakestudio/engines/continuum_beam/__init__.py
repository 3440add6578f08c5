"""A continuum robot whose strain is imposed: the macro-continuous model of Boyer, Ali, Porez 2012 (paper P5)."""
