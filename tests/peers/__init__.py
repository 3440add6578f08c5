"""Other people's engines doing the same work: what this program's engines are compared with."""
