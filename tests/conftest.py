"""How long randomised tests run, and the signals that tested programs start with."""

import signal

from hypothesis import settings

# The default in `make test`; longer in `make soak`.
settings.register_profile("soak", max_examples=2000, deadline=None)

# Under nohup, or in the background of a script, signals are ignored, and every child would inherit that.
signal.signal(signal.SIGINT, signal.default_int_handler)
for _number in (signal.SIGHUP, signal.SIGQUIT):
    signal.signal(_number, signal.SIG_DFL)
