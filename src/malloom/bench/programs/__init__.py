"""Real programs from Debian as `malloom optimize` leaves them, on inputs that it has not seen."""
