"""What programs are measured under, and how."""
