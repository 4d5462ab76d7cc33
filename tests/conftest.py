"""What holds for every test: how long and how often Hypothesis may try."""

from hypothesis import HealthCheck, settings

# A deadline would time a test, and a shared machine stalls; both would fail what is right.
settings.register_profile(
    "tesserae", deadline=None, max_examples=50, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("tesserae")
