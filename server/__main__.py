"""`python -m server`: the command `tesserae` where its script is not on the path."""

import sys

from server.cli.main import main

sys.exit(main())
