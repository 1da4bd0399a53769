// Only to have the headers compiled that all tests share.
