"""The queue: who is next, who plays what, and how every submission ends. `dispatcher.Dispatcher` is its one door."""
