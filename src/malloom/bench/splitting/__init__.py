"""The suite `splitting`: pools and split structures at compile time, as Curial et al. measure them."""
