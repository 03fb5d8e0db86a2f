"""The same commands from any folder: ``python path/to/assignments COMMAND``."""

import sys

from grading.__main__ import main

sys.exit(main())
