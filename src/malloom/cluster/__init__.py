"""Tasks that run where a scheduler of Dask's puts them, on this machine or on others."""
