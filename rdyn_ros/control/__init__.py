"""Control: laws, trajectories, observer, pre-flight and the safety filter; arrays in, arrays out, no ROS."""
