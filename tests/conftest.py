"""What holds for every test: how long and how often Hypothesis may try, and no settings around."""

import os
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, settings

# A deadline would time a test, and a shared machine stalls; both would fail what is right.
settings.register_profile(
    "tesserae", deadline=None, max_examples=50, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("quick", settings.get_profile("tesserae"), max_examples=10)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "tesserae"))


@pytest.fixture(scope="session", autouse=True)
def _without_settings() -> Iterator[None]:
    """Take away what is set around the tests: the product refuses variables that are no setting."""
    with pytest.MonkeyPatch.context() as patch:
        for name in [name for name in os.environ if name.startswith("TESSERAE_")]:
            patch.delenv(name)
        yield
