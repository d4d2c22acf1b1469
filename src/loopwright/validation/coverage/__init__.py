"""Line coverage of the project's own code, one reader for each report format."""
