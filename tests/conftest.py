"""What every test shares."""

from __future__ import annotations

from hypothesis import HealthCheck, settings

# how long an example takes says more of the machine than of the code
settings.register_profile("steady", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("steady")
