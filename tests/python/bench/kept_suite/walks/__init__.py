"""The suite `walks`: four steps that write down when they are measured. Tests end it in the middle."""
