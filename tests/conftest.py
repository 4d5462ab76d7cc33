"""What holds for every test: how long and how often Hypothesis may try."""

import os

from hypothesis import HealthCheck, settings

# A deadline would time a test, and a shared machine stalls; both would fail what is right.
settings.register_profile(
    "tesserae", deadline=None, max_examples=50, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("quick", settings.get_profile("tesserae"), max_examples=10)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "tesserae"))
