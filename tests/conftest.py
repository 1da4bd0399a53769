"""How long randomised tests run: the default in `make test`, longer in `make soak`."""

from hypothesis import settings

settings.register_profile("soak", max_examples=2000, deadline=None)
