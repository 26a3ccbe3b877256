"""`python -m lorelite`: the command line."""

import sys

from lorelite.cli.main import main

sys.exit(main())
