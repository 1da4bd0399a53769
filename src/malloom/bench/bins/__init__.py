"""The suite bins: the bin heap on random task graphs, as Lhuillier and Courousse measure it."""
