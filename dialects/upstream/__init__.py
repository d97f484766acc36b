"""What xDSL's dialects and parser lack: subclasses and registrations of our contexts. May not change a class of xDSL."""
