"""Small widgets that the docks share."""
