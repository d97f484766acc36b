"""What code measures of itself: recording, the peaks of the machine to compare with, and forms for people to look at."""
