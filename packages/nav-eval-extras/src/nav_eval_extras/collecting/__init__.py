"""Training data: each path of a benchmark walked once by the oracle, written in the formats that models are trained
from. paths.py says what is walked, walking.py walks, formats/ write, collection.py goes on after an interruption.
"""
