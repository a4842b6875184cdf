"""Services that call out (nav_eval_sdk.transport.upgrade): a relay in a process of its own carries requests to them."""
