"""What many hosts learned of a program, as one: tables of hosts, and the fleet that they become."""
