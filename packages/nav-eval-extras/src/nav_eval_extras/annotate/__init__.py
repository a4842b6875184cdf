"""`nav-eval annotate`: people write instructions for a benchmark's paths in a browser, and others follow them.

journal.py keeps what was sent, desk.py says who does what next and what became of each text, film.py shows a path,
checks.py asks back, annotator.py leads one person, export.py writes data sets.
"""
