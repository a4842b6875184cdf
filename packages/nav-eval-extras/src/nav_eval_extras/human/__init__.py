"""`nav-eval human`: a person plays a benchmark's episodes in a browser, and the result is a run as any agent's."""
