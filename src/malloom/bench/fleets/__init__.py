"""What tasks on other machines take."""
