"""`python -m nav_eval_sdk` is `nav-eval-agent`."""

from __future__ import annotations

from nav_eval_sdk.cli import main

if __name__ == "__main__":
    main()
