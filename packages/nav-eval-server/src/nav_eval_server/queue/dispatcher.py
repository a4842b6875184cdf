"""The one door to the queue. Rows of attempts are its truth: whoever writes shows the fence of a live one.

Locks are taken in one order: the queue's, a team's or an attempt's row, the log's.
With SQLite every transaction has the whole database for itself.
"""

from __future__ import annotations

from nav_eval_server.queue.attempts import Attempts
from nav_eval_server.queue.submissions import Submissions
from nav_eval_server.queue.sweep import Sweep


class Dispatcher(Submissions, Attempts, Sweep):
    """For teams and organisers, for workers, and for the scheduler."""
