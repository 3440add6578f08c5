"""Start of a run or robot together with other instruments."""
