"""`python -m box2dpy`: the command line."""

import sys

from ._cli import main

sys.exit(main())
