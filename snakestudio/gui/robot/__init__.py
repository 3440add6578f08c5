"""Live robot in the window: connecting, arming, stopping and robot data with their age."""
