"""How long and how randomly tests run, and the signals that tested programs start with."""

import signal

from hypothesis import HealthCheck, settings

# In `make test` the same examples every time, however slow the machine: whoever changes something else must
# not meet a failure by chance. `make soak` looks for new ones, and longer.
settings.register_profile(
    "steady", derandomize=True, deadline=None, database=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile(
    "soak", max_examples=2000, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("steady")

# Under nohup, or in the background of a script, signals are ignored, and every child would inherit that.
signal.signal(signal.SIGINT, signal.default_int_handler)
for _number in (signal.SIGHUP, signal.SIGQUIT):
    signal.signal(_number, signal.SIG_DFL)
