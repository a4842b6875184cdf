"""Trains nav_eval_sdk.examples.learned from nothing: `python -m train_vln`."""
