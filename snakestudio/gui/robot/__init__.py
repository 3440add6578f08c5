"""The live robot in the window: connecting, arming, stopping, and everything the robot says, with its age."""
