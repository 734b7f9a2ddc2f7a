"""What clients and servers do with the messages that tapeline refuses, or passes on with a note."""
